import {
  type Actor,
  type CommandOf,
  isKirokuError,
  KirokuError,
  mainSubscription,
  type PartDescription,
  type QueueDescription,
  type RedriveDescription,
  type RedriveTo,
} from '@kiroku/protocol'
import type { PartitionClient } from './PartitionClient.ts'
import type { PartitionLink } from './PartitionLink.ts'
import type { RedriveOptions } from './Queues.ts'
import { limits } from './limits.ts'
import { isSame, mergeRedrives, mergeTasks } from './mergeRedrives.ts'
import { shareRedrive } from './shareRedrive.ts'

/** What redrives need of the administration of queues. */
interface RedriveContext {
  readonly partitions: () => Promise<readonly PartitionClient[]>
  readonly describe: (queue: string) => Promise<QueueDescription>
}

/** Where messages of a queue are. */
interface Place {
  readonly link: PartitionLink
  /** Messages of the subscription `main` that can be moved now; infinite: that is not known. */
  readonly available: number
}

/**
 * Starts, follows and ends redrives. Of a queue that is spread each part has a task of its own with the same request, and all of
 * them are told as the one of the home.
 */
export class Redrives {
  readonly #context: RedriveContext

  constructor(context: RedriveContext) {
    this.#context = context
  }

  async start(queue: string, options: RedriveOptions, by: Actor): Promise<RedriveDescription> {
    const { to, ...rest } = options
    const places = await this.#places(queue)
    const command: CommandOf<'StartRedrive'> = {
      type: 'StartRedrive',
      queue,
      // The same in every repeat, so that a repeat finds the task of the first.
      request: crypto.randomUUID(),
      to: await this.#target(to),
      ...rest,
      by,
    }
    // Messages are selected by numbers, which each part has of its own.
    if (places.length > 1 && options.selection === undefined) return this.#startAll(command, places)
    return withoutRequest(await this.#startAt(places[0]!.link, command))
  }

  async #startAll(command: CommandOf<'StartRedrive'>, places: readonly Place[]): Promise<RedriveDescription> {
    const { queue, subscription = mainSubscription, dryRun = false, by } = command
    const { rateMax: _rate, messagesMax: _messages, ...rest } = command
    const running = await this.#running(queue, places, subscription)
    if (running !== undefined && !dryRun)
      throw new KirokuError('RedriveRunning', `redrive ${running.task} of queue "${queue}" is not done yet`)
    const shares = shareRedrive(
      command,
      places.map(({ available }) => (subscription === mainSubscription ? available : Infinity)),
    )
    const startAt = (i: number): Promise<RedriveDescription> =>
      this.#startAt(places[i]!.link, { ...rest, ...shares[i], part: true })
    // A dry run resolves when it is done, and needs no home first: nobody else is told of it.
    const others = (): Promise<RedriveDescription[]> =>
      Promise.all(shares.flatMap((share, i) => (i > 0 && share !== undefined ? [startAt(i)] : [])))
    if (dryRun) {
      const [own, more] = await Promise.all([startAt(0), others()])
      return mergeTasks(own, more)
    }
    // By the task of the home the others are found.
    const own = await startAt(0)
    try {
      return mergeTasks(own, await others())
    } catch (error) {
      await this.cancel(queue, { subscription, task: own.task }, by).catch(() => undefined)
      throw error
    }
  }

  async #startAt(link: PartitionLink, command: CommandOf<'StartRedrive'>): Promise<RedriveDescription> {
    let { redrive } = await link.ask<'StartRedrive'>(command)
    if (command.dryRun !== true) return redrive
    // A dry run lives with its owner: after a change of owner it starts again.
    for (let pauseMs: number = limits.redrivePollMsMin; redrive.state === 'running';) {
      await link.pause(pauseMs)
      pauseMs = Math.min(2 * pauseMs, limits.redrivePollMsMax)
      redrive = (await link.ask<'StartRedrive'>(command)).redrive
    }
    if (redrive.state === 'failed') throw new KirokuError('UnknownQueue', redrive.note)
    return redrive
  }

  async list(queue: string): Promise<RedriveDescription[]> {
    const [home, ...parts] = await this.#tasks(queue, await this.#places(queue))
    return mergeRedrives(home!, parts)
  }

  async cancel(
    queue: string,
    options: { readonly subscription?: string; readonly task?: number },
    by: Actor,
  ): Promise<RedriveDescription> {
    const { subscription = mainSubscription } = options
    const places = await this.#places(queue)
    const [home, ...parts] = places.length > 1 ? await this.#tasks(queue, places) : []
    const meant = options.task ?? (home && (await this.#running(queue, places, subscription))?.task)
    const own = home?.find((each) => each.task === meant && each.subscription === subscription)
    for (const [i, part] of parts.entries()) {
      const task = own && part.find((each) => isSame(each, own) && each.state === 'running')
      if (task !== undefined) await this.#cancelAt(places[i + 1]!.link, queue, task, by)
    }
    const command: CommandOf<'CancelRedrive'> = {
      type: 'CancelRedrive',
      queue,
      ...options,
      ...(own === undefined || own.dryRun ? {} : { task: own.task }),
      by,
    }
    const { redrive } = await places[0]!.link.ask<'CancelRedrive'>(command, {
      doneAfterDoubt: 'UnknownRedrive',
    })
    // The answer of the first try was lost: the task that it ended is the last one.
    const ended = (redrive as RedriveDescription | undefined) ?? (await this.list(queue))[0]!
    if (own === undefined) return withoutRequest(ended)
    return (await this.list(queue)).find(({ task }) => task === own.task) ?? withoutRequest(ended)
  }

  async #cancelAt(
    link: PartitionLink,
    queue: string,
    { task, subscription, dryRun }: RedriveDescription,
    by: Actor,
  ): Promise<void> {
    const command: CommandOf<'CancelRedrive'> = {
      type: 'CancelRedrive',
      queue,
      subscription,
      ...(dryRun ? {} : { task }),
      by,
    }
    await link.ask<'CancelRedrive'>(command, { doneAfterDoubt: 'UnknownRedrive' }).catch((error: unknown) => {
      // It ended meanwhile, or its part did.
      if (!isKirokuError(error) || !['UnknownRedrive', 'UnknownQueue'].includes(error.id)) throw error
    })
  }

  /** The task on record that runs for a subscription. */
  async #running(
    queue: string,
    places: readonly Place[],
    subscription: string,
  ): Promise<RedriveDescription | undefined> {
    const [home, ...parts] = await this.#tasks(queue, places)
    return mergeRedrives(home!, parts).find(
      (each) => each.state === 'running' && each.subscription === subscription && !each.dryRun,
    )
  }

  /** The tasks of the home, and those of each part. */
  #tasks(queue: string, places: readonly Place[]): Promise<readonly (readonly RedriveDescription[])[]> {
    return Promise.all(
      places.map(async ({ link }, i) => {
        const asked = link.ask<'DescribeRedrives'>({ type: 'DescribeRedrives', queue })
        // A part may go at any time.
        const none = (error: unknown) => {
          if (i > 0 && isKirokuError(error) && error.id === 'UnknownQueue') return { redrives: [] }
          throw error
        }
        return (await asked.catch(none)).redrives
      }),
    )
  }

  /** The home first. Errors: `UnknownQueue`. */
  async #places(queue: string): Promise<readonly Place[]> {
    const [partitions, { partition, queue: id, spread }] = await Promise.all([
      this.#context.partitions(),
      this.#context.describe(queue),
    ])
    const home: PartDescription = { partition, queue: id, state: 'home' }
    const parts = spread?.parts.filter((part) => part.queue > 0) ?? []
    return (parts.length === 0 ? [home] : parts).map((part) => ({
      link: partitions[part.partition]!.link,
      available: part.counts?.available ?? Infinity,
    }))
  }

  async #target(name: string | undefined): Promise<RedriveTo> {
    if (name === undefined) return 'origin'
    const { partition, queue } = await this.#context.describe(name)
    return { partition, queue, name }
  }
}

/** What its parts are known by is nothing to those who ask. */
const withoutRequest = ({ request: _, ...redrive }: RedriveDescription): RedriveDescription => redrive
