import {
  type Command,
  type CommandOf,
  defaultQueueConfig,
  type QueueConfig,
  type SettleItem,
} from '@kiroku/protocol'
import type { LawSub } from './ReferenceQueue.ts'
import { numbersOf, type TestPartition } from './TestPartition.ts'
import type { pick } from './arbitraryTurns.ts'
import { type Op, type Value } from './arbitraryTurns.ts'

export const by = { name: 'tester', origin: 'test' }

// --- Fitting it.

/** What clients remember. */
export class Clients {
  readonly deliveries: SettleItem[] = []
  /** What came of a subscription since its rate was first seen. */
  readonly paces = new Map<LawSub, { readonly rateMax: number; readonly since: number; count: number }>()
  readonly #sends = new Map<number, CommandOf<'Enqueue' | 'Recall' | 'Reschedule'>[]>()
  readonly #forwards = new Map<string, number>()
  #messages = 0
  #polls = 0
  #redrives = 0
  /** Attempt ids that got something, and the receives by their ids. */
  readonly got: string[] = []
  readonly #receives = new Map<string, CommandOf<'Receive'>>()
  /** Groups that receives asked for, by their tokens. */
  readonly groups = new Map<number, string>()

  #body(bytes: number): Uint8Array {
    const body = new Uint8Array(Math.max(4, bytes))
    new DataView(body.buffer).setUint32(0, ++this.#messages)
    return body
  }

  command(o: Op, p: TestPartition): Command {
    switch (o.op) {
      case 'send':
        return this.#send(o, p.state.names.get(o.queue)?.config ?? defaultQueueConfig)
      case 'receive': {
        const { op: _, poll, isNamed, only, batchWaitMs, ...rest } = o
        const hasGroups = (p.state.names.get(o.queue)?.config.groups ?? 'none') !== 'none'
        const group = hasGroups ? only : undefined
        const waits = group === undefined ? batchWaitMs : undefined
        if (poll === 'new') this.#polls++
        const attempt = isNamed ? `attempt ${this.#receives.size}` : undefined
        const asked = { consumer: 'c', poll: `poll ${this.#polls}`, attempt, group, batchWaitMs: waits }
        const command = { type: 'Receive', ...asked, ...rest }
        const receive = stripped(command) as CommandOf<'Receive'>
        if (attempt !== undefined) this.#receives.set(attempt, receive)
        return receive
      }
      case 'repeat': {
        const before = this.#receives.get(this.got.at(-1 - o.pick) ?? '')
        return before === undefined ? { type: 'ListQueues' } : { ...before, poll: `poll ${++this.#polls}` }
      }
      case 'settle':
        return stripped({
          type: o.type,
          items: o.picks.flatMap((x) => this.#item(x)),
          delayMs: o.type === 'Retry' ? o.delayMs : undefined,
          leaseMs: o.type === 'Extend' ? o.leaseMs : undefined,
        })
      case 'defer':
        return stripped({
          type: 'Release',
          items: o.picks.flatMap((x) => this.#item(x)),
          delayMs: o.delayMs,
          holdSubscription: o.holds && o.delayMs > 0 ? true : undefined,
        })
      case 'cancel':
        return { type: 'CancelReceive', poll: `poll ${o.pick % (this.#polls + 1)}` }
      case 'revise':
        return this.#revise(o, p)
      case 'forward':
        return this.#forward(o, p)
      case 'redrive':
        return this.#redrive(o)
      case 'purge':
        return { type: 'PurgeQueue', queue: o.queue, by }
      case 'discard': {
        const { queue, subscription, state, numbers } = o
        return { type: 'Discard', queue, subscription, state, numbers: [...numbers], by }
      }
      case 'delete':
        return { type: 'DeleteQueue', queue: o.queue, by }
      case 'create':
        return stripped({ type: 'CreateQueue', queue: o.queue, config: o.config, notes: o.notes, by })
      case 'configure':
        return stripped({ type: 'ConfigureQueue', queue: o.queue, config: o.config, notes: o.notes, by })
      case 'pause':
        return stripped({
          type: o.on ? 'PauseDelivery' : 'ResumeDelivery',
          queue: o.queue,
          subscription: o.subscription,
          by,
        })
      case 'subscribe':
        return subscribed(o, p)
      case 'list':
        return { type: 'ListQueues' }
      case 'garbage':
        return garbled(o)
    }
  }

  #sendsOf(producer: number): CommandOf<'Enqueue' | 'Recall' | 'Reschedule'>[] {
    const sends = this.#sends.get(producer) ?? []
    this.#sends.set(producer, sends)
    return sends
  }

  #revise(o: Extract<Op, { op: 'revise' }>, p: TestPartition): Command {
    const { items } = p.state.delayedRuns
    const d = o.isAstray ? undefined : items[o.pick % Math.max(1, items.length)]
    const sends = this.#sendsOf(o.producer)
    const command: CommandOf<'Recall'> = {
      type: 'Recall',
      queue: d?.queue.id ?? 1,
      number: d === undefined ? o.pick % 20 : d.first + (o.pick % p.state.runs.count(d.run)),
      producer: `p${o.producer}`,
      send: sends.length + 1,
      by,
    }
    if (o.how === 'Recall') {
      sends.push(command)
      return command
    }
    const to = 'delayMs' in o.to ? o.to : { dueAt: p.now + o.to.atMs }
    const moved = { ...command, type: 'Reschedule' as const, ...to }
    sends.push(moved)
    return moved
  }

  #send(o: Extract<Op, { op: 'send' }>, { groups, dedup }: QueueConfig): Command {
    const before = this.#sendsOf(o.producer)
    const repeated = before[before.length - o.again]
    if (o.again > 0 && repeated !== undefined) return repeated
    const command = stripped({
      type: 'Enqueue',
      queue: o.queue,
      producer: `p${o.producer}`,
      send: before.length + 1,
      messages: Array.from({ length: o.count }, (_, i) =>
        o.sames === undefined ? this.#body(o.bytes) : new Uint8Array(9).fill(o.sames[i]!, 1),
      ),
      delayMs: o.delayMs,
      delaysMs: o.delaysMs,
      tags: o.tags === undefined ? undefined : Array.from({ length: o.count }, (_, i) => o.tags![i] ?? ''),
      groups: groups === 'none' ? undefined : o.groups.slice(0, o.count),
      dedupIds:
        dedup === 'id' || (dedup === 'content' && o.sames === undefined)
          ? o.dedupIds.slice(0, o.count)
          : undefined,
    }) as CommandOf<'Enqueue'>
    before.push(command)
    return command
  }

  #redrive({ queue, subscription, how, ...asked }: Extract<Op, { op: 'redrive' }>): Command {
    if (how === 'cancel') return stripped({ type: 'CancelRedrive', queue, subscription, by })
    if (how === 'describe') return { type: 'DescribeRedrives', queue }
    if (how === 'start') this.#redrives++
    const request = `redrive ${this.#redrives}`
    return stripped({ type: 'StartRedrive', queue, subscription, request, ...asked, by })
  }

  #item(x: Value<typeof pick>): SettleItem[] {
    const d =
      this.deliveries[
        this.deliveries.length - 1 - (x.delivery % Math.max(1, Math.min(8, this.deliveries.length)))
      ]
    if (d === undefined) return []
    const all = numbersOf(d.numbers)
    const chosen = x.places.flatMap((place) => [all[place % all.length]!, 1])
    const item = { ...d, numbers: x.whole ? d.numbers : chosen }
    if (x.bend === 'queue') return [{ ...item, queue: item.queue + 1 }]
    if (x.bend === 'sub') return [{ ...item, sub: 1 }]
    if (x.bend === 'delivery') return [{ ...item, delivery: item.delivery + (x.places[0]! - 4) }]
    if (x.bend === 'numbers')
      return [{ ...item, numbers: item.numbers.map((n, i) => (i % 2 === 0 ? n + 3 : n)) }]
    return [item]
  }

  #forward(o: Extract<Op, { op: 'forward' }>, p: TestPartition): CommandOf<'Forward'> {
    const target = p.state.names.get(o.queue)?.id ?? 1
    const key = `${o.from}>${target}`
    const next = this.#forwards.get(key) ?? 1
    const forward = Math.max(1, next - o.back)
    this.#forwards.set(key, forward + o.count)
    return {
      type: 'Forward',
      from: { partition: 9, queue: o.from + 1 },
      target,
      forward,
      messages: Array.from({ length: o.count }, () => this.#body(8)),
      enqueuedAt: Array.from({ length: o.count }, (_, i) => p.now - o.ageMs + i),
      ...(o.only === '' ? {} : { subscriptions: Array.from({ length: o.count }, () => o.only) }),
    }
  }
}

const subscribed = (o: Extract<Op, { op: 'subscribe' }>, p: TestPartition): Command => {
  const { how, queue, subscription, settings, pick } = o
  const next = p.state.names.get(queue)?.nextNumber ?? 1
  const start = o.start === 'number' ? { number: (pick % next) + 1 } : (o.start as 'latest' | 'earliest')
  switch (how) {
    case 'create':
      return { type: 'CreateSubscription', queue, subscription, settings, start, by }
    case 'configure':
      return { type: 'ConfigureSubscription', queue, subscription, settings, by }
    case 'reset':
      return { type: 'ResetSubscription', queue, subscription, start, by }
    case 'delete':
      return { type: 'DeleteSubscription', queue, subscription, by }
  }
}

/** Without the fields that are undefined, as a wire leaves them out. */
const stripped = (command: object): Command =>
  Object.fromEntries(Object.entries(command).filter(([, v]) => v !== undefined)) as unknown as Command

/** Commands of the right shape with numbers that no client sends. */
const garbled = (g: { kind: number; numbers: unknown[]; queue: string }): Command => {
  const [a, b, c, d, e, f, h, i] = g.numbers
  const { queue } = g
  const items = [{ queue: a, sub: b, delivery: c, numbers: [d, e, f, h] }]
  const shapes: object[] = [
    {
      type: 'Enqueue',
      queue,
      producer: 'g',
      send: a,
      messages: [new Uint8Array(4)],
      delayMs: b,
      delaysMs: [c],
    },
    {
      type: 'Receive',
      queue,
      poll: 'g',
      max: a,
      bytesMax: b,
      waitMs: c === 2 ** 31 ? 1 : c,
      batchWaitMs: d,
      leaseMs: e === 1 ? 5 : e,
      mode: 'push',
      consumer: '',
    },
    { type: 'Recall', queue: a, number: b, producer: 'g', send: c, by },
    { type: 'Reschedule', queue: 1, number: b, producer: 'g', send: 1, delayMs: c, dueAt: d, by },
    { type: 'Ack', items },
    { type: 'Retry', items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }], delayMs: i },
    { type: 'Extend', items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }], leaseMs: i },
    { type: 'Release', items: [{ queue: 1, sub: 0, delivery: i, numbers: [1, 1] }] },
    {
      type: 'Release',
      items: [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 1] }],
      delayMs: i,
      holdSubscription: true,
    },
    { type: 'DeadLetter', items },
    {
      type: 'Forward',
      from: { partition: a, queue: b },
      target: c,
      forward: d,
      messages: [new Uint8Array(4)],
      enqueuedAt: [e],
    },
    {
      type: 'ConfigureQueue',
      queue,
      config: { leaseMs: a, retriesMax: b, deliveryDelayMs: c, leaseCapMs: d },
      by,
    },
  ]
  return shapes[g.kind % shapes.length] as Command
}
