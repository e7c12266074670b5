import type { NatsConnection } from '@nats-io/nats-core'
import { KvBucket, type KvEntry } from './KvBucket.ts'
import { locksBucket } from './PartitionLock.ts'
import { type PartitionPin, pinIn, pinKey } from './PartitionPin.ts'

/** The pins of partitions, as the watch on the bucket of locks tells them. */
export class Pins {
  readonly #bucket: KvBucket<PartitionPin>
  readonly #onTrouble: (error: unknown, what?: string) => void
  readonly #pins = new Map<number, PartitionPin>()

  /** @param onTrouble told why a pin could not be written again */
  constructor(nc: NatsConnection, log: string, onTrouble: (error: unknown, what?: string) => void) {
    this.#bucket = KvBucket.open(nc, locksBucket(log))
    this.#onTrouble = onTrouble
  }

  /** What the watch says of all keys. Pins are never deleted: those that are missing went with their bucket, and are written again. */
  snapshot(entries: ReadonlyMap<string, KvEntry<unknown>>): void {
    for (const entry of entries.values()) this.heard(entry)
    for (const [partition, pin] of this.#pins)
      if (!entries.has(pinKey(partition)))
        this.#bucket
          .compareAndSet(pinKey(partition), pin, 0)
          .catch((error: unknown) => this.#onTrouble(error, `pin of partition ${partition}`))
  }

  /** What the watch says of one key. */
  heard(entry: KvEntry<unknown>): void {
    const [partition, pin] = pinIn(entry) ?? []
    if (partition !== undefined && pin !== undefined) this.#pins.set(partition, pin)
  }

  /** The hosts of the partitions that are pinned. */
  hosts(): ReadonlyMap<number, string> {
    return new Map(
      [...this.#pins].flatMap(([partition, { host }]) => (host === undefined ? [] : [[partition, host]])),
    )
  }
}
