import {
  type Actor,
  type Answers,
  checkQueueName,
  type CommandOf,
  type StartPosition,
} from '@kiroku/protocol'
import type { ChangeOptions, DeadLetterQueues } from './DeadLetterQueues.ts'
import type { PartitionClient } from './PartitionClient.ts'
import type { SubscriptionSettings } from './QueueSettings.ts'
import type { Subscriptions } from './Subscriptions.ts'

/** What the administration of subscriptions needs from that of queues. */
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
    { start, ...settings }: SubscriptionSettings & { readonly start?: StartPosition } = {},
    by = this.#context.actor,
  ) {
    checkQueueName(subscription)
    const how = { by, start }
    const { created } = await this.change('CreateSubscription', queue, subscription, settings, how)
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

  async reset(
    queue: string,
    subscription: string,
    start: StartPosition = 'latest',
    by = this.#context.actor,
  ): Promise<void> {
    const { link } = await this.#partition(queue)
    // Repeated after a lost answer, it must not end the new generation as well.
    const { subscriptions } = await link.ask<'DescribeQueue'>({ type: 'DescribeQueue', queue })
    const sub = subscriptions.find(({ name }) => name === subscription)?.sub
    await link.ask<'ResetSubscription'>({
      type: 'ResetSubscription',
      queue,
      subscription,
      start,
      ...(sub === undefined ? {} : { sub }),
      by,
    })
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

  /** Creates or changes a subscription, and its dead-letter queue if that is missing. */
  async change<T extends 'CreateSubscription' | 'ConfigureSubscription'>(
    type: T,
    queue: string,
    subscription: string,
    { deadLetter, ...own }: SubscriptionSettings,
    how: ChangeOptions & { readonly start?: StartPosition | undefined },
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
        ...(how.start === undefined ? {} : { start: how.start }),
        ...(dryRun ? { dryRun } : {}),
      } as CommandOf<T>)
    })
  }
}
