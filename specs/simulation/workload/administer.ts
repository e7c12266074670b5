import { isKirokuError, partitionOf, type QueueConfig, type StartPosition } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from '../plan/QueuePlan.ts'
import { drawChanges } from '../plan/drawQueues.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'

/** Who administers queues, for the record. */
export const by = { name: 'operator', origin: 'simulation' }

/** Name of the second subscription of a queue that has one. */
export const secondSubscription = 'second'

/** Messages that are discarded by their numbers. */
const discardedMax = 20

/** What an operator does to a queue. */
type Deed = 'configure' | 'pause' | 'purge' | 'recreate' | 'reset' | 'resubscribe'

/** Has an operator do something to one queue of work. */
export const administer = (world: World, chance: Chance, deed: Deed): void => {
  const plan = chance.pick(world.plan.queues.filter((q) => q.isForWork))
  const queue = plan.name
  // Some deeds are for all subscriptions, or for one.
  const some = chance.pick(plan.second === undefined ? ['main'] : ['main', secondSubscription])
  const partition = partitionOf(queue, world.plan.partitions)
  const caller = new Caller(world, 'operator')
  const start = drawStart(world, chance, partition)
  const one = chance.happens(0.5) ? {} : { subscription: some }
  const act = async (): Promise<void> => {
    switch (deed) {
      case 'configure': {
        if (chance.happens(0.25)) {
          const config = { deadLetter: drawDeadLetter(world, chance) }
          await caller.ask(partition, { type: 'ConfigureQueue', queue, config, by })
          return
        }
        const changes = drawChanges(chance)
        const entries = Object.entries(some === 'main' ? changes.queue : changes.own)
        const config = Object.fromEntries(
          chance.pick([[1], [1, 2], [1, 2, 3]]).map(() => chance.pick(entries)),
        )
        if (some === 'main') {
          // What an operator changed is noted as well; the default is no news.
          const notes = Object.entries(config).map(
            ([name, value]) => [`changed ${name}`, value === 0 ? null : JSON.stringify(value)] as const,
          )
          await caller.ask(partition, { type: 'ConfigureQueue', queue, config, notes, by })
          if (((config['idleMs'] ?? 0) as number) === 0) return
          // Without receives it is soon gone, and is created again.
          await world.loop.sleep(chance.pick([2_000, 5_000]))
          await recreate(world, caller, partition, plan)
        } else
          await caller.ask(partition, {
            type: 'ConfigureSubscription',
            queue,
            subscription: some,
            settings: config,
            by,
          })
        return
      }
      case 'pause':
        await caller.ask(partition, { type: 'PauseDelivery', queue, ...one, by })
        await world.loop.sleep(chance.pick([10, 500, 3_000]))
        await caller.ask(partition, { type: 'ResumeDelivery', queue, ...one, by })
        return
      case 'reset':
        await caller.ask(partition, { type: 'ResetSubscription', queue, subscription: some, start, by })
        // While the past comes back.
        if (chance.happens(0.2)) await caller.ask(partition, { type: 'PurgeQueue', queue, by })
        return
      case 'resubscribe':
        if (plan.second === undefined) return
        await caller.ask(partition, {
          type: 'DeleteSubscription',
          queue,
          subscription: secondSubscription,
          by,
        })
        await subscribe(caller, partition, plan, start)
        return
      case 'purge':
        // What came first goes by its numbers, the rest all at once.
        for (const state of ['Available', 'WaitingRetry'] as const)
          await caller.ask(partition, {
            type: 'Discard',
            queue,
            subscription: some,
            state,
            numbers: [1, discardedMax],
            by,
          })
        await caller.ask(partition, { type: 'PurgeQueue', queue, by })
        return
      case 'recreate': {
        const { config, notes = {} } = await caller.ask(partition, { type: 'DescribeQueue', queue })
        await caller.ask(partition, { type: 'DeleteQueue', queue, force: true, by })
        await caller.ask(partition, { type: 'CreateQueue', queue, config, notes: Object.entries(notes), by })
        await subscribe(caller, partition, plan)
      }
    }
  }
  world.loop.as(caller.party, () =>
    world.startDeed(
      `${deed} of ${queue}`,
      act().catch((error: unknown) => {
        // Another operator was faster, or the same deed took effect at the first try.
        if (!isKirokuError(error) || !expected.has(error.id)) throw error
        if (deed === 'recreate') return recreate(world, caller, partition, plan)
        if (deed === 'resubscribe') return subscribe(caller, partition, plan)
        return undefined
      }),
    ),
  )
}

/** A queue of dead letters as it is now, or none. */
const drawDeadLetter = (world: World, chance: Chance): QueueConfig['deadLetter'] => {
  const { name } = chance.pick(world.plan.queues.filter((q) => !q.isForWork))
  const partition = partitionOf(name, world.plan.partitions)
  const queue = world.truth.ledgers[partition]!.queueNamed(name)?.id
  return queue === undefined || chance.happens(0.3) ? null : { name, partition, queue }
}

/** Where a subscription begins: mostly in the past. */
const drawStart = (world: World, chance: Chance, partition: number): StartPosition => {
  const { at } = world.truth.ledgers[partition]!
  return chance.pick<StartPosition>([
    'latest',
    'earliest',
    'earliest',
    { number: chance.pick([1, 5, 50]) },
    { time: at - chance.pick([10, 1_000, 30_000]) },
  ])
}

const expected: ReadonlySet<string> = new Set([
  'UnknownQueue',
  'UnknownSubscription',
  'QueueExists',
  'SubscriptionExists',
  'LogDamaged',
  'InvalidArgument',
  'InvalidConfig',
  'BeyondRecord',
])

const unless = (id: string) => (error: unknown) => {
  if (!isKirokuError(error) || error.id !== id) throw error
}

/** A deletion whose answer was lost says `UnknownQueue` when it is repeated; the queue must come back all the same. */
const recreate = async (world: World, caller: Caller, partition: number, plan: QueuePlan): Promise<void> => {
  await caller
    .ask(partition, { type: 'CreateQueue', queue: plan.name, config: world.configOf(plan), by })
    .catch(unless('QueueExists'))
  await subscribe(caller, partition, plan)
}

/** Creates the second subscription of a queue that has one. */
export const subscribe = async (
  caller: Caller,
  partition: number,
  { name, second }: QueuePlan,
  start: StartPosition = 'latest',
): Promise<void> => {
  if (second === undefined) return
  await caller
    .ask(partition, {
      type: 'CreateSubscription',
      queue: name,
      subscription: secondSubscription,
      settings: second,
      start,
      by,
    })
    .catch((error: unknown) => {
      // Settings that were changed since, or a queue that another one creates again.
      if (!isKirokuError(error) || !expected.has(error.id)) throw error
    })
}
