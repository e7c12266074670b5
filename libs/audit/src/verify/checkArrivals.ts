import { resetCell } from '@kiroku/message'
import { type QueueState } from '@kiroku/partition'
import { dedupKeyBytes, type LogEventOf, rangeTotal } from '@kiroku/protocol'
import { nameOf, refuse, type LawScope } from './LawScope.ts'
import { machineEvents } from './machineEvents.ts'

const { discard } = machineEvents

export const checkEnqueued = (law: LawScope, e: LogEventOf<'Enqueued'>): void => {
  const { state } = law
  enters(law, e)
  if (e.dueAt !== 0 && e.dueAt <= state.at) refuse(`a delay ends at ${e.dueAt}, which is not later`)
  isOnce(law, e)
  keysAreNew(law, e)
}

export const checkDeduplicated = (law: LawScope, e: LogEventOf<'Deduplicated'>): void => {
  const { dedup, at } = law.state
  const queue = law.queue(e.queue)
  isOnce(law, e)
  for (const [i, original] of e.originals.entries())
    if (dedup.find(queue, e.keys, i, at) !== original)
      refuse(`send ${e.send} of producer ${e.producer} does not repeat ${nameOf(e, original)}`)
  if (e.originals.length === 0 || rangeTotal(e.answer) < e.originals.length)
    refuse(`send ${e.send} of producer ${e.producer} repeats nothing`)
}

export const checkForwardReceived = (law: LawScope, e: LogEventOf<'ForwardReceived'>): void => {
  const { state } = law
  enters(law, e)
  if (e.enqueuedAt.length !== e.count || e.enqueuedAt.some((at) => at > state.at))
    refuse(`forward ${e.forward} was first sent later than it arrived`)
  const target = { partition: state.partition, queue: e.queue }
  if (e.forward < (state.nextForward(e.from, e.queue) ?? 1))
    refuse(`forward ${e.forward} of queue ${e.from.queue} in partition ${e.from.partition} is stored twice`)
  law.forwards.received(e.from, target, e.forward, e.count, law.seq)
}

/** A send takes effect once; if that is several facts, they are consecutive. */
const isOnce = (law: LawScope, e: LogEventOf<'Enqueued' | 'Deduplicated'>): void => {
  if (law.state.producers.find(e.producer, e.send) === undefined) return
  const p = law.previous
  const continues =
    p?.type === 'Enqueued' && p.producer === e.producer && p.send === e.send && p.queue === e.queue
  if (!continues) refuse(`send ${e.send} of producer ${e.producer} is stored twice`)
}

const keysAreNew = (law: LawScope, e: LogEventOf<'Enqueued'>): void => {
  const { dedup, at } = law.state
  const queue = law.queue(e.queue)
  if (e.keys === undefined ? queue.config.dedup !== 'off' : e.keys.length !== e.count * dedupKeyBytes)
    refuse(`the ${e.count} messages from ${e.first} on of queue ${e.queue} have no key each`)
  if (e.keys === undefined) return
  for (let i = 0; i < e.count; i++) {
    const original = dedup.find(queue, e.keys, i, at)
    if (original !== 0) refuse(`${nameOf(e, e.first + i)} repeats message ${original}, but is stored`)
  }
}

const enters = (law: LawScope, e: LogEventOf<'Enqueued' | 'ForwardReceived'>): void => {
  const queue = law.queue(e.queue)
  if (queue.place?.isOpen === false) refuse(`a sealed part of queue "${queue.name}" gets messages`)
  if (e.type === 'ForwardReceived') checkFilter(law, queue, e.tag, e.only, e.filteredBy)
  else if (e.dueAt === 0) checkFilter(law, queue, e.tag, undefined, e.filteredBy)
  if (e.first !== queue.nextNumber || e.count < 1)
    refuse(`message ${e.first} of queue ${e.queue} arrives where ${queue.nextNumber} is next`)
  law.transitions += e.count
  law.addBodies(e.queue, e.count)
}

/**
 * The subscriptions that messages with this tag do not reach, by their filters and by whom the messages are
 * for.
 */
export const checkFilter = (
  law: LawScope,
  queue: QueueState,
  tag: string | undefined,
  only: number | undefined,
  filteredBy: readonly number[] | undefined,
): void => {
  const lawful = queue.filteredBy(tag ?? '', only) ?? []
  if (String(lawful) !== String(filteredBy ?? []))
    refuse(
      `tag "${tag ?? ''}" is filtered by ${filteredBy?.join(', ') ?? 'nobody'}, not by ${String(lawful)}`,
    )
  if (filteredBy === undefined) return
  discard.reason = 'filtered'
  if (!law.machine.step(resetCell(law.cell), discard)) refuse('a message cannot be filtered')
}
