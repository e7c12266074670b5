import type { KeyStore, PartitionLog } from '@kiroku/log'
import type { Command, KirokuError, Reply } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import type { Act } from '../actor/Mailbox.ts'
import type { Sizes } from '../append/Sizes.ts'
import type { BodyCache } from '../bodies/BodyCache.ts'
import type { BodySchemas } from '../bodies/BodySchemas.ts'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import type { KeyRing } from '../keys/KeyRing.ts'
import type { StorageWatch } from '../store/StorageWatch.ts'

/** The way to a partition, wherever its owner is. */
export type Route = (partition: number, commands: readonly Command[]) => Promise<Reply>

/** What the owner of a partition lends to its tasks. */
export interface Owner {
  readonly log: PartitionLog
  /** The keys of erasable queues. */
  readonly keys: KeyStore
  /** Incarnation of the log, for message ids. */
  readonly incarnation: string
  /** Partitions of the log. */
  readonly partitions: number
  readonly time: Time
  /** The way to other partitions. */
  readonly route: Route
  readonly cache: BodyCache
  readonly ring: KeyRing
  readonly schemas: BodySchemas
  readonly sizes: Sizes
  readonly storage: StorageWatch
  readonly writer: LargeBodyWriter
  /** Partition time in ms. */
  now(): number
  /** Whether the owner takes on new work. */
  isActive(): boolean
  /** Has something decided that takes up to `bytes` on record, in addition to a few small facts. */
  act(run: Act, bytes?: number): void
  /** Refuses the command with this token. */
  refuse(token: number, error: KirokuError): void
  /** The record is damaged, unless another owner overtook this one: the ownership ends. */
  damaged(error: KirokuError): void
}
