import type { Answers, Command, MessageAddress, Reply } from '@kiroku/protocol'
import { identityOf, isKeyed } from '../workload/labels.ts'
import type { Exchange } from '../world/Exchange.ts'
import { labelOf } from '../world/Truth.ts'
import type { SendPlace } from '../world/SendLedger.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** An acknowledged send, and the frame that it rests on. */
interface Promised {
  readonly partition: number
  readonly queue: number
  readonly numbers: readonly number[]
  readonly seq: number
}

type Enqueue = Extract<Command, { type: 'Enqueue' }>

/**
 * Invariant 1, first half: what was acknowledged is in the log where the answer says, it was there before the answer
 * left, it is there once, and a repeat gets the first one's answer.
 */
export class SendsChecker implements Checker {
  readonly name = 'sends'
  readonly #world: World
  readonly #acknowledged = new Map<string, Promised>()
  readonly #labels = new Map<string, MessageAddress>()

  constructor(world: World) {
    this.#world = world
  }

  left({ partition, commands }: Exchange, reply: Reply): void {
    for (const [i, command] of commands.entries()) {
      const ok = reply.answers[i]!.ok as Answers['Enqueue'] | undefined
      if (command.type === 'Enqueue' && ok !== undefined) this.#answered(partition, command, ok)
    }
  }

  #answered(partition: number, { producer, send, messages }: Enqueue, ok: Answers['Enqueue']): void {
    const key = `${producer} ${send}`
    const latest = this.#world.truth.ledgers[partition]!.sends.get(key)
    const { queue, first, count } = ok
    const numbers =
      ok.numbers === undefined ? Array.from({ length: count }, (_, i) => first + i) : [...each(ok.numbers)]
    const answer = `${queue}/${numbers.join()}`
    if (latest === undefined) throw this.#object(`send ${key} is acknowledged as ${answer} and not stored`)
    const stored = placeNamed(latest, answer)
    if (stored === undefined)
      throw this.#object(`send ${key} is acknowledged as ${answer}, but stored as ${textOf(latest)}`)
    if (numbers.length !== messages.length)
      throw this.#object(`send ${key} of ${messages.length} messages is acknowledged as ${answer}`)
    for (const [i, number] of numbers.entries()) {
      const place = { partition, queue, number }
      const found = this.#find(place)?.label
      const sent = labelOf(messages[i]!)
      // Of repeated messages the first is stored.
      if (found === undefined || identityOf(found) !== identityOf(sent))
        throw this.#object(
          `"${sent}" is acknowledged as ${partition}/${queue}/${number}, which holds "${found}"`,
        )
    }
    const storing = `${key} ${stored.seq}`
    const before = this.#acknowledged.get(storing)
    if (before !== undefined && textOf(before) !== answer)
      throw this.#object(`send ${key} got ${answer} and before that ${textOf(before)}`)
    this.#acknowledged.set(storing, { partition, queue, numbers, seq: stored.seq })
  }

  promised(label: string, place: MessageAddress): void {
    // The answer was under way while the log was hurt.
    if (this.#world.hurts.has(place.partition) && this.#find(place) === undefined) return
    const known = this.#labels.get(label)
    if (known !== undefined) throw this.#object(`"${label}" is acknowledged twice`)
    this.#labels.set(label, place)
    this.#isThere(label, place)
  }

  givenUp(partition: number, from: number, upTo: number): void {
    for (const [key, { partition: p, seq }] of this.#acknowledged)
      if (p === partition && seq >= from && seq <= upTo) this.#acknowledged.delete(key)
    for (const [label, place] of this.#labels)
      if (place.partition === partition && this.#find(place) === undefined) this.#labels.delete(label)
  }

  ended(): void {
    for (const [key, { partition, queue, numbers }] of this.#acknowledged)
      for (const number of numbers)
        if (this.#find({ partition, queue, number }) === undefined)
          throw this.#object(`send ${key} was acknowledged as ${queue}/${number} and is lost`)
    for (const [label, place] of this.#labels) this.#isThere(label, place)
    for (const { partition, queues, sends } of this.#world.truth.ledgers) {
      const seen = new Map<string, number>()
      for (const { id, messages } of queues.values())
        for (const { label, number, isForwarded } of messages.values()) {
          // What a queue recognizes by itself is another checker's.
          if (isForwarded || isKeyed(label) || sends.again.has(label)) continue
          if (seen.has(label))
            throw this.#object(
              `"${label}" is stored twice in queue ${partition}/${id}: ${seen.get(label)}, ${number}`,
            )
          seen.set(label, number)
        }
    }
  }

  #isThere(label: string, place: MessageAddress): void {
    const found = this.#find(place)?.label
    if (found !== label)
      throw this.#object(
        `"${label}" is acknowledged as ${place.partition}/${place.queue}/${place.number}, which holds "${found}"`,
      )
  }

  #find({ partition, queue, number }: Omit<MessageAddress, 'incarnation'>) {
    return this.#world.truth.ledgers[partition]!.queues.get(queue)?.messages.get(number)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

/**
 * The place that an answer names: where a send was forgotten and stored again, the answer to a repeat from before may
 * still be on its way.
 */
const placeNamed = (latest: SendPlace, answer: string): SendPlace | undefined => {
  for (let place: SendPlace | undefined = latest; place !== undefined; place = place.earlier)
    if (textOf(place) === answer) return place
  return undefined
}

const textOf = ({ queue, numbers }: { queue: number; numbers: readonly number[] }): string =>
  `${queue}/${numbers.join()}`
