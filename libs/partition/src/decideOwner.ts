import { KirokuError } from '@kiroku/protocol'
import type { OwnerCommand } from './OwnerCommand.ts'
import type { Rest, Turn } from './Turn.ts'
import { decideEditBody } from './edit/decideEditBody.ts'
import { decideErase, decideKeysDeleted, decideUnreadable } from './erasure/decideErase.ts'
import { decideClosingTold, decideForwarded } from './forward/decideForwarded.ts'
import { decideRestore } from './past/decideRestore.ts'
import { decideRedrive } from './redrive/decideRedrive.ts'
import { decideSettle } from './settle/decideSettle.ts'
import { decideDropped, decideMoved, decidePlaced } from './spread/decideHome.ts'
import { decideCreateSubscription, decideResetSubscription } from './subscription/decideSubscription.ts'
import { decideCarry } from './trim/decideCarry.ts'

/** Decides what the owner asks for itself. Returns what found no room in the turn. */
export const decideOwner = <B>(turn: Turn<B>, c: OwnerCommand<B>, token: number): Rest<B> | undefined => {
  switch (c.type) {
    case 'ResumeClock':
      return void turn.emit({ ...c, type: 'ClockResumed' })
    case 'RecordCheckpoint':
      return void turn.emit({ ...c, type: 'Checkpointed' })
    case 'RecordTrim':
      return void turn.emit({ ...c, type: 'Trimmed' })
    case 'NoteShortStore':
      return void turn.emit({ ...c, type: 'StoreShort', optional: true })
    case 'SkipForeign':
      return void turn.emit({ ...c, type: 'ForeignRecordSkipped' })
    case 'CarryBodies':
      return void decideCarry(turn, c.carried, c.seq)
    case 'ReleaseUndelivered':
      return decideSettle(
        turn,
        { type: 'Release', items: c.items.filter((item) => !turn.own.repeats.isOutdated(item)) },
        token,
        true,
      )
    case 'EndUnreadable':
      return void decideUnreadable(turn, c.delivery, c.numbers)
    case 'OpenAt':
      return c.command.type === 'CreateSubscription'
        ? void decideCreateSubscription(turn, c.command, token, c.located)
        : void decideResetSubscription(turn, c.command, token, c.located)
    case 'EraseGroup':
      return decideErase(turn, c.command, token, c.key)
    case 'ReplaceBody':
      return void decideEditBody(turn, c.command, token, c.edited)
    case 'ConfirmForward':
      return void decideForwarded(turn, c.lane, c.said)
    case 'ConfirmClosing':
      return void decideClosingTold(turn, c.partition, c.upTo)
    case 'ConfirmPart':
      return void decidePlaced(turn, c.queue, c.partition, c.answer)
    case 'OutrunPart':
      return void decideMoved(turn, c.queue, c.partition, c.revision)
    case 'ConfirmDrop':
      return void decideDropped(turn, c.part)
    case 'ConfirmKeysDeleted':
      return void decideKeysDeleted(turn, c.erasure)
    case 'MoveRedriven':
      return void decideRedrive(turn, c.redrive, c.step)
    case 'RestorePast':
      return void decideRestore(turn, c)
    default:
      return void turn.refuse(
        token,
        new KirokuError('MalformedRequest', `there is no command "${(c as { readonly type: string }).type}"`),
      )
  }
}
