import { type CommandOf, KirokuError } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { homeQueue } from '../lookup.ts'
import { editable, type BodyAt } from './editBody.ts'

/** A body that is to take the place of another. */
export interface EditedBody<B> {
  /** Queue, and where the body lies that was looked at. */
  readonly queue: number
  readonly was: BodyAt
  readonly body: B
  /** Bytes of the envelope. */
  readonly bytes: number
}

/** Gives a message another body, unless the message was taken or edited since it was looked at. */
export const decideEditBody = <B>(
  turn: Turn<B>,
  { queue: name, number, by }: CommandOf<'EditBody'>,
  token: number,
  { queue: id, was, body, bytes }: EditedBody<B>,
): void => {
  const queue = homeQueue(turn, name, token)
  if (queue === undefined) return
  const at = editable(turn.state, queue, number)
  const why =
    queue.config.erasable !== 'none'
      ? `the messages of queue "${name}" are encrypted`
      : typeof at === 'string'
        ? at
        : queue.id !== id || at.seq !== was.seq || at.index !== was.index
          ? `message ${number} was edited in the meantime in queue "${name}"`
          : undefined
  if (why !== undefined) return turn.refuse(token, new KirokuError('NotEditable', why))
  turn.addBodies(id, [body])
  turn.emit({ type: 'BodyEdited', queue: id, number, bytes, by })
  turn.ok(token, { queue: id, number, isEdited: true })
}
