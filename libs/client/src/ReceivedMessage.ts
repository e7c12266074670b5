import { KirokuError, rangeNumbers, type Ranges } from '@kiroku/protocol'
import { MessageView, type DeliveryContext } from './MessageView.ts'
import type { Settlement, Settler } from './Settler.ts'

/** How a verdict asks for another attempt. */
export interface RetryOptions {
  /** Pause in ms; absent: the queue's policy; 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record; at most 1,000 characters. */
  readonly error?: string | undefined
}

/** How a verdict gives a message back without costing it the attempt. */
export interface ReleaseOptions {
  /** Pause in ms; absent or 0: none. */
  readonly delayMs?: number | undefined
  /** Why, for the record; at most 1,000 characters. */
  readonly error?: string | undefined
  /**
   * Have the deliveries of the whole subscription stand still for as long; one that stands still for longer already stays
   * so. Needs a delay.
   */
  readonly holdSubscription?: boolean | undefined
}

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

  /** The message is done. */
  ack(): Promise<void> {
    return this.#settle({ type: 'Ack' })
  }

  /** Another attempt after `delayMs`, or by the queue's policy. */
  retry(options: RetryOptions = {}): Promise<void> {
    return this.#settle({ type: 'Retry', delayMs: options.delayMs, error: clip(options.error) })
  }

  /** Lets the lease end `leaseMs` from now. Errors: also `LeaseCapReached`, `LeaseTooShort`. */
  extend(leaseMs: number): Promise<void> {
    return this.#settle({ type: 'Extend', leaseMs })
  }

  /** Gives the message back, at once or after `delayMs`, and the attempt too. Errors: also `InvalidArgument`. */
  async release(options: ReleaseOptions = {}): Promise<void> {
    return this.#settle(releaseOf(options))
  }

  /** Moves the message to the dead-letter queue now. */
  deadLetter(error?: string): Promise<void> {
    return this.#settle({ type: 'DeadLetter', error: clip(error) })
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

/** The settlement that gives messages back. Errors: `InvalidArgument` for a hold without a delay. */
export const releaseOf = ({
  delayMs,
  error,
  holdSubscription = false,
}: ReleaseOptions): Settlement & { readonly type: 'Release' } => {
  if (holdSubscription && !((delayMs ?? 0) > 0))
    throw new KirokuError(
      'InvalidArgument',
      'holdSubscription needs a delay: how long deliveries stand still',
    )
  return { type: 'Release', delayMs, error: clip(error), ...(holdSubscription ? { holdSubscription } : {}) }
}

/** An error text as the record takes it. */
export const clip = (error: string | undefined): string | undefined => error?.slice(0, 1_000)
