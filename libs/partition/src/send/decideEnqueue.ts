import { type Answers, KirokuError } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { namedQueue } from '../lookup.ts'
import { earlierSend } from '../repeats/earlierSend.ts'
import { enqueueOnce } from '../repeats/enqueueOnce.ts'
import { newsFor } from '../spread/Spread.ts'
import type { QueueState } from '../state/QueueState.ts'
import { refuseSend } from './refuseSend.ts'
import { storeSend, type EnqueueOf, type SizedRef } from './storeSend.ts'

/** Stores a send, or answers a repeated one as before. */
export const decideEnqueue = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  command: EnqueueOf<B>,
  token: number,
): void => {
  const before = earlierSend(turn, command, token)
  if (before === 'refused') return
  if (before !== undefined) return turn.ok(token, before)
  const queue = namedQueue(turn, command.queue, token)
  if (queue === undefined) return
  const { messages } = command
  const refusal =
    refuseElsewhere(queue, command.spread) ??
    refuseSend(queue, command, messages) ??
    refuseEarly(turn, command)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  const stored =
    queue.config.dedup === 'off' ? enqueueAll(turn, queue, command) : enqueueOnce(turn, queue, command)
  if (stored instanceof KirokuError) return turn.refuse(token, stored)
  const spread = queue.place === undefined ? newsFor(queue.spread, command.spread ?? 0) : undefined
  turn.ok(token, spread === undefined ? stored : { ...stored, spread })
}

const enqueueAll = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  queue: QueueState,
  command: EnqueueOf<B>,
): Answers['Enqueue'] => {
  const first = queue.nextNumber
  storeSend(turn, queue, command)
  return { queue: queue.id, first, count: command.messages.length }
}

/** What one producer sends without awaiting keeps its order, whatever happened to the send before it. */
const refuseEarly = <B extends Uint8Array | SizedRef>(
  { state: { producers } }: Turn<B>,
  { producer, send, after }: EnqueueOf<B>,
): KirokuError | undefined =>
  after === undefined || producers.find(after.producer ?? producer, after.send) !== undefined
    ? undefined
    : new KirokuError('OutOfOrder', `send ${after.send} comes before send ${send} and is not stored yet`)

/** A part takes sends while it is open, and none that were meant for it before it was opened. */
const refuseElsewhere = ({ name, place }: QueueState, knows = 0): KirokuError | undefined =>
  place === undefined || (place.isOpen && knows >= place.since)
    ? undefined
    : new KirokuError('QueueMoved', `queue "${name}" takes no such sends in this partition`)
