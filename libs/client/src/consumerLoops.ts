import { ChurnSet } from '@kiroku/protocol'
import type { Clock } from './Clock.ts'
import { HeldMessages } from './HeldMessages.ts'
import { Lease } from './Lease.ts'
import type { LeaseKeeper } from './LeaseKeeper.ts'
import type { Prefetch } from './Prefetch.ts'
import type { Taken } from './QueueRoute.ts'
import { partsByGroup } from './deliveryParts.ts'
import { limits } from './limits.ts'

/** What the loops of a consumer work with. */
export interface Work {
  readonly prefetch: Prefetch
  readonly keeper: LeaseKeeper
  readonly incarnation: string
  readonly queue: string
  readonly clock: Clock
  /** Most messages of a batch. */
  readonly messagesMax: number
  /** Aborted when the consumer stops. */
  readonly signal: AbortSignal
  /** How long single messages that are slow keep others waiting, in ms. */
  readonly patienceMs: number
  /** Whether the queue has ordered groups. */
  readonly isOrdered: boolean
  /** Handles a delivery, or a part of it; `ended` is told how many of its messages are through. */
  readonly handle: (lease: Lease, ended?: (count: number) => void) => Promise<void>
}

/** Takes the next batch once the one before is handled. */
export const batchByBatch = async (work: Work): Promise<void> => {
  const { prefetch, keeper, clock, handle } = work
  for (;;) {
    const taken = await prefetch.take()
    if (taken === undefined) return
    const lease = leaseOf(taken, work)
    if (keeper.register(lease)) {
      const startMs = clock.now()
      await handle(lease)
      prefetch.handled(clock.now() - startMs)
    } else await giveBack([taken], work)
  }
}

/**
 * Takes the next messages once the previous ones are handled. If some of those take long, it takes as many more as there is
 * room for, so that slow messages do not hold up the others.
 */
export const eachByEach = async (work: Work): Promise<void> => {
  const { prefetch, keeper, clock, messagesMax, patienceMs, isOrdered, handle } = work
  const held = new HeldMessages(messagesMax, patienceMs, clock)
  const running = new ChurnSet<Promise<void>>()
  const begin = (lease: Lease): void => {
    let left = lease.size
    held.add(left)
    const ended = (count: number): void => {
      left -= count
      held.remove(count)
    }
    const handled = handle(lease, ended).then(() => {
      running.delete(handled)
      ended(left)
    })
    running.add(handled)
  }
  for (;;) {
    const taken = await prefetch.take(held.room)
    if (taken === undefined) break
    const startMs = clock.now()
    const late: Taken[] = []
    for (const part of isOrdered ? partsByGroup(taken) : [taken]) {
      const lease = leaseOf(part, work)
      if (keeper.register(lease)) begin(lease)
      else late.push(part)
    }
    if (late.length > 0) await giveBack(late, work)
    await held.more(startMs)
    prefetch.handled(clock.now() - startMs)
  }
  held.end()
  await Promise.all(running)
}

const leaseOf = ({ partition, delivery }: Taken, { incarnation, queue }: Work): Lease => {
  const { link, settler } = partition
  const context = { incarnation, partition: link.partition, queue, delivery }
  return new Lease(context, settler, link.time.leaseEndMs(delivery))
}

/** Gives back what has too little of its lease left. */
const giveBack = async (late: readonly Taken[], { signal }: Work): Promise<void> => {
  for (const { partition, delivery } of late) void partition.release(delivery)
  // What comes next may be as late.
  await late[0]!.partition.link.pause(limits.backoffMsMin, signal)
}
