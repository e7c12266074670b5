import type {
  Act,
  ActFilter,
  AskedMoment,
  AskedStretch,
  BatchCosts,
  DeadLetterGroup,
  History,
  LetterSelection,
  LogMoment,
  LogSpan,
  MomentDiff,
  QueueMoment,
  RecordingOptions,
  SearchAnswer,
  StateAtOptions,
  Trace,
} from '@kiroku/audit'
import type { Ranges, WireError } from '@kiroku/protocol'

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

/** A queue, and a part of its messages. */
interface OfQueue {
  readonly queue: string
  /** Without one: of all. */
  readonly subscription?: string
}

/** What an auditor can be asked, with what each takes and gives. A moment that is left out is now. */
export interface AuditorMethods {
  search: {
    asked: { readonly filter: string; readonly limit?: number; readonly cursor?: string }
    answer: SearchAnswer
  }
  acts: { asked: ActFilter; answer: Act[] }
  history: { asked: AskedStretch; answer: History }
  trace: { asked: { readonly messageId: string }; answer: Trace }
  stateAt: {
    asked: OfQueue & { readonly at?: AskedMoment } & Pick<
        StateAtOptions,
        'messagesMax' | 'after' | 'states' | 'where'
      >
    answer: QueueMoment
  }
  logAt: { asked: { readonly at?: AskedMoment }; answer: LogMoment }
  /** As bytes: the channel between the two passes them on as they are. */
  recording: {
    asked: { readonly queue: string; readonly from?: AskedMoment } & Pick<
      RecordingOptions,
      'partition' | 'withState' | 'framesMax' | 'workMax'
    >
    answer: Uint8Array
  }
  /** Without a queue: of all. */
  span: { asked: { readonly queue?: string }; answer: LogSpan }
  diff: {
    asked: {
      readonly queue: string
      readonly from: AskedMoment
      readonly to?: AskedMoment
      readonly messagesMax: number
    }
    answer: MomentDiff
  }
  batches: { asked: OfQueue; answer: BatchCosts }
  deadLetters: {
    asked: OfQueue & { readonly at?: AskedMoment }
    answer: { readonly count: number; readonly groups: readonly DeadLetterGroup[] }
  }
  /** `where` is a filter as it was written. */
  selectLetters: {
    asked: OfQueue & Omit<LetterSelection, 'where'> & { readonly where?: string }
    answer: Ranges
  }
}

/** Name of a question. */
export type AuditorMethod = keyof AuditorMethods

/** Answers some of the questions. */
export type Answering<M extends AuditorMethod = AuditorMethod> = {
  readonly [K in M]: (asked: AuditorMethods[K]['asked']) => Promise<AuditorMethods[K]['answer']>
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
  | { readonly type: 'ask'; readonly id: number; readonly method: AuditorMethod; readonly asked: unknown }
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
