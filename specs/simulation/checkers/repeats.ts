import type { LogEvent } from '@kiroku/protocol'
import { identityOf, isKeyed } from '../workload/labels.ts'
import type { Message, QueueLedger } from '../world/QueueLedger.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * A queue that recognizes repeats stores a message once within its window, and again after it; by what two
 * messages are one, their labels say.
 */
export class RepeatsChecker implements Checker {
  readonly name = 'repeats'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  stored(frame: Stored): void {
    for (const e of frame.record.events) {
      if (e.type === 'Enqueued') this.#entered(frame, e)
      else if (e.type === 'Deduplicated') this.#recognized(frame, e)
    }
  }

  #entered({ partition, seq, record }: Stored, e: Extract<LogEvent, { type: 'Enqueued' }>): void {
    const queue = this.#queue(partition, e.queue)
    if (queue.configOf(0).dedup === 'off') return
    for (const message of queue.messages.values()) {
      if (message.number < e.first || message.number >= e.first + e.count || !isKeyed(message.label)) continue
      for (const before of queue.messages.values()) {
        // A dead letter that was brought back does not count against a new message.
        if (before.number >= message.number || before.isForgotten || before.isForwarded) continue
        if (!areOne(before, message)) continue
        const passed = record.at - before.enqueuedAt
        if (passed < queue.configOf(0).dedupWindowMs)
          throw this.#object(
            `"${message.label}" is stored at ${seq} as ${partition}/${queue.id}/${message.number}, ${passed} ms after "${before.label}" as ${before.number}`,
          )
      }
    }
  }

  #recognized({ partition, seq, record }: Stored, e: Extract<LogEvent, { type: 'Deduplicated' }>): void {
    const queue = this.#queue(partition, e.queue)
    const answer = new Set(each(e.answer))
    for (const number of e.originals) {
      const original = queue.messages.get(number)
      if (original === undefined || !answer.has(number))
        throw this.#object(
          `at ${seq} a send repeats ${partition}/${queue.id}/${number}, which it was not answered`,
        )
      if (original.knownIn === undefined || original.isForgotten)
        throw this.#object(`at ${seq} a send repeats "${original.label}", which is not looked for any more`)
      const passed = record.at - original.enqueuedAt
      if (passed >= queue.configOf(0).dedupWindowMs)
        throw this.#object(`at ${seq} a send repeats "${original.label}", which is ${passed} ms old`)
    }
  }

  #queue(partition: number, id: number): QueueLedger {
    return this.#world.truth.ledgers[partition]!.queues.get(id)!
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

/** Whether the queue must take a message for a repeat of one before, by what it looks for since that came. */
const areOne = (before: Message, message: Message): boolean =>
  before.knownIn !== undefined &&
  before.knownIn === message.knownIn &&
  isKeyed(before.label) &&
  identityOf(before.label) === identityOf(message.label)
