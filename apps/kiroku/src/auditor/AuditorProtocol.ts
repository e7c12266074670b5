import type {
  AskedBatches,
  AskedDiff,
  AskedGroups,
  AskedLetters,
  AskedLog,
  AskedRecording,
  AskedSpan,
  AskedState,
} from '@kiroku/api'
import type {
  Act,
  ActFilter,
  AskedStretch,
  BatchCosts,
  DeadLetterGroup,
  History,
  LogMoment,
  LogSpan,
  MomentDiff,
  QueueMoment,
  Trace,
} from '@kiroku/audit'
import type { SearchAnswer } from '@kiroku/audit-store'
import type { NatsOptions } from '@kiroku/nats'
import type { Ranges, WireError } from '@kiroku/protocol'
import type { LogLevel } from '../serve/Logger.ts'

/** What an auditor works with. */
export interface AuditorSetup {
  readonly nats: NatsOptions
  readonly log: string
  readonly dataDir: string
}

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

/** How an auditor stands. */
export interface AuditorStatus {
  readonly pid: number
  /** Another auditor of the data folder writes; this one reads what that wrote. */
  readonly role: 'writer' | 'reader'
  readonly partitions: readonly FollowedPartition[]
}

/** What an auditor can be asked, with what each takes and gives. */
export interface AuditorMethods {
  search: { asked: { filter: string; limit?: number; cursor?: string }; answer: SearchAnswer }
  acts: { asked: ActFilter; answer: Act[] }
  history: { asked: AskedStretch; answer: History }
  trace: { asked: { messageId: string }; answer: Trace }
  stateAt: { asked: { queue: string; asked: AskedState }; answer: QueueMoment }
  logAt: { asked: AskedLog; answer: LogMoment }
  /** As bytes: the channel between the two passes them on as they are. */
  recording: { asked: { queue: string; asked: AskedRecording }; answer: Uint8Array }
  span: { asked: AskedSpan; answer: LogSpan }
  diff: { asked: { queue: string; asked: AskedDiff }; answer: MomentDiff }
  batches: { asked: { queue: string; asked: AskedBatches }; answer: BatchCosts }
  deadLetters: {
    asked: { queue: string; asked: AskedGroups }
    answer: { readonly count: number; readonly groups: readonly DeadLetterGroup[] }
  }
  selectLetters: { asked: { queue: string; asked: AskedLetters }; answer: Ranges }
}

/** Name of a question. */
export type AuditorMethod = keyof AuditorMethods

/** What the engine tells its auditor. */
export type ToAuditor =
  | { readonly type: 'start'; readonly setup: AuditorSetup }
  | { readonly type: 'ask'; readonly id: number; readonly method: AuditorMethod; readonly asked: unknown }
  | { readonly type: 'stop' }

/** What an auditor tells its engine. */
export type FromAuditor =
  | { readonly type: 'answer'; readonly id: number; readonly ok?: unknown; readonly error?: WireError }
  | { readonly type: 'status'; readonly status: AuditorStatus }
  | {
      readonly type: 'log'
      readonly level: LogLevel
      readonly event: string
      readonly fields: Readonly<Record<string, unknown>>
    }
