import type { RecordQuestion } from '@kiroku/audit'
import type { WireError } from '@kiroku/protocol'

/** How far an auditor is with a partition. */
export interface FollowedPartition {
  readonly partition: number
  /** Last sequence that its index has, and where the log ended when it last looked. */
  readonly seq: number
  readonly lastSeq: number
  /** Changes of messages that it has seen. */
  readonly events: number
  /** Why it does not go on; absent: it does. */
  readonly trouble?: string
}

/** State of an auditor. */
export interface AuditorStatus {
  readonly pid: number
  /** Another auditor of the data folder writes; this one reads what that wrote. */
  readonly role: 'writer' | 'reader'
  readonly partitions: readonly FollowedPartition[]
}

/** Writes a line to the engine's log. */
export type OnAuditorEvent = (
  level: 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, unknown>>,
) => void

/** What the engine tells its auditor. `setup` is what the process opens its log with. */
export type ToAuditor =
  | { readonly type: 'start'; readonly setup: unknown }
  | { readonly type: 'ask'; readonly id: number; readonly method: RecordQuestion; readonly asked: unknown }
  | { readonly type: 'stop' }

/** What an auditor tells its engine. */
export type FromAuditor =
  | { readonly type: 'answer'; readonly id: number; readonly ok?: unknown; readonly error?: WireError }
  | { readonly type: 'status'; readonly status: AuditorStatus }
  | {
      readonly type: 'log'
      readonly level: 'warn' | 'error'
      readonly event: string
      readonly fields: Readonly<Record<string, unknown>>
    }
