import { type Answer, errorFromWire, KirokuError, partitionOf, type QueueConfig } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import type { Route } from './Owner.ts'

/** A queue to which messages may go, as it was when last looked up. */
export interface RedriveTarget {
  readonly name: string
  readonly partition: number
  readonly queue: number
  readonly subscriptions: ReadonlySet<string>
  /** What edited bodies must fit. */
  readonly bodySchema: QueueConfig['bodySchema']
  /** Whether bodies that were not edited must fit it, too. */
  readonly checksAll: boolean
  /** How long it keeps messages from their first send on, in ms; absent: from their arrival. */
  readonly originalRetentionMs?: number
}

/** Finds queues by name, in whatever partition they are. */
export class RedriveTargets {
  readonly #route: Route
  readonly #partitions: number
  readonly #nowMs: () => number
  readonly #known = new Map<string, { readonly atMs: number; readonly target: RedriveTarget | undefined }>()

  constructor(route: Route, partitions: number, nowMs: () => number) {
    this.#route = route
    this.#partitions = partitions
    this.#nowMs = nowMs
  }

  /** The queue of that name; undefined when there is none. Errors: those of asking its partition. */
  async find(name: string): Promise<RedriveTarget | undefined> {
    const known = this.#known.get(name)
    if (known !== undefined && this.#nowMs() - known.atMs < limits.redriveTargetMs) return known.target
    const reply = await this.#route(partitionOf(name, this.#partitions), [
      { type: 'DescribeQueue', queue: name },
    ])
    const target = targetOf(reply.answers[0] as Answer<'DescribeQueue'> | undefined)
    this.#known.set(name, { atMs: this.#nowMs(), target })
    return target
  }
}

const targetOf = (answer: Answer<'DescribeQueue'> | undefined): RedriveTarget | undefined => {
  if (answer === undefined) throw new KirokuError('Internal', 'the reply holds no answer')
  if (answer.error?.id === 'UnknownQueue') return undefined
  if (answer.error !== undefined) throw errorFromWire(answer.error)
  const { name, partition, queue, config, subscriptions } = answer.ok
  return {
    name,
    partition,
    queue,
    subscriptions: new Set(subscriptions.map((s) => s.name)),
    // An older node does not know the setting.
    bodySchema: (config as Partial<QueueConfig>).bodySchema ?? null,
    checksAll: (config as Partial<QueueConfig>).bodyCheck === 'all',
    ...(config.retentionFrom === 'original' ? { originalRetentionMs: config.retentionMs } : {}),
  }
}
