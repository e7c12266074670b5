import { type Answers, encodeEnvelope, type QueueAddress } from '@kiroku/protocol'
import { editable, type Turn } from '../index.ts'
import { availableNumbers } from '../store/available.ts'
import { decideEditBody } from '../edit/decideEditBody.ts'
import { decideErase, decideKeysDeleted } from '../erasure/decideErase.ts'
import { decideForwarded } from '../forward/decideForwarded.ts'
import { decideRedrive } from '../redrive/decideRedrive.ts'
import { by } from './Clients.ts'
import { numbersOf } from './TestPartition.ts'
import { targets } from './arbitraryTurns.ts'

/** What the owner finds out about the messages of a redrive: it moves some, passes over others, and comes to an end. */
export const moveSome = (turn: Turn, random: () => number): void => {
  const { state } = turn
  // A restart goes on with them in another order.
  const inTurn = [...state.redrives, ...turn.own.dryRuns.running].sort(
    (a, b) => a.queue - b.queue || (a.request < b.request ? -1 : 1),
  )
  for (const redrive of inTurn) {
    const sub = state.subscriptionOf(redrive.queue, redrive.sub)!
    const some = numbersOf(availableNumbers(state, sub, redrive.upTo)).filter(() => random() < 0.6)
    // One of them may be gone by now.
    if (random() < 0.3) some.push(redrive.upTo)
    const inOrder = [...new Set(some)].sort((a, b) => a - b)
    const right = redrive.messagesMax === 0 ? inOrder : inOrder.slice(0, redrive.messagesMax - redrive.moved)
    const target = redrive.to === 'origin' ? targets[random() < 0.5 ? 0 : 1] : redrive.to
    const isOver = random() < 0.3
    decideRedrive(turn, redrive, {
      moves: [{ target, numbers: right.flatMap((n) => [n, 1]), ...(random() < 0.3 ? { only: 'x' } : {}) }],
      skipped: { noOrigin: 1 },
      filtered: 2,
      left: 3,
      ...(isOver ? { ended: { outcome: 'completed', note: '' } } : {}),
    })
  }
}

/** Bodies of some messages are edited, also of those where that is not possible. */
export const editSome = (turn: Turn, random: () => number, step: number): void => {
  const { state } = turn
  for (const queue of [...state.queues.values()].sort((a, b) => a.id - b.id)) {
    const number = 1 + Math.floor(random() * queue.nextNumber)
    const was = editable(state, queue, number)
    const body = encodeEnvelope(
      new TextEncoder().encode(`edited ${step} ${number}`.padEnd(Math.floor(random() * 60))),
    )
    decideEditBody(
      turn,
      { type: 'EditBody', queue: queue.name, number, messageId: '', body, by },
      -1_000 * (step + 1) - queue.id,
      {
        queue: queue.id,
        was: typeof was === 'string' ? { seq: 0, index: 0 } : was,
        body,
        bytes: body.length,
      },
    )
  }
}

export const chance = (seed: number): (() => number) => {
  let x = seed + 1
  return () => {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0
    return x / 2 ** 32
  }
}

/** Has the keys deleted of what is to be erased, then erases a message or a group. */
export const eraseSome = (turn: Turn, random: () => number, token: number): void => {
  const { queues, erasures } = turn.state
  for (const { erasure } of erasures) decideKeysDeleted(turn, erasure)
  const erasable = [...queues.values()].filter(({ config }) => config.erasable !== 'none')
  const queue = erasable[Math.floor(random() * erasable.length)]
  if (queue === undefined) return
  const { id, name, nextNumber } = queue
  const what =
    queue.config.erasable === 'message'
      ? { message: { queue: id, number: Math.ceil(random() * nextNumber) } }
      : { group: ['g', 'h', 'i'][Math.floor(random() * 3)]! }
  const reason = 'asked for'
  decideErase(turn, { type: 'Erase', queue: name, ...what, by: { ...by, reason } }, token, 'key')
}

/** What the target of a lane says to its owner. */
export const said = (turn: Turn, source: number, target: QueueAddress, answer: Answers['Forward']): void => {
  const lane = turn.state.lane(source, target)
  if (lane !== undefined) decideForwarded(turn, lane, answer)
}
