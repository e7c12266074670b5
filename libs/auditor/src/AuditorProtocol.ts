import type { RecordQuestion } from '@kiroku/audit'
import type { WireError } from '@kiroku/protocol'
import type { AnswerPart } from './splitAnswer.ts'

/** How far an auditor is with a partition. */
export interface FollowedPartition {
  readonly partition: number
  /** Last sequence that its index has, and where the log ended when it last looked. */
  readonly seq: number
  readonly lastSeq: number
  /** Changes of messages seen so far. */
  readonly events: number
  /** Why it is stuck; absent: it is not. */
  readonly trouble?: string
}

/** State of an auditor. */
export interface AuditorStatus {
  readonly pid: number
  /** Another auditor of the data folder is the writer; this one only reads. */
  readonly role: 'writer' | 'reader'
  readonly partitions: readonly FollowedPartition[]
}

/** Writes a line to the engine's log. */
export type OnAuditorEvent = (
  level: 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, unknown>>,
) => void

/** Messages from the engine to its auditor. `setup` is what the process opens its log with. */
export type ToAuditor =
  | { readonly type: 'start'; readonly setup: unknown }
  | {
      readonly type: 'ask'
      readonly id: number
      readonly method: RecordQuestion
      readonly asked: unknown
      readonly principal: string
    }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'stop' }

/** Messages from an auditor to its engine. */
export type FromAuditor =
  | { readonly type: 'part'; readonly id: number; readonly part: AnswerPart }
  | { readonly type: 'answer'; readonly id: number; readonly ok?: unknown; readonly error?: WireError }
  | { readonly type: 'status'; readonly status: AuditorStatus }
  | {
      readonly type: 'log'
      readonly level: 'warn' | 'error'
      readonly event: string
      readonly fields: Readonly<Record<string, unknown>>
    }
