import { ChurnSet } from '@kiroku/protocol'
import { limits } from './limits.ts'

/** The identity of one send, by which a partition recognizes a repeat. */
export interface SendNumber {
  readonly producer: string
  readonly send: number
}

interface Producer {
  readonly id: string
  last: number
  /** Numbers without an answer, oldest first. */
  readonly open: ChurnSet<number>
}

/**
 * Numbers the sends to one partition. A producer never has a number in use that the partition may have
 * forgotten, so when its window is full another producer takes over; order comes from the requests, not from
 * the numbers.
 */
export class ProducerNumbers {
  readonly #newId: () => string
  readonly #producers = new Map<string, Producer>()

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** The next number, or none while every window is full. */
  take(): SendNumber | undefined {
    for (const producer of this.#producers.values()) {
      if (hasRoom(producer)) return number(producer)
    }
    if (this.#producers.size >= limits.producersMax) return undefined
    const producer: Producer = { id: this.#newId(), last: 0, open: new ChurnSet() }
    this.#producers.set(producer.id, producer)
    return number(producer)
  }

  /** The send has an answer, or is given up. */
  close(sent: SendNumber): void {
    this.#producers.get(sent.producer)?.open.delete(sent.send)
  }
}

const hasRoom = (producer: Producer): boolean => {
  const [oldest = producer.last + 1] = producer.open
  return producer.last + 1 - oldest < limits.producerWindowSends
}

const number = (producer: Producer): SendNumber => {
  producer.open.add(++producer.last)
  return { producer: producer.id, send: producer.last }
}
