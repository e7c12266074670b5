import {
  type Actor,
  type Answers,
  checkQueueName,
  type CommandOf,
  isKirokuError,
  KirokuError,
  type NamesPage,
  parseMessageId,
  type QueueDescription,
  refuseNamed,
} from '@kiroku/protocol'
import type { Clock } from './Clock.ts'
import { DeadLetterQueues, type ChangeOptions } from './DeadLetterQueues.ts'
import type { PartitionClient } from './PartitionClient.ts'
import type { QueueChange } from './QueueChange.ts'
import type { ApplyOptions, QueueSection, QueueSettings } from './QueueSettings.ts'
import type {
  EraseOptions,
  BodyEdit,
  DiscardedMessages,
  GroupsOptions,
  QueueSurvey,
  Queues,
  RedriveOptions,
  PauseOptions,
} from './Queues.ts'
import { Redrives } from './Redrives.ts'
import { SubscriptionAdministration } from './SubscriptionAdministration.ts'
import { checkAdministration } from './administrationOptions.ts'
import { applySections, type SectionContext } from './applySections.ts'
import { encodeBody } from './encodeMessage.ts'
import { judgeLosses } from './judgeLosses.ts'
import { LossWarnings } from './LossWarnings.ts'
import { limits } from './limits.ts'
import { listQueues } from './listQueues.ts'
import { mergeNames } from './mergeNames.ts'
import { mergeParts, mergeQueues } from './mergeParts.ts'

/** What administration needs of its client. */
interface AdministrationContext {
  readonly partitionOf: (queue: string) => Promise<PartitionClient>
  readonly partitions: () => Promise<readonly PartitionClient[]>
  readonly incarnation: () => Promise<string>
  readonly actor: Actor
  readonly clock: Clock
}

/** Queues that name this one as their dead-letter queue: as many as are worth naming in an error. */
const namersOf = (deadLetter: string): NamesPage => ({ max: limits.describedMax, deadLetter })

/** Administers queues by name. */
export class Administration implements Queues {
  readonly subscriptions: SubscriptionAdministration
  readonly #context: AdministrationContext
  readonly #deadLetters: DeadLetterQueues
  readonly #losses: LossWarnings
  readonly #sections: SectionContext
  readonly #redrives: Redrives

  constructor(context: AdministrationContext) {
    this.#context = context
    const { partitionOf, partitions, actor, clock } = context
    this.#losses = new LossWarnings({
      clock,
      namersOf: (queue) => this.names(namersOf(queue), { patienceMs: limits.partReplyMs }),
      describe: (queue) => this.#describe(queue, limits.partReplyMs),
    })
    this.#deadLetters = new DeadLetterQueues({
      partitions,
      changed: () => this.#losses.forget(),
      describe: (queue) => this.#describe(queue),
      create: (queue, by) => this.create(queue, {}, by),
    })
    this.#sections = {
      find: (queue) => this.#deadLetters.find(queue),
      change: (type, queue, settings, how) => this.#change(type, queue, settings, how),
      tryDeadLetter: (queue, deadLetter, how) =>
        this.#deadLetters.target(queue, deadLetter, { ...how, dryRun: true }, () => Promise.resolve()),
      changeSubscription: (type, queue, name, settings, how) =>
        this.subscriptions.change(type, queue, name, settings, how),
    }
    this.#redrives = new Redrives({ partitions, describe: (queue) => this.#describe(queue) })
    this.subscriptions = new SubscriptionAdministration({
      partitionOf,
      deadLetters: this.#deadLetters,
      actor,
    })
  }

  async create(
    name: string,
    settings: QueueSettings = {},
    by = this.#context.actor,
    options: PauseOptions = {},
  ) {
    checkAdministration('create', options)
    const { created } = await this.#change('CreateQueue', name, settings, { by, ...options })
    return { created }
  }

  async update(name: string, settings: QueueSettings, by = this.#context.actor): Promise<void> {
    await this.#change('ConfigureQueue', name, settings, { by })
  }

  async apply(
    sections: Readonly<Record<string, QueueSection>>,
    options: ApplyOptions,
  ): Promise<QueueChange[]> {
    checkAdministration('apply', options)
    return applySections(this.#sections, sections, { by: this.#context.actor, ...options })
  }

  async delete(name: string, options: { readonly force?: boolean } = {}, by = this.#context.actor) {
    checkAdministration('delete', options)
    const { force = false } = options
    const { link } = await this.#partition(name)
    const command: CommandOf<'DeleteQueue'> = {
      type: 'DeleteQueue',
      queue: name,
      ...(force ? { force } : {}),
      by,
    }
    // A partition knows only its own queues. If another one names it meanwhile, dead letters wait for the
    // name.
    if (!force) refuseNamed(name, await this.names(namersOf(name), { skipsClosed: true }))
    await link.ask<'DeleteQueue'>(command, { doneAfterDoubt: 'UnknownQueue' })
  }

  async purge(name: string, by = this.#context.actor, options: PauseOptions = {}) {
    checkAdministration('purge', options)
    const { pauseMs } = options
    const { link } = await this.#partition(name)
    const command: CommandOf<'PurgeQueue'> = {
      type: 'PurgeQueue',
      queue: name,
      ...(pauseMs === undefined ? {} : { pauseMs }),
      by,
    }
    const { purged = 0 } = await link.ask<'PurgeQueue'>(command, { doneAfterDoubt: 'QueuePurgedRecently' })
    return { purged }
  }

  async erase(name: string, what: EraseOptions, actor = this.#context.actor) {
    checkAdministration('erase', what)
    const { messageId, group, reason } = what
    const by: Actor = { ...actor, reason }
    const command: CommandOf<'Erase'> = {
      type: 'Erase',
      queue: name,
      ...(group === undefined ? {} : { group }),
      by,
    }
    const { discarded } =
      messageId === undefined
        ? await (await this.#partition(name)).link.ask<'Erase'>(command)
        : await this.#eraseMessage(command, messageId)
    return { discarded }
  }

  /** A message is where its id says, also when it was first sent to another part of its queue. */
  async #eraseMessage(command: CommandOf<'Erase'>, id: string): Promise<Answers['Erase']> {
    checkQueueName(command.queue)
    const { incarnation, partition, queue, number } = parseMessageId(id)
    const partitions = await this.#context.partitions()
    if (incarnation !== (await this.#context.incarnation()) || partition >= partitions.length)
      throw new KirokuError('UnknownMessage', `message "${id}" is of another log`)
    return partitions[partition]!.link.ask<'Erase'>({ ...command, message: { queue, number } })
  }

  async pause(name: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(name)
    await link.ask<'PauseDelivery'>({ type: 'PauseDelivery', queue: name, by })
  }

  async resume(name: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(name)
    await link.ask<'ResumeDelivery'>({ type: 'ResumeDelivery', queue: name, by })
  }

  async redrive(name: string, options: RedriveOptions = {}, by = this.#context.actor) {
    checkQueueName(name)
    checkAdministration('redrive', options)
    return this.#redrives.start(name, options, by)
  }

  async redrives(name: string) {
    checkQueueName(name)
    return this.#redrives.list(name)
  }

  async cancelRedrive(
    name: string,
    options: { readonly subscription?: string; readonly task?: number } = {},
    by = this.#context.actor,
  ) {
    checkQueueName(name)
    checkAdministration('cancelRedrive', options)
    return this.#redrives.cancel(name, options, by)
  }

  async discard(name: string, which: DiscardedMessages, by = this.#context.actor) {
    checkAdministration('discard', which)
    const { partition, subscription = 'main', state, numbers } = which
    const link = (await this.#context.partitions())[partition]?.link
    if (link === undefined) throw new KirokuError('InvalidArgument', `this log has no partition ${partition}`)
    const { discarded } = await link.ask<'Discard'>({
      type: 'Discard',
      queue: name,
      subscription,
      state,
      numbers,
      by,
    })
    return { discarded }
  }

  async editBody(name: string, edit: BodyEdit, by = this.#context.actor) {
    checkAdministration('editBody', edit)
    const { number, messageId, body, contentType } = edit
    const { link } = await this.#partition(name)
    const command: CommandOf<'EditBody'> = {
      type: 'EditBody',
      queue: name,
      number,
      messageId,
      body: encodeBody(body),
      ...(contentType === undefined ? {} : { contentType }),
      by,
    }
    const { isEdited } = await link.ask<'EditBody'>(command)
    return { isEdited }
  }

  async describe(name: string, options: { readonly lossWarnings?: boolean } = {}): Promise<QueueDescription> {
    checkAdministration('describe', options)
    const queue = await this.#describe(name)
    if (options.lossWarnings === false) return queue
    return withWarnings(queue, await this.lossWarnings(queue))
  }

  /**
   * Warnings that failed messages of a queue are lost, at once or too early; none if that cannot be
   * determined now.
   */
  async lossWarnings(queue: Pick<QueueDescription, 'name' | 'config' | 'subscriptions'>): Promise<string[]> {
    return this.#losses.of(queue).catch(() => [])
  }

  async #describe(name: string, patienceMs?: number): Promise<QueueDescription> {
    const { link } = await this.#partition(name)
    const command: CommandOf<'DescribeQueue'> = { type: 'DescribeQueue', queue: name }
    const home = await link.ask<'DescribeQueue'>(command, { patienceMs })
    if (home.spread === undefined) return home
    const partitions = await this.#context.partitions()
    const parts = await Promise.all(
      home.spread.parts.map(({ partition }) =>
        partitions[partition]!.link.ask<'DescribeQueue'>(command, { patienceMs: limits.partReplyMs }).catch(
          () => undefined,
        ),
      ),
    )
    return mergeParts(
      home,
      parts.filter((part) => part !== undefined),
    )
  }

  async spread(name: string, count: number, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(name)
    const { length } = await this.#context.partitions()
    if (!(Number.isInteger(count) && count >= 1 && count <= length))
      throw new KirokuError(
        'InvalidArgument',
        `a queue can be on 1 to ${length} partitions of this log, not on ${count}`,
      )
    const partitions = Array.from({ length: count - 1 }, (_, i) => (link.partition + 1 + i) % length)
    await link.ask<'SpreadQueue'>({ type: 'SpreadQueue', queue: name, partitions, by })
  }

  async groups(name: string, options: GroupsOptions = {}) {
    checkAdministration('groups', options)
    const { subscription, max } = options
    const { link } = await this.#partition(name)
    return link.ask<'DescribeGroups'>({
      type: 'DescribeGroups',
      queue: name,
      ...(subscription === undefined ? {} : { subscription }),
      ...(max === undefined ? {} : { max }),
    })
  }

  async names(
    page: NamesPage,
    {
      skipsClosed = false,
      patienceMs,
    }: { readonly skipsClosed?: boolean; readonly patienceMs?: number } = {},
  ): Promise<readonly string[]> {
    checkAdministration('names', page)
    const partitions = await this.#context.partitions()
    const lists = await Promise.all(
      partitions.map(({ link }) =>
        link.ask<'ListQueues'>({ type: 'ListQueues', page }, { patienceMs }).catch((error: unknown) => {
          if (!skipsClosed || !isKirokuError(error) || error.id !== 'Quarantined') throw error
          return { queues: [] }
        }),
      ),
    )
    return mergeNames(lists, page)
  }

  /** Takes no options: a caller who passes some expects fewer queues than all. */
  async list(options: object = {}): Promise<QueueDescription[]> {
    checkAdministration('list', options)
    const { queues, closed } = await this.#read()
    if (closed.length > 0) throw closed[0]!.error
    return queues
  }

  async survey(): Promise<QueueSurvey> {
    const { queues, closed, isAny } = await this.#read()
    if (!isAny && closed.length > 0) throw closed[0]!.error
    return {
      queues,
      missing: closed.map(({ partition, error: { id, message, help } }) => ({
        partition,
        problem: { id, message, help },
      })),
    }
  }

  /** The answers of the partitions that are not closed. */
  async #read() {
    const partitions = await this.#context.partitions()
    const closed: { readonly partition: number; readonly error: KirokuError }[] = []
    const lists = await Promise.all(
      partitions.map(({ link }) =>
        listQueues((command) => link.ask<'ListQueues'>(command)).catch((error: unknown) => {
          if (!isKirokuError(error) || error.id !== 'Quarantined') throw error
          closed.push({ partition: link.partition, error })
          return []
        }),
      ),
    )
    closed.sort((a, b) => a.partition - b.partition)
    const queues = mergeQueues(lists.flat())
    const judge = closed.length === 0 ? judgeLosses(queues) : () => []
    return {
      queues: queues.map((queue) => withWarnings(queue, judge(queue))),
      closed,
      isAny: closed.length < partitions.length,
    }
  }

  #partition(name: string): Promise<PartitionClient> {
    checkQueueName(name)
    return this.#context.partitionOf(name)
  }

  async #change<T extends 'CreateQueue' | 'ConfigureQueue'>(
    type: T,
    name: string,
    { deadLetter, notes, ...settings }: QueueSettings,
    how: ChangeOptions,
  ): Promise<Answers[T]> {
    const { link } = await this.#partition(name)
    return this.#deadLetters.target(name, deadLetter, how, async (target, dryRun) => {
      const config = target === undefined ? settings : { ...settings, deadLetter: target }
      const { by, applied, pauseMs } = how
      const answer: Answers['CreateQueue' | 'ConfigureQueue'] = await link.ask<T>({
        type,
        queue: name,
        config,
        ...(notes === undefined ? {} : { notes: Object.entries(notes) }),
        by,
        ...(applied === undefined ? {} : { applied }),
        ...(dryRun ? { dryRun } : {}),
        ...(pauseMs === undefined ? {} : { pauseMs }),
      } as CommandOf<T>)
      if (notes !== undefined && answer.noted !== true)
        throw new KirokuError(
          'NotFinalized',
          `partition ${link.partition} is owned by a node that keeps no notes`,
        )
      return answer as Answers[T]
    })
  }
}

const withWarnings = (queue: QueueDescription, found: readonly string[]): QueueDescription =>
  found.length === 0 ? queue : { ...queue, warnings: [...queue.warnings, ...found] }
