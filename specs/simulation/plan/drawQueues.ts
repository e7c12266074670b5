import type { QueueConfig, RetryPolicy } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from './QueuePlan.ts'

/** Queues that are worked on, and one or two for their dead letters; where they lie is decided by their names. */
export const drawQueues = (chance: Chance, partitions: number): QueuePlan[] => {
  const dead = [...chance.pick([['dead'], ['dead', 'grave']])]
  const work = ['mail', 'post', 'jobs', 'bills'].slice(0, chance.pick([2, 2, 3]) + (partitions > 2 ? 1 : 0))
  return [
    ...dead.map((name): QueuePlan => ({
      name,
      isForWork: false,
      deadLetter: undefined,
      config: {
        leaseMs: 2_000,
        ...(chance.happens(0.2) ? { erasable: 'message' as const } : {}),
        // Which no body of the world fits.
        ...(chance.happens(0.15) ? { bodySchema: { type: 'object' } } : {}),
      },
    })),
    ...work.map((name): QueuePlan => {
      const plan: QueuePlan = {
        name,
        isForWork: true,
        deadLetter: chance.happens(0.8) ? chance.pick(dead) : undefined,
        config: erasable(name, { ...drawConfig(chance), ...drawKind(chance) }),
      }
      const isPlain = plan.config.groups !== 'ordered' && plan.config.dedup === undefined && !isLimited(plan)
      if (isPlain && chance.happens(0.4)) return { ...plan, isSpreadable: true }
      if (!chance.happens(0.35)) return plan
      const tags = chance.pick([null, null, ['red'], ['red', 'blue']])
      return { ...plan, second: { retriesMax: chance.pick([0, 2]), ...(tags === null ? {} : { tags }) } }
    }),
  ]
}

/** One of the queues keeps its messages encrypted, without a draw: what seeds decide stays as it is. */
const erasable = (name: string, config: Partial<QueueConfig>): Partial<QueueConfig> =>
  name !== 'jobs' || config.dedup === 'content'
    ? config
    : { ...config, erasable: config.groups === 'ordered' ? 'group' : 'message' }

const isLimited = ({ config }: QueuePlan): boolean =>
  config.inflightMax !== undefined || config.concurrencyMax !== undefined || config.rateMax !== undefined

/** What a queue is for its whole life: plain, ordered, fair, or one that recognizes repeats. */
const drawKind = (chance: Chance): Partial<QueueConfig> => {
  const groups = chance.pick(['none', 'none', 'none', 'ordered', 'ordered', 'fair'] as const)
  const dedup = chance.pick(['off', 'off', 'off', 'id', 'content'] as const)
  return {
    groups,
    // An ordered queue retries after a fixed pause.
    ...(groups === 'ordered' ? { retry: { kind: 'fixed', delayMs: chance.pick([0, 700]) } } : {}),
    ...(dedup === 'off'
      ? {}
      : {
          dedup,
          dedupScope: groups === 'none' ? 'queue' : chance.pick(['queue', 'group']),
          dedupWindowMs: chance.pick([1_000, 300_000]),
        }),
    ...(chance.happens(0.1) ? { inflightMax: chance.pick([1, 5]) } : {}),
    ...(chance.happens(0.1) ? { concurrencyMax: chance.pick([1, 2]) } : {}),
    ...(chance.happens(0.1) ? { rateMax: chance.pick([5, 30]) } : {}),
  }
}

/** What may be changed while a queue is in use; its dead-letter queue is another deed. */
type Changes = Omit<QueueConfig, 'groups' | 'erasable' | 'deadLetter'>

/** Settings that an operator may change while a queue is in use, and that subscriptions may have for themselves. */
export const drawChanges = (chance: Chance): { queue: Changes; own: Partial<QueueConfig> } => {
  const { leaseMs, leaseMinMs, leaseCapMs, retriesMax, retry, exhaustion, lateHandles, ...rest } =
    drawConfig(chance)
  const { receiveWaitMs, batchWaitMs, ...queue } = rest
  const own = {
    leaseMs,
    leaseMinMs,
    leaseCapMs,
    retriesMax,
    retry,
    exhaustion,
    lateHandles,
    receiveWaitMs,
    batchWaitMs,
    batchMessages: chance.pick([1, 10, 100]),
    batchBytes: chance.pick([1, 1_000, 1_000_000]),
    rateMax: chance.pick([0, 30]),
    inflightMax: chance.pick([0, 5, 50]),
    concurrencyMax: chance.pick([0, 4]),
  } satisfies Partial<QueueConfig>
  return {
    queue: {
      ...own,
      ...queue,
      idleMs: chance.pick([0, 700, 3_000, 120_000]),
      bodyHidden: chance.pick(['off', 'on']),
      errorHidden: 'on',
      indexBody: chance.pick(['off', 'on']),
      // Bodies of the world are no JSON.
      bodySchema: chance.pick([null, {}]),
      // Which refuses every send where there is a schema.
      bodyCheck: 'edits',
      bodyBytesMax: chance.pick([60, 1_000, 1_000_000]),
      dedup: chance.pick(['off', 'id', 'content']),
      dedupScope: chance.pick(['queue', 'group']),
      dedupWindowMs: chance.pick([1_000, 5_000, 300_000]),
    },
    own,
  }
}

/** Settings of a queue, such that its messages move within seconds. */
const drawConfig = (chance: Chance) =>
  ({
    leaseMs: chance.pick([800, 2_000, 4_000]),
    leaseMinMs: chance.pick([0, 1, 700]),
    leaseCapMs: chance.pick([0, 0, 0, 5_000]),
    retriesMax: chance.pick([0, 1, 1, 2, 5, 'unlimited']),
    retry: chance.pick<RetryPolicy>([
      { kind: 'fixed', delayMs: 0 },
      { kind: 'fixed', delayMs: 700 },
      { kind: 'exponential', baseMs: 200, factor: 2, maxMs: 4_000, jitter: 0.5 },
    ]),
    exhaustion: chance.pick(['onExpiry', 'onExpiry', 'onNextReceive']),
    lateHandles: chance.pick(['accept', 'reject']),
    retentionMs: chance.pick([4 * 86_400_000, 4 * 86_400_000, 15_000]),
    retentionFrom: chance.pick(['arrival', 'original']),
    deliveryDelayMs: chance.pick([0, 0, 0, 400]),
    receiveWaitMs: chance.pick([0, 500]),
    batchWaitMs: chance.pick([0, 200]),
    bodyBytesMax: 1_000_000,
  }) satisfies Partial<QueueConfig>
