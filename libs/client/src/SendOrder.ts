import { ChurnMap } from '@kiroku/protocol'
import type { SendNumber } from './ProducerNumbers.ts'

/** A send and the one before it to the same queue. */
export interface OrderedSend {
  readonly number: SendNumber
  /** Whether it has no answer yet. */
  isOpen: boolean
  before: OrderedSend | undefined
}

/** The sends to one partition that have no answer yet, in their order per queue. */
export class SendOrder {
  /** By queue. */
  readonly #newest = new ChurnMap<string, OrderedSend>()

  /** Notes the next send to a queue. */
  add(queue: string, number: SendNumber): OrderedSend {
    const send = { number, isOpen: true, before: openOf(this.#newest.get(queue)) }
    this.#newest.set(queue, send)
    return send
  }

  /** Notes sends in the place of one that was refused. */
  replace(queue: string, refused: OrderedSend, numbers: readonly SendNumber[]): readonly OrderedSend[] {
    const sends: OrderedSend[] = []
    for (const number of numbers)
      sends.push({ number, isOpen: true, before: sends.at(-1) ?? openOf(refused.before) })
    refused.before = sends.at(-1) ?? refused.before
    this.close(queue, refused)
    return sends
  }

  /** Notes that a send has an answer, or is given up. */
  close(queue: string, send: OrderedSend): void {
    send.isOpen = false
    // Or the chain of all that were ever sent would stay.
    send.before = openOf(send.before)
    const newest = openOf(this.#newest.get(queue))
    if (newest === undefined) this.#newest.delete(queue)
    else this.#newest.set(queue, newest)
  }
}

/** What the partition must have stored before a send, by what has an answer by now. */
export const openBefore = (send: OrderedSend): OrderedSend | undefined => (send.before = openOf(send.before))

const openOf = (send: OrderedSend | undefined): OrderedSend | undefined => {
  let open = send
  while (open?.isOpen === false) open = open.before
  return open
}
