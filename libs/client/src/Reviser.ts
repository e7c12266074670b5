import { type Actor, type CommandOf, KirokuError } from '@kiroku/protocol'
import { Lane, type Unit } from './Lane.ts'
import type { PartitionLink } from './PartitionLink.ts'
import { ProducerNumbers, type SendNumber } from './ProducerNumbers.ts'
import { limits } from './limits.ts'

/** What to do with a message that is not due yet. */
export type Revision =
  | { readonly type: 'Recall'; readonly by: Actor }
  | {
      readonly type: 'Reschedule'
      readonly delayMs: number | undefined
      readonly dueAt: number | undefined
      readonly by: Actor
    }

/** One revision that no request has taken yet. */
interface Wish {
  readonly queue: number
  readonly number: number
  readonly revision: Revision
  readonly deadlineMs: number
  readonly done: () => void
  readonly failed: (error: KirokuError) => void
}

/**
 * Cancels and moves delayed messages of one partition. Each revision has a number, so that a repeat has no
 * further effect.
 */
export class Reviser {
  readonly #link: PartitionLink
  readonly #lane: Lane
  readonly #numbers: ProducerNumbers
  readonly #wishes: Wish[] = []

  constructor(link: PartitionLink, newProducer: () => string) {
    this.#link = link
    this.#numbers = new ProducerNumbers(newProducer)
    this.#lane = new Lane(link, limits.settleRequestsMax, () => this.#next())
  }

  /** Resolves when it is stored. Errors: see `Client.recall` and `Client.reschedule`. */
  revise(queue: number, number: number, revision: Revision): Promise<void> {
    return new Promise((done, failed) => {
      const { clock, requestTimeoutMs } = this.#link.context
      this.#wishes.push({ queue, number, revision, deadlineMs: clock.now() + requestTimeoutMs, done, failed })
      this.#lane.wake()
    })
  }

  /** Resolves when everything so far is stored or given up. */
  drained(): Promise<void> {
    return this.#lane.idle()
  }

  /** Fails what is left and stops repeating. */
  close(): void {
    const error = new KirokuError('Stopped', 'The client was closed before this was sent')
    for (const wish of this.#wishes.splice(0)) wish.failed(error)
    this.#lane.close()
  }

  #next(): Unit | undefined {
    if (this.#wishes.length === 0) return undefined
    const number = this.#numbers.take()
    if (number === undefined) return undefined
    const wish = this.#wishes.shift()!
    const command = commandOf(wish, number)
    return {
      command: () => command,
      messages: 1,
      bytes: 64,
      deadlineMs: wish.deadlineMs,
      doubt: false,
      order: 0,
      requests: 0,
      done: () => {
        this.#numbers.close(number)
        wish.done()
      },
      failed: (error) => {
        this.#numbers.close(number)
        wish.failed(error)
      },
    }
  }
}

const commandOf = (
  { queue, number, revision }: Wish,
  sent: SendNumber,
): CommandOf<'Recall'> | CommandOf<'Reschedule'> => {
  const { by } = revision
  if (revision.type === 'Recall') return { type: 'Recall', queue, number, ...sent, by }
  const { delayMs, dueAt } = revision
  return {
    type: 'Reschedule',
    queue,
    number,
    ...sent,
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(dueAt === undefined ? {} : { dueAt }),
    by,
  }
}
