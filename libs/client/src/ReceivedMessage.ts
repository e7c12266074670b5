import { KirokuError, rangeNumbers, type Ranges } from '@kiroku/protocol'
import { MessageView, type DeliveryContext } from './MessageView.ts'
import {
  deadLetterOf,
  releaseOf,
  type ReleaseOptions,
  retryOf,
  type RetryOptions,
  type Settlement,
} from './Settlement.ts'
import type { Settler } from './Settler.ts'

/** A received message. Each verdict resolves when it is stored; errors: `UnknownReceipt`, `ReceiptExpired`. */
export class ReceivedMessage<T = unknown> extends MessageView<T> {
  readonly #settle: (settlement: Settlement) => Promise<void>

  /** @internal */
  constructor(
    context: DeliveryContext,
    index: number,
    number: number,
    settle: (settlement: Settlement) => Promise<void>,
  ) {
    super(context, index, number)
    this.#settle = settle
  }

  /** Acknowledges the message: it is done. */
  ack(): Promise<void> {
    return this.#settle({ type: 'Ack' })
  }

  /** Another attempt after `delayMs`, or by the queue's policy. Errors: also `InvalidArgument`. */
  async retry(options: RetryOptions = {}): Promise<void> {
    return this.#settle(retryOf(options))
  }

  /** Lets the lease end `leaseMs` from now. Errors: also `LeaseCapReached`, `LeaseTooShort`. */
  extend(leaseMs: number): Promise<void> {
    return this.#settle({ type: 'Extend', leaseMs })
  }

  /**
   * Gives the message back, at once or after `delayMs`, without counting the attempt. Errors: also
   * `InvalidArgument`.
   */
  async release(options: ReleaseOptions = {}): Promise<void> {
    return this.#settle(releaseOf(options))
  }

  /** Moves the message to the dead-letter queue now. */
  deadLetter(error?: string | Error): Promise<void> {
    return this.#settle(deadLetterOf(error))
  }
}

/** The messages of a delivery for a caller who settles them by itself. */
export const receivedMessages = <T>(context: DeliveryContext, settler: Settler): ReceivedMessage<T>[] => {
  const { queue, sub, delivery, numbers } = context.delivery
  return rangeNumbers(numbers).map((number, index) => {
    const range: Ranges = [number, 1]
    const message = new ReceivedMessage<T>(context, index, number, async (settlement) => {
      const refused = (await settler.settle(settlement, queue, sub, delivery, range))[0]
      if (refused !== undefined)
        throw new KirokuError(refused.error, `${settlement.type} of message ${message.id} was refused`)
    })
    return message
  })
}
