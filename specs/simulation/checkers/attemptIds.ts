import type { Move } from '../world/Life.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** A receive that is repeated with its attempt id gets no other batch as long as something of its first is held. */
export class AttemptIdsChecker implements Checker {
  readonly name = 'attempt ids'
  /** Deliveries by partition, queue, generation and attempt id. */
  readonly #deliveries = new Map<string, number>()

  moving({ frame, event, queue, sub }: Move): void {
    if (event.type !== 'Delivered' || event.attempt === undefined) return
    const key = `${frame.partition} ${queue.id} ${sub} ${event.attempt}`
    const before = this.#deliveries.get(key)
    this.#deliveries.set(key, event.delivery)
    if (before === undefined || before === event.delivery) return
    for (const { number, lives } of queue.messages.values()) {
      const life = lives.get(sub)
      if (life?.state === 'Inflight' && life.delivery === before)
        throw new Objection(
          this.name,
          `attempt "${event.attempt}" gets delivery ${event.delivery} at ${frame.seq}, and still holds ${frame.partition}/${queue.id}/${number} of ${before}`,
        )
    }
  }

  givenUp(): void {
    this.#deliveries.clear()
  }
}
