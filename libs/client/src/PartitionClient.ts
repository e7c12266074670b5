import { limits as partitionLimits, type Answers, type CommandOf, type Delivery } from '@kiroku/protocol'
import type { AbortSignalLike } from './AbortSignalLike.ts'
import { LateDeliveries } from './LateDeliveries.ts'
import type { ClientContext } from './ClientContext.ts'
import { PartitionLink } from './PartitionLink.ts'
import { Reviser } from './Reviser.ts'
import { Sender } from './Sender.ts'
import { Settler } from './Settler.ts'

/** How long a receive is repeated while it fails, in ms, and what stops it. */
export interface TakeOptions {
  readonly signal?: AbortSignalLike | undefined
  readonly patienceMs?: number
}

/** Everything a client has for one partition. */
export class PartitionClient {
  readonly link: PartitionLink
  readonly sender: Sender
  readonly settler: Settler
  readonly reviser: Reviser
  readonly #late: LateDeliveries

  constructor(partition: number, context: ClientContext) {
    this.link = new PartitionLink(partition, context)
    const newProducer = (): string => crypto.randomUUID().replaceAll('-', '')
    this.sender = new Sender(this.link, newProducer)
    this.settler = new Settler(this.link)
    this.reviser = new Reviser(this.link, newProducer)
    this.#late = new LateDeliveries((delivery) => void this.release(delivery))
    this.link.onLateDelivery = (delivery) => this.#late.late(delivery)
  }

  /**
   * One delivery, or none within the wait, or the queue's other parts. A receive whose answer was lost gets
   * the same batch when it is repeated. Aborting rejects; a delivery on its way is released.
   */
  take(command: CommandOf<'Receive'>, { signal, patienceMs }: TakeOptions = {}): Promise<Answers['Receive']> {
    const waitMs = command.waitMs ?? partitionLimits.receiveWaitMsMax
    const attempt = command.attempt ?? command.poll
    let mayComeAgain = command.attempt !== undefined
    this.#late.begun(attempt)
    const first = command.attempt === undefined ? { ...command, attempt } : command
    return this.link
      .ask<'Receive'>(first, {
        waitMs: waitMs + (command.batchWaitMs ?? 0),
        signal,
        patienceMs,
        again: (leftMs, tries) => {
          mayComeAgain = true
          return {
            ...first,
            poll: `${command.poll}.${tries}`,
            ...(command.waitMs === undefined ? {} : { waitMs: Math.min(command.waitMs, leftMs) }),
          }
        },
      })
      .then(
        (answer) => {
          this.#late.over(attempt, answer.delivery?.delivery, mayComeAgain)
          return answer
        },
        (thrown: unknown) => {
          this.#late.over(attempt, undefined, mayComeAgain)
          throw thrown
        },
      )
  }

  /** Resolves when every request is stored or given up. */
  async drained(): Promise<void> {
    await Promise.all([this.sender.drained(), this.settler.drained(), this.reviser.drained()])
  }

  /** Fails what is left and stops repeating. */
  close(): void {
    this.sender.close()
    this.settler.close()
    this.reviser.close()
  }

  /** Gives back a delivery that has no handler; resolves when that is stored or given up. */
  release({ queue, sub, delivery, numbers, attempts }: Delivery): Promise<void> {
    const { emit } = this.link.context
    return this.settler.settle({ type: 'Release' }, queue, sub, delivery, numbers).then(
      ({ length: refused }) => {
        const messages = attempts.length - refused
        if (messages > 0) emit({ type: 'released', partition: this.link.partition, messages })
      },
      // Its lease ends by itself.
      () => undefined,
    )
  }
}
