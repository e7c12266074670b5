import type { Actor } from '@kiroku/message'
import { checkQueueName, type Answers, type CommandOf } from '@kiroku/partition'
import type { Subscriptions, SubscriptionSettings } from './Client.ts'
import type { ChangeOptions, DeadLetterQueues } from './DeadLetterQueues.ts'
import type { PartitionClient } from './PartitionClient.ts'

/** What administration of subscriptions needs of that of queues. */
interface SubscriptionContext {
  readonly partitionOf: (queue: string) => Promise<PartitionClient>
  readonly deadLetters: DeadLetterQueues
  readonly actor: Actor
}

/** Administers subscriptions by the names of their queue and their own. */
export class SubscriptionAdministration implements Subscriptions {
  readonly #context: SubscriptionContext

  constructor(context: SubscriptionContext) {
    this.#context = context
  }

  async create(
    queue: string,
    subscription: string,
    settings: SubscriptionSettings = {},
    by = this.#context.actor,
  ) {
    checkQueueName(subscription)
    const { created } = await this.change('CreateSubscription', queue, subscription, settings, { by })
    return { created }
  }

  async update(
    queue: string,
    subscription: string,
    settings: SubscriptionSettings,
    by = this.#context.actor,
  ): Promise<void> {
    await this.change('ConfigureSubscription', queue, subscription, settings, { by })
  }

  async reset(queue: string, subscription: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(queue)
    await link.ask<'ResetSubscription'>({ type: 'ResetSubscription', queue, subscription, by })
  }

  async delete(queue: string, subscription: string, by = this.#context.actor): Promise<void> {
    const command: CommandOf<'DeleteSubscription'> = { type: 'DeleteSubscription', queue, subscription, by }
    const { link } = await this.#partition(queue)
    await link.ask<'DeleteSubscription'>(command, { doneAfterDoubt: 'UnknownSubscription' })
  }

  async pause(queue: string, subscription: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(queue)
    await link.ask<'PauseDelivery'>({ type: 'PauseDelivery', queue, subscription, by })
  }

  async resume(queue: string, subscription: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(queue)
    await link.ask<'ResumeDelivery'>({ type: 'ResumeDelivery', queue, subscription, by })
  }

  #partition(queue: string): Promise<PartitionClient> {
    checkQueueName(queue)
    return this.#context.partitionOf(queue)
  }

  /** Creates or changes a subscription, and its dead-letter queue where that is missing. */
  async change<T extends 'CreateSubscription' | 'ConfigureSubscription'>(
    type: T,
    queue: string,
    subscription: string,
    { deadLetter, ...own }: SubscriptionSettings,
    how: ChangeOptions,
  ): Promise<Answers[T]> {
    const { link } = await this.#partition(queue)
    return this.#context.deadLetters.target(queue, deadLetter, how, (target, dryRun) => {
      const settings = target === undefined ? own : { ...own, deadLetter: target }
      return link.ask<T>({
        type,
        queue,
        subscription,
        settings,
        by: how.by,
        ...(dryRun ? { dryRun } : {}),
      } as CommandOf<T>)
    })
  }
}
