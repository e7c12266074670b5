import {
  groupBy,
  laterHold,
  mergeConsumers,
  mergeRecentBatches,
  mergeTimes,
  type PartDescription,
  type QueueCounts,
  type QueueDescription,
  type SubscriptionDescription,
} from '@kiroku/protocol'

/** A spread queue as one: its home with what its parts have. A part that is missing did not answer. */
export const mergeParts = (home: QueueDescription, parts: readonly QueueDescription[]): QueueDescription => {
  if (home.spread === undefined) return home
  const answered = new Map(parts.map((part) => [part.partition, part]))
  const present = home.spread.parts.flatMap(({ partition }) => answered.get(partition) ?? [])
  const described = home.spread.parts.map((part): PartDescription => {
    const counts = answered.get(part.partition)?.counts
    return counts === undefined ? part : { ...part, counts }
  })
  const outbox = [home, ...present].flatMap((part) => part.outbox ?? [])
  const times = mergeTimes([home.times, ...present.map((part) => part.times)])
  const own: PartDescription = {
    partition: home.partition,
    queue: home.queue,
    state: 'home',
    counts: home.counts,
  }
  return {
    ...home,
    counts: summed(home.counts, present),
    subscriptions: home.subscriptions.map((sub) => mergeSubscription(sub, present)),
    oldestAgeMs: Math.max(home.oldestAgeMs, ...present.map((part) => part.oldestAgeMs)),
    waitingPolls: present.reduce((n, part) => n + part.waitingPolls, home.waitingPolls),
    warnings: [...new Set([home, ...present].flatMap((part) => part.warnings))],
    ...(outbox.length === 0 ? {} : { outbox }),
    ...(times === undefined ? {} : { times }),
    spread: { ...home.spread, parts: [own, ...described] },
  }
}

/** The queues of all partitions by name; parts are with their homes. */
export const mergeQueues = (queues: readonly QueueDescription[]): QueueDescription[] => {
  const parts = groupBy(
    queues.filter((queue) => queue.home !== undefined),
    ({ home }) => `${home!.partition}/${home!.queue}`,
  )
  return queues
    .filter((queue) => queue.home === undefined)
    .map((queue) => mergeParts(queue, parts.get(`${queue.partition}/${queue.queue}`) ?? []))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

const mergeSubscription = (
  sub: SubscriptionDescription,
  parts: readonly QueueDescription[],
): SubscriptionDescription => {
  const same = parts.flatMap((part) => part.subscriptions.find(({ name }) => name === sub.name) ?? [])
  // Each part is held on its own.
  const hold = same.reduce((last, part) => laterHold(last, part.hold), sub.hold)
  const batches = mergeRecentBatches([sub.batches, ...same.map((each) => each.batches)])
  const consumers = mergeConsumers([sub.consumers, ...same.map((each) => each.consumers)])
  return {
    ...sub,
    ...(hold === undefined ? {} : { hold }),
    ...(batches === undefined ? {} : { batches }),
    counts: summed(sub.counts, same),
    waitingPolls: same.reduce((n, each) => n + each.waitingPolls, sub.waitingPolls),
    ...(consumers === undefined ? {} : { consumers }),
  }
}

const summed = (own: QueueCounts, others: readonly { readonly counts: QueueCounts }[]): QueueCounts =>
  Object.fromEntries(
    Object.entries(own).map(([state, count]) => [
      state,
      others.reduce((sum, { counts }) => sum + counts[state as keyof QueueCounts], count),
    ]),
  ) as unknown as QueueCounts
