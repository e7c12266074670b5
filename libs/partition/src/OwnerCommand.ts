import type { Answers, CommandOf, LogEventOf, LogEventType, Redrive, UndeliveredItem } from '@kiroku/protocol'
import type { PlannedDelivery } from './Turn.ts'
import type { EditedBody } from './edit/decideEditBody.ts'
import type { OutboxLane } from './forward/Outbox.ts'
import type { Past } from './past/decideRestore.ts'
import type { RedriveStep } from './redrive/decideRedrive.ts'
import type { LeavingPart } from './spread/Spread.ts'
import type { Located } from './subscription/start.ts'
import type { CarriedBodies } from './trim/decideCarry.ts'

type FieldsOf<T extends LogEventType> = Omit<LogEventOf<T>, 'type' | 'optional'>

/**
 * What the owner of a partition has decided beside what doors ask: what it found out elsewhere, and what only it can know.
 * None of these comes from outside, so none has a shape on the wire.
 */
export type OwnerCommand<B> =
  // The ownership and the log
  | ({ readonly type: 'ResumeClock' } & FieldsOf<'ClockResumed'>)
  | ({ readonly type: 'RecordCheckpoint' } & FieldsOf<'Checkpointed'>)
  | ({ readonly type: 'RecordTrim' } & FieldsOf<'Trimmed'>)
  | ({ readonly type: 'NoteShortStore' } & FieldsOf<'StoreShort'>)
  | ({ readonly type: 'SkipForeign' } & FieldsOf<'ForeignRecordSkipped'>)
  /** Bodies of an old part of the log, as they were read at `seq`, are stored again. */
  | { readonly type: 'CarryBodies'; readonly carried: readonly CarriedBodies<B>[]; readonly seq: number }
  // Deliveries
  /** Deliveries that reached no consumer; one that was sent again since then stays, because that may have reached it. */
  | { readonly type: 'ReleaseUndelivered'; readonly items: readonly UndeliveredItem[] }
  /** Messages of a delivery whose keys are gone. */
  | {
      readonly type: 'EndUnreadable'
      readonly delivery: PlannedDelivery
      readonly numbers: readonly number[]
    }
  // What commands of doors come to once the owner knows what they need
  | {
      readonly type: 'OpenAt'
      readonly command: CommandOf<'CreateSubscription' | 'ResetSubscription'>
      readonly located: Located
    }
  | { readonly type: 'EraseGroup'; readonly command: CommandOf<'Erase'>; readonly key: string }
  | { readonly type: 'ReplaceBody'; readonly command: CommandOf<'EditBody'>; readonly edited: EditedBody<B> }
  // What other partitions, the key store and the log said
  | { readonly type: 'ConfirmForward'; readonly lane: OutboxLane; readonly said: Answers['Forward'] }
  | { readonly type: 'ConfirmClosing'; readonly partition: number; readonly upTo: number }
  | {
      readonly type: 'ConfirmPart'
      readonly queue: number
      readonly partition: number
      readonly answer: Answers['PlacePart']
    }
  /** A part was dropped as of a revision that its home does not know. */
  | {
      readonly type: 'OutrunPart'
      readonly queue: number
      readonly partition: number
      readonly revision: number
    }
  | { readonly type: 'ConfirmDrop'; readonly part: LeavingPart }
  | { readonly type: 'ConfirmKeysDeleted'; readonly erasure: number }
  | { readonly type: 'MoveRedriven'; readonly redrive: Redrive; readonly step: RedriveStep }
  | ({ readonly type: 'RestorePast' } & Past)
