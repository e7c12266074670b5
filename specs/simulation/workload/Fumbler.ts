import {
  type Command,
  type CommandOf,
  type CommandType,
  encodeEnvelope,
  isKirokuError,
  messageId,
  partitionOf,
  type QueueConfig,
} from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { ActKind } from '../plan/Act.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by, secondSubscription } from './administer.ts'
import { labelFor } from './labels.ts'

const encoder = new TextEncoder()

/** Whom a wrong request names. */
interface Names {
  /** Mostly an existing queue, sometimes a part of one, sometimes none. */
  readonly queue: string
  readonly subscription: string
  readonly partition: number
  /** Queues there that others there name, which one may not delete by mistake. */
  readonly inUse: readonly string[]
  /** Whether that queue can have no parts elsewhere. */
  readonly isWhole: boolean
  /** Id of a queue, and a number, of which there may be one. */
  readonly id: number
  readonly number: number
}

/** By command: what a confused client asks. None of it changes what others rely on. */
type Mistakes = { readonly [T in CommandType]?: (names: Names) => CommandOf<T>[] }

/** Deeds that change who names whom. */
const changing: ReadonlySet<ActKind> = new Set([
  'configure',
  'recreate',
  'administerDead',
  'damage',
  'loseTail',
])

/**
 * Asks for what is missing, impossible or wrong, and reads everything; nothing may come of it but an answer.
 */
export class Fumbler {
  readonly #world: World
  readonly #name: string
  readonly #chance: Chance
  readonly #caller: Caller
  readonly #mistakes: [CommandType, (names: Names) => Command[]][]
  #sends = 0
  #spares = 0
  /** A send that is repeated long after. */
  #first: { readonly partition: number; readonly command: CommandOf<'Enqueue'> } | undefined

  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
    this.#caller = new Caller(world, name)
    this.#chance = world.chance.stream(name)
    this.#mistakes = Object.entries(this.#table()) as [CommandType, (names: Names) => Command[]][]
  }

  get party() {
    return this.#caller.party
  }

  async run(): Promise<void> {
    const chance = this.#chance
    while (!this.#world.isCalm) {
      const names = this.#names()
      const [, mistakes] = chance.pick(this.#mistakes)
      await this.#try(names.partition, chance.pick(mistakes(names)))
      await this.#world.loop.sleep(chance.pick([0, 20, 100, 400]))
    }
  }

  /** One request, whatever comes of it. */
  async #try(partition: number, command: Command): Promise<void> {
    try {
      await this.#caller.ask<CommandType>(partition, command as never, () => true)
    } catch (error) {
      if (!isKirokuError(error)) throw error
    }
  }

  #names(): Names {
    const { truth, plan } = this.#world
    const chance = this.#chance
    const partition = chance.below(plan.partitions)
    const queues = [...truth.ledgers[partition]!.queues.values()]
    const queue = chance.happens(0.85) && queues.length > 0 ? chance.pick(queues) : undefined
    const { groups = 'none', dedup = 'off' } = queue?.configOf(0) ?? {}
    const numbers = [...(queue?.messages.keys() ?? [])]
    return {
      partition,
      queue: queue?.name ?? 'nowhere',
      inUse: this.#inUse(partition),
      isWhole: queue !== undefined && (groups === 'ordered' || dedup !== 'off'),
      subscription: chance.pick(['main', 'main', secondSubscription, 'nobody']),
      id: queue?.id ?? 999,
      number: numbers.length > 0 && chance.happens(0.8) ? chance.pick(numbers) : 9_999,
    }
  }

  /** Nothing that happens meanwhile may make it possible to delete one. */
  #inUse(partition: number): string[] {
    const { plan } = this.#world
    if (plan.acts.some(({ kind }) => changing.has(kind))) return []
    const here = plan.queues.filter((q) => partitionOf(q.name, plan.partitions) === partition)
    return here.flatMap(({ name }) => (here.some((q) => q.deadLetter === name) ? [name] : []))
  }

  #table(): Mistakes {
    const { plan, log } = this.#world
    const settle = ({ id, number }: Names) => {
      const items = (numbers: number[], delivery = 999_999) => [{ queue: id, sub: 0, delivery, numbers }]
      // Of deliveries that there will never be: whoever makes one up that was has its receipt.
      return [items([number, 1]), items([number, 1], -1), items([0, 0]), items([1])]
    }
    const wrong: Partial<QueueConfig>[] = [{ leaseMs: -1 }, { retriesMax: 0.5 }, { dedup: 'never' as never }]
    return {
      Enqueue: ({ queue, partition }) => {
        const send = { type: 'Enqueue' as const, queue, producer: this.#name, messages: [this.#body()] }
        this.#first ??= { partition, command: { ...send, send: ++this.#sends, messages: [this.#body()] } }
        return [
          { ...send, send: ++this.#sends },
          { ...send, send: -1 },
          { ...send, send: ++this.#sends, messages: [] },
          { ...send, send: ++this.#sends, tags: ['a|b'] },
          { ...send, send: ++this.#sends, delayMs: -7 },
          { ...send, send: ++this.#sends, messages: [Uint8Array.of(255)] },
          { ...send, send: ++this.#sends, messages: [new Uint8Array(plan.recordBytesMax)] },
          // So many later that the ones before are too long ago.
          { ...send, send: (this.#sends += 100) },
          ...(this.#first?.partition === partition ? [this.#first.command, this.#first.command] : []),
        ]
      },
      Recall: ({ id, number }) => [
        { type: 'Recall', queue: id, number: 9_999, producer: this.#name, send: ++this.#sends, by },
        { type: 'Recall', queue: 999, number, producer: this.#name, send: ++this.#sends, by },
        { type: 'Recall', queue: id, number, producer: this.#name, send: 0, by },
      ],
      Reschedule: ({ id, number }) => {
        const one = { type: 'Reschedule' as const, queue: id, producer: this.#name, by }
        return [
          { ...one, number: 9_999, delayMs: 5, send: ++this.#sends },
          { ...one, number, send: ++this.#sends },
          { ...one, number, send: 0, delayMs: 5 },
        ]
      },
      Receive: ({ queue, subscription }) => {
        const one = { type: 'Receive' as const, queue, consumer: this.#name, mode: 'simple' as const }
        const poll = `${this.#name} ${++this.#sends}`
        // Nobody would work on what it gets.
        return [
          { ...one, poll, subscription, max: 0 },
          { ...one, poll, subscription: 'nobody', max: 1 },
          { ...one, poll, subscription, max: 1, waitMs: -1 },
          { ...one, poll, subscription, max: 1, attempt: 'x'.repeat(200) },
          // Too short, or over at once.
          { ...one, poll, subscription, max: 1, leaseMs: 1 },
          { ...one, poll, queue: 'nowhere', max: 1 },
        ]
      },
      CancelReceive: () => [{ type: 'CancelReceive', poll: 'nobody’s' }],
      Ack: (names) => settle(names).map((items) => ({ type: 'Ack', items })),
      Retry: (names) =>
        settle(names).map((items, i) => ({ type: 'Retry', items, delayMs: i === 0 ? -1 : 0 })),
      Extend: (names) =>
        settle(names).map((items, i) => ({ type: 'Extend', items, leaseMs: i === 0 ? -1 : 5 })),
      Release: (names) =>
        settle(names).map((items, i) => ({
          type: 'Release',
          items,
          ...(i === 0 ? { holdSubscription: true } : {}),
        })),
      DeadLetter: (names) => settle(names).map((items) => ({ type: 'DeadLetter', items })),
      CreateQueue: ({ queue }) => [
        { type: 'CreateQueue', queue: 'no name', config: {}, by },
        { type: 'CreateQueue', queue, config: { retriesMax: 77 }, by, dryRun: true },
        ...wrong.map((config) => ({ type: 'CreateQueue' as const, queue, config, by })),
        {
          type: 'CreateQueue',
          queue,
          config: {},
          by,
          dryRun: true,
          applied: { source: 'x'.repeat(200), digest: '' },
        },
        // Nobody looks after it, so that it ends by itself.
        ...[1, 2, 3, 4].map(() => ({
          type: 'CreateQueue' as const,
          queue: `spare-${this.#spares++ % 12}`,
          config: { idleMs: 1_000 },
          by,
        })),
      ],
      ConfigureQueue: ({ queue }) => [
        { type: 'ConfigureQueue', queue, config: { retriesMax: 7 }, by, dryRun: true },
        { type: 'ConfigureQueue', queue, config: { groups: 'fair', dedup: 'off' }, by, dryRun: true },
        { type: 'ConfigureQueue', queue, config: { retentionMs: 13 * 86_400_000 }, by, dryRun: true },
        {
          type: 'ConfigureQueue',
          queue,
          config: {},
          by,
          dryRun: true,
          applied: { source: 'x'.repeat(200), digest: '' },
        },
      ],
      DeleteQueue: ({ inUse }) => [
        { type: 'DeleteQueue', queue: 'nowhere', by },
        ...inUse.map((queue) => ({ type: 'DeleteQueue' as const, queue, by })),
      ],
      PurgeQueue: () => [{ type: 'PurgeQueue', queue: 'nowhere', by }],
      PauseDelivery: ({ queue }) => [
        { type: 'PauseDelivery', queue: 'nowhere', by },
        { type: 'PauseDelivery', queue, subscription: 'nobody', by },
      ],
      ResumeDelivery: ({ queue, subscription }) => [
        { type: 'ResumeDelivery', queue: 'nowhere', by },
        { type: 'ResumeDelivery', queue, subscription, by },
      ],
      CreateSubscription: ({ queue, subscription }) => {
        const one = { type: 'CreateSubscription' as const, queue, by, dryRun: true }
        return [
          { ...one, subscription, settings: { retriesMax: 5 } },
          { ...one, subscription: 'third', settings: {} },
          { ...one, subscription: 'third', settings: { groups: 'fair' } as never },
          { ...one, subscription: 'third', settings: {}, start: { number: 1 } },
          { ...one, subscription: 'third', settings: {}, start: { number: -1 } },
          { ...one, subscription: 'no name', settings: {} },
        ]
      },
      ConfigureSubscription: ({ queue, subscription }) => {
        const one = { type: 'ConfigureSubscription' as const, queue, subscription, by, dryRun: true }
        return [
          { ...one, settings: { retriesMax: 5 } },
          { ...one, settings: { retriesMax: -1 } },
        ]
      },
      ResetSubscription: ({ queue, subscription }) => [
        { type: 'ResetSubscription', queue, subscription: 'nobody', by },
        { type: 'ResetSubscription', queue, subscription, start: { number: -1 }, by },
        { type: 'ResetSubscription', queue, subscription, start: { time: -1 }, by },
        // It is not that generation any more.
        { type: 'ResetSubscription', queue, subscription, sub: 999, by },
      ],
      DeleteSubscription: ({ queue }) => [
        { type: 'DeleteSubscription', queue, subscription: 'nobody', by },
        { type: 'DeleteSubscription', queue: 'nowhere', subscription: secondSubscription, by },
      ],
      SpreadQueue: ({ queue, partition, isWhole }) => [
        { type: 'SpreadQueue', queue, partitions: [partition, partition], by },
        { type: 'SpreadQueue', queue, partitions: isWhole ? [(partition + 1) % plan.partitions] : [-1], by },
      ],
      StartRedrive: ({ queue, subscription, id, partition }) => {
        const request = `${this.#name} ${++this.#sends}`
        const one = { type: 'StartRedrive' as const, queue, subscription, request, by, dryRun: true }
        return [
          { ...one, to: 'origin' },
          { ...one, to: 'origin', rateMax: 0 },
          { ...one, to: { name: queue, partition, queue: id } },
        ]
      },
      CancelRedrive: ({ queue, subscription }) => [
        { type: 'CancelRedrive', queue, subscription, task: 9_999, by },
      ],
      DescribeRedrives: ({ queue }) => [{ type: 'DescribeRedrives', queue }],
      Erase: ({ queue, id, number }) => {
        const erase = { type: 'Erase' as const, queue, by: { ...by, reason: 'by mistake' } }
        return [
          { ...erase, by, message: { queue: id, number } },
          { ...erase },
          { ...erase, message: { queue: id, number: 9_999 } },
        ]
      },
      EditBody: ({ queue, id, number, partition }) => {
        const { incarnation } = log.meta
        const right = messageId({ incarnation, partition, queue: id, number })
        const wrongId = messageId({ incarnation, partition, queue: id, number: number + 1 })
        const one = { type: 'EditBody' as const, queue, number, by }
        return [
          { ...one, messageId: wrongId, body: encoder.encode('wrong') },
          { ...one, messageId: right, body: new Uint8Array(plan.recordBytesMax) },
        ]
      },
      DescribeQueue: ({ queue }) => [{ type: 'DescribeQueue', queue }],
      ListQueues: () => [{ type: 'ListQueues' }],
      DescribeGroups: ({ queue, subscription }) => [{ type: 'DescribeGroups', queue, subscription }],
      DescribePartition: () => [{ type: 'DescribePartition' }],
      ConfirmClock: () => [{ type: 'ConfirmClock', clock: 'sundial' as never, by }],
      RaiseClusterVersion: () =>
        [1, 1.5, 99].map((version) => ({ type: 'RaiseClusterVersion', version, by })),
      FollowPartition: () => [
        { type: 'FollowPartition', follower: `${this.#name} ${this.#sends % 2}`, since: 0 },
      ],
      Forward: ({ id }) => [
        {
          type: 'Forward',
          from: { partition: 0, queue: 1 },
          target: id,
          forward: 0,
          messages: [this.#body()],
          enqueuedAt: [0],
        },
      ],
      ForgetLanes: () => [{ type: 'ForgetLanes', from: 0, lanes: [1], first: 1 }],
    }
  }

  #body(): Uint8Array {
    return encodeEnvelope(encoder.encode(labelFor(this.#name, this.#sends, 0).padEnd(40)))
  }
}
