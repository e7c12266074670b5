import {
  type Actor,
  type CommandOf,
  KirokuError,
  type RedriveDescription,
  type RedriveTo,
} from '@kiroku/protocol'
import type { PartitionClient } from './PartitionClient.ts'
import type { RedriveOptions } from './Queues.ts'
import { limits } from './limits.ts'

/** What redrives need of the administration of queues. */
interface RedriveContext {
  readonly partitionOf: (queue: string) => Promise<PartitionClient>
  readonly addressOf: (queue: string) => Promise<{ readonly partition: number; readonly queue: number }>
}

/** Starts, follows and ends redrives. */
export class Redrives {
  readonly #context: RedriveContext

  constructor(context: RedriveContext) {
    this.#context = context
  }

  async start(queue: string, options: RedriveOptions, by: Actor): Promise<RedriveDescription> {
    const { link } = await this.#context.partitionOf(queue)
    const { to, ...rest } = options
    const command: CommandOf<'StartRedrive'> = {
      type: 'StartRedrive',
      queue,
      // The same in every repeat, so that a repeat finds the task of the first.
      request: crypto.randomUUID(),
      to: await this.#target(to),
      ...rest,
      by,
    }
    const { redrive } = await link.ask<'StartRedrive'>(command)
    return options.dryRun === true ? this.#counted(command, redrive) : redrive
  }

  /** A dry run lives with its owner: after a change of owner it starts again. */
  async #counted(command: CommandOf<'StartRedrive'>, begun: RedriveDescription): Promise<RedriveDescription> {
    const { link } = await this.#context.partitionOf(command.queue)
    let redrive = begun
    for (let pauseMs: number = limits.redrivePollMsMin; redrive.state === 'running';) {
      await link.pause(pauseMs)
      pauseMs = Math.min(2 * pauseMs, limits.redrivePollMsMax)
      redrive = (await link.ask<'StartRedrive'>(command)).redrive
    }
    if (redrive.state === 'failed') throw new KirokuError('UnknownQueue', redrive.note)
    return redrive
  }

  async list(queue: string): Promise<RedriveDescription[]> {
    const { link } = await this.#context.partitionOf(queue)
    return [...(await link.ask<'DescribeRedrives'>({ type: 'DescribeRedrives', queue })).redrives]
  }

  async cancel(
    queue: string,
    options: { readonly subscription?: string; readonly task?: number },
    by: Actor,
  ): Promise<RedriveDescription> {
    const { link } = await this.#context.partitionOf(queue)
    const command: CommandOf<'CancelRedrive'> = { type: 'CancelRedrive', queue, ...options, by }
    const { redrive } = await link.ask<'CancelRedrive'>(command, { doneAfterDoubt: 'UnknownRedrive' })
    // The answer of the first try was lost: the task that it ended is the last one.
    return (redrive as RedriveDescription | undefined) ?? (await this.list(queue))[0]!
  }

  async #target(name: string | undefined): Promise<RedriveTo> {
    if (name === undefined) return 'origin'
    const { partition, queue } = await this.#context.addressOf(name)
    return { partition, queue, name }
  }
}
