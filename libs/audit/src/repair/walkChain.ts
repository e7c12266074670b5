import {
  type ChainAnchor,
  ChainError,
  type DecodedFrame,
  equalBytes,
  type PartitionLog,
  readChain,
  zeroHash,
} from '@kiroku/log'
import { givenUpIn } from '@kiroku/partition'
import type { StoredCheckpoint } from '../replay/Checkpoint.ts'
import { type OnProgress, progressOf } from '../replay/Progress.ts'
import type { TailCheck } from '../verify/TailNote.ts'

/** How far the chain could be followed. */
export interface Walk {
  readonly hash: Uint8Array
  readonly damage: ChainError | undefined
  readonly told: Told
  /** Checkpoints whose record matches. */
  readonly standing: ReadonlySet<number>
}

/** What the record itself says about missing parts. */
interface Told {
  trimmedTo: number
  givenUp: { readonly from: number; readonly upTo: number }[]
  repairedEpoch: number
}

/** Checkpoints whose record matches. */
export const standingIn = (
  checkpoints: ReadonlyMap<number, StoredCheckpoint>,
  { standing }: Walk,
): StoredCheckpoint[] => [...checkpoints.values()].filter(({ seq }) => standing.has(seq))

/** What the records say, and what checkpoints know of missing ones. */
export const including = (told: Told, checkpoints: readonly StoredCheckpoint[]): Told => {
  const all: Told = { ...told, givenUp: [...told.givenUp] }
  for (const { snapshot } of checkpoints) {
    all.trimmedTo = Math.max(all.trimmedTo, snapshot.trimmedTo)
    all.repairedEpoch = Math.max(all.repairedEpoch, snapshot.repairedEpoch)
    all.givenUp.push(...givenUpIn(snapshot))
  }
  return all
}

/** Follows the chain from the beginning, or from a checkpoint, up to the end or the first damage. */
export const walk = async (
  log: PartitionLog,
  toSeq: number,
  checkpoints: ReadonlyMap<number, StoredCheckpoint>,
  {
    begin,
    tail,
    onProgress,
  }: {
    readonly begin?: StoredCheckpoint | undefined
    readonly tail?: TailCheck
    readonly onProgress: OnProgress | undefined
  },
): Promise<Walk> => {
  const from: ChainAnchor | undefined = begin && {
    seq: begin.seq,
    hash: begin.hash,
    epoch: begin.snapshot.epoch,
  }
  const standing = new Set<number>()
  const told: Told = { trimmedTo: 0, givenUp: [], repairedEpoch: 0 }
  const report = progressOf(log.partition, toSeq, onProgress)
  let hash = begin?.hash ?? zeroHash
  try {
    for await (const entry of readChain(log, {
      toSeq,
      deep: true,
      ...(from === undefined ? {} : { from }),
    })) {
      const bridge = entry.kind === 'lost' && entry.bridged ? checkpoints.get(entry.upTo) : undefined
      if (bridge !== undefined) {
        hash = bridge.hash
        standing.add(bridge.seq)
      }
      if (entry.kind !== 'ours') continue
      hash = entry.record.hash
      tail?.pass(entry.seq, entry.record)
      if (entry.record.kind === 'frame') {
        listen(told, entry.record)
        report(entry.seq, entry.record.events.length)
      }
      const checkpoint = checkpoints.get(entry.seq)
      if (checkpoint !== undefined && equalBytes(checkpoint.hash, hash)) standing.add(entry.seq)
    }
    return { hash, standing, told, damage: undefined }
  } catch (e) {
    if (!(e instanceof ChainError) || e.id === 'FutureVersion') throw e
    return { hash, standing, told, damage: e }
  }
}

const listen = (told: Told, { epoch, events }: DecodedFrame): void => {
  for (const e of events)
    if (e.type === 'Trimmed') told.trimmedTo = Math.max(told.trimmedTo, e.upTo)
    else if (e.type === 'Repaired') {
      told.repairedEpoch = epoch
      if (e.upTo >= e.from) told.givenUp.push({ from: e.from, upTo: e.upTo })
    }
}
