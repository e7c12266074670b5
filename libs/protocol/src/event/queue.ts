import type { Actor } from './Actor.ts'

/** A section of a configuration file: where it came from, and a digest of what it said. */
export interface AppliedSection {
  /** Name of the file or the Worker, as every machine knows it. */
  readonly source: string
  readonly digest: string
}

/** Changes of a queue's notes by their names; null removes one. */
export type NoteChanges = readonly (readonly [name: string, text: string | null])[]

/** Administration of queues. */
export type QueueEvent =
  /** `applied` where a file said so: the same section of the same source is not applied again. */
  | {
      type: 'QueueCreated'
      queue: number
      name: string
      config: Record<string, unknown>
      applied?: AppliedSection
      by: Actor
    }
  | {
      type: 'QueueConfigured'
      queue: number
      config: Record<string, unknown>
      applied?: AppliedSection
      by: Actor
    }
  /** Texts that the queue keeps for people and doors; the engine goes by none of them. */
  | { type: 'QueueNoted'; queue: number; notes: NoteChanges; by: Actor }
  | { type: 'QueueDeleted'; queue: number; by: Actor }
  /** Everything with a number below `upTo` that is not final becomes Discarded. */
  | { type: 'QueuePurged'; queue: number; upTo: number; by: Actor }
  /** Without `sub`: of all subscriptions. */
  | { type: 'DeliveryPaused'; queue: number; sub?: number; by: Actor }
  /** Ends what `DeliveryHeld` began, too. */
  | { type: 'DeliveryResumed'; queue: number; sub?: number; by: Actor }
  /** A consumer gave messages back and had the deliveries of its subscription stand still until this time. */
  | { type: 'DeliveryHeld'; queue: number; sub: number; until: number; error: string }
