import type { MessageAddress } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

interface Sent {
  readonly label: string
  /** Which of its producer's sends it was, and which of that send's messages. */
  readonly send: number
  readonly index: number
  readonly place: MessageAddress
}

/**
 * What one real client sends to a queue without awaiting is stored in that order, whatever failed meanwhile. A repeat that
 * came after its producer was forgotten counts as new, and is stored where it arrives.
 */
export class SendOrderChecker implements Checker {
  readonly name = 'order of sends'
  readonly #world: World
  readonly #sent = new Map<string, Sent[]>()
  /** The parts that each producer sent to, by partition. */
  readonly #parts = new Map<string, Set<number>>()
  /** Partitions where records were given up, whose numbers are used again. */
  readonly #restored = new Set<number>()

  constructor(world: World) {
    this.#world = world
  }

  arrived({ from, partition, commands }: Exchange): void {
    if (!commands.some((command) => command.type === 'Enqueue')) return
    const parts = this.#parts.get(from.name) ?? new Set()
    this.#parts.set(from.name, parts.add(partition))
  }

  promised(label: string, place: MessageAddress): void {
    const [, producer = '', send, index] = /^(.*) (\d+)\.(\d+)$/.exec(label) ?? []
    const sent = this.#sent.get(producer) ?? []
    this.#sent.set(producer, sent)
    sent.push({ label, send: Number(send), index: Number(index), place })
  }

  givenUp(partition: number): void {
    this.#restored.add(partition)
  }

  ended(): void {
    for (const [producer, sent] of this.#sent) {
      // The parts of a spread queue have an order each, and the client may turn from one to another; what it sent to one that is
      // gone by then goes to the others.
      const queues = new Set(sent.map(({ place }) => `${place.partition}/${place.queue}`))
      const isOfOne = queues.size === 1 && this.#parts.get(producer)?.size === 1
      const { partition } = sent[0]!.place
      if (!isOfOne || this.#restored.has(partition)) continue
      const { again } = this.#world.truth.ledgers[partition]!.sends
      this.#check(
        producer,
        sent.filter(({ label }) => !again.has(label)),
      )
    }
  }

  #check(producer: string, sent: readonly Sent[]): void {
    const inOrder = sent.toSorted((a, b) => a.send - b.send || a.index - b.index)
    for (const [i, { send, place }] of inOrder.entries()) {
      const before = inOrder[i - 1]
      if (before === undefined || before.place.number < place.number) continue
      throw new Objection(
        this.name,
        `${producer} sent ${before.send} before ${send}, and ${before.place.number} lies behind ${place.number} in queue ${place.partition}/${place.queue}`,
      )
    }
  }
}
