import type { Move } from '../world/Move.ts'
import type { QueueLedger } from '../world/QueueLedger.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** No more messages and batches are in flight than a subscription allows, and none goes out while it is held. */
export class FlowChecker implements Checker {
  readonly name = 'flow'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  moving({ event, frame: { partition, seq, record }, queue, sub }: Move): void {
    if (event.type !== 'Delivered') return
    const { until } = queue.generations.get(sub)!.held
    if (until > record.at)
      throw this.#object(
        `${partition}/${queue.id} delivers at ${seq}, and is held for ${until - record.at} ms`,
      )
  }

  stored({ partition, seq, record }: Stored): void {
    for (const e of record.events) {
      if (e.type !== 'Delivered') continue
      const queue = this.#world.truth.ledgers[partition]!.queues.get(e.queue)!
      // A limit that was lowered meanwhile lets what is in flight end.
      if (queue.configured > 0) continue
      const { inflightMax, concurrencyMax } = queue.configOf(e.sub)
      if (inflightMax === 0 && concurrencyMax === 0) continue
      const { messages, deliveries } = inflight(queue, e.sub)
      if (inflightMax > 0 && messages > inflightMax)
        throw this.#object(
          `${partition}/${queue.id} has ${messages} messages in flight at ${seq}, not ${inflightMax}`,
        )
      if (concurrencyMax > 0 && deliveries > concurrencyMax)
        throw this.#object(
          `${partition}/${queue.id} has ${deliveries} batches in flight at ${seq}, not ${concurrencyMax}`,
        )
    }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const inflight = (queue: QueueLedger, sub: number): { messages: number; deliveries: number } => {
  const deliveries = new Set<number>()
  let messages = 0
  for (const { lives } of queue.messages.values()) {
    const life = lives.get(sub)
    if (life?.state !== 'Inflight') continue
    messages++
    deliveries.add(life.delivery)
  }
  return { messages, deliveries: deliveries.size }
}
