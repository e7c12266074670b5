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
  /** Handles a delivery; `acked` is told how many of its messages are acknowledged. */
  readonly handle: (lease: Lease, acked?: (count: number) => void) => Promise<void>
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
    } else await giveBackLate(taken, work)
  }
}

/**
 * Handles each ordered group of a batch by itself, and takes more as soon as a batch's worth of messages is not under way any more:
 * no group waits until another is through.
 */
export const groupByGroup = async (work: Work): Promise<void> => {
  const { prefetch, keeper, messagesMax, handle } = work
  const held = new HeldMessages(messagesMax)
  const running = new ChurnSet<Promise<void>>()
  const begin = (lease: Lease): void => {
    let left = lease.size
    held.add(left)
    const acked = (count: number): void => {
      left -= count
      held.remove(count)
    }
    const handled = handle(lease, acked).then(() => {
      running.delete(handled)
      held.remove(left)
    })
    running.add(handled)
  }
  for (;;) {
    await held.room()
    const taken = await prefetch.take()
    if (taken === undefined) return void (await Promise.all(running))
    for (const part of partsByGroup(taken)) {
      const lease = leaseOf(part, work)
      if (keeper.register(lease)) begin(lease)
      else await giveBackLate(part, work)
    }
  }
}

const leaseOf = ({ partition, delivery }: Taken, { incarnation, queue }: Work): Lease => {
  const { link, settler } = partition
  const context = { incarnation, partition: link.partition, queue, delivery }
  return new Lease(context, settler, link.time.leaseEndMs(delivery))
}

const giveBackLate = async ({ partition, delivery }: Taken, { signal }: Work): Promise<void> => {
  void partition.release(delivery)
  // The next one may be as late.
  await partition.link.pause(limits.backoffMsMin, signal)
}
