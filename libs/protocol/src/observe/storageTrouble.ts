import type { StorageDescription } from './PartitionDescription.ts'

/** What is wrong with the room of a log's store, and what can be done about it. */
export interface StorageTrouble {
  readonly state: 'short' | 'full'
  readonly what: string
  readonly advice: string
}

/**
 * Says what is wrong with the store according to the owners of its partitions, the worst of it; undefined
 * while there is enough room. `bytes` writes a size down.
 */
export const storageTrouble = (
  storages: readonly StorageDescription[],
  bytes: (n: number) => string,
): StorageTrouble | undefined => {
  const worst =
    storages.find(({ state }) => state === 'full') ?? storages.find(({ state }) => state === 'short')
  if (worst === undefined || worst.state === 'enough') return undefined
  const { state, freeBytes, bytesMax, reserveBytes } = worst
  const room =
    freeBytes === undefined || bytesMax === undefined
      ? 'the store refused to take more'
      : `the store has ${bytes(freeBytes)} of ${bytes(bytesMax)} left`
  const until = reserveBytes === undefined ? 'it has room again' : `${bytes(reserveBytes)} are free`
  return {
    state,
    what:
      state === 'full'
        ? `${room}: sends are refused until ${until}`
        : `${room}: the record is kept shorter than its limits`,
    advice:
      'Consume waiting messages, free space on the disk of NATS, or enlarge the disk or the limit. Nothing that was acknowledged is lost.',
  }
}
