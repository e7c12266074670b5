import type { Grants, Ranges } from '@kiroku/protocol'
import type { Act, ActFilter } from '../acts/Act.ts'
import type { BatchCosts } from '../batches/batchCosts.ts'
import type { Filter } from '../filter/Filter.ts'
import type { SearchAnswer } from '../filter/FoundMessage.ts'
import type { AskedStretch, History } from '../history/History.ts'
import type { DeadLetterGroup } from '../letters/DeadLetter.ts'
import type { LetterSelection } from '../letters/LetterSelector.ts'
import type { AskedMoment, QueueMoment } from '../past/QueueMoment.ts'
import type { MomentDiff } from '../past/diffMoments.ts'
import type { LogMoment } from '../past/logAt.ts'
import type { RecordingOptions } from '../past/recordingOf.ts'
import type { LogSpan } from '../past/spanOf.ts'
import type { StateAtOptions } from '../past/stateAt.ts'
import type { Trace } from '../trace/TraceStep.ts'

/** A queue, and one of its subscriptions. Without a subscription: of all. */
interface OfQueue {
  readonly queue: string
  readonly subscription?: string
}

/** Who asks. */
interface Asker {
  /** Whether attributes and errors are shown although a queue hides them, as to operators; default: no. */
  readonly asOperator?: boolean
  /** Their roles, where these differ by queue: nothing of other queues is told; absent: `asOperator` holds for all. */
  readonly grants?: Grants
}

/** What can be asked of the record, with what each question takes and its answer. A moment that is left out is now. */
export interface RecordQuestions {
  /** Errors: `NoAuditor`, as no record is searched without its index. */
  search: {
    asked: Asker & { readonly filter: Filter; readonly limit?: number; readonly cursor?: string }
    answer: SearchAnswer
  }
  /** Administrative acts. */
  acts: { asked: ActFilter; answer: Act[] }
  /** Counts of what happened over time. Errors: `NoAuditor`. */
  history: { asked: AskedStretch; answer: History }
  /** Every event of one message. */
  trace: { asked: Asker & { readonly messageId: string }; answer: Trace }
  /** `where` stays as it was written: its durations count back from the moment, whose time the record knows. */
  stateAt: {
    asked: OfQueue & { readonly at?: AskedMoment } & Pick<
        StateAtOptions,
        'messagesMax' | 'after' | 'states' | 'where'
      >
    answer: QueueMoment
  }
  /** All queues at a moment. */
  logAt: { asked: { readonly at?: AskedMoment }; answer: LogMoment }
  /**
   * A range of the record for a replay in the browser, for `Replayer` of `@kiroku/audit/browser`; texts of errors are for
   * operators only.
   */
  recording: {
    asked: Asker & { readonly queue: string; readonly from?: AskedMoment } & Pick<
        RecordingOptions,
        'partition' | 'withState' | 'framesMax' | 'workMax'
      >
    answer: Uint8Array
  }
  /** How far back the past can be read. Without a queue: all. */
  span: { asked: { readonly queue?: string }; answer: LogSpan }
  /** What changed in a queue between two moments. */
  diff: {
    asked: {
      readonly queue: string
      readonly from: AskedMoment
      readonly to?: AskedMoment
      readonly messagesMax: number
    }
    answer: MomentDiff
  }
  /** What batch settings cost, and what others would have cost. */
  batches: { asked: OfQueue; answer: BatchCosts }
  /** The messages in a queue in groups of one kind, largest first. Default subscription: `main`. */
  deadLetters: {
    asked: OfQueue & Asker & { readonly at?: AskedMoment }
    answer: { readonly count: number; readonly groups: readonly DeadLetterGroup[] }
  }
  /** Numbers of the dead letters that are meant, as ranges. Without a subscription: of `main`. */
  selectLetters: { asked: OfQueue & Asker & LetterSelection; answer: Ranges }
}

/** Name of a question. */
export type RecordQuestion = keyof RecordQuestions

/** All of them. */
export const recordQuestions = Object.keys({
  search: true,
  acts: true,
  history: true,
  trace: true,
  stateAt: true,
  logAt: true,
  recording: true,
  span: true,
  diff: true,
  batches: true,
  deadLetters: true,
  selectLetters: true,
} satisfies Record<RecordQuestion, true>) as readonly RecordQuestion[]

/** Answers some of the questions. */
export type Answering<M extends RecordQuestion = RecordQuestion> = {
  readonly [K in M]: (asked: RecordQuestions[K]['asked']) => Promise<RecordQuestions[K]['answer']>
}
