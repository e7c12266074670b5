import type { Snapshot } from '@kiroku/partition'

/** A snapshot in two: what is small or lies in typed arrays, and the lists of objects that may be long. */
export interface SnapshotParts {
  readonly rest: Snapshot
  readonly lists: readonly (readonly unknown[])[]
}

/** Takes a snapshot apart, so that its lists can go to another thread a piece at a time. */
export const takeApart = (s: Snapshot): SnapshotParts => {
  const groups: (readonly unknown[])[] = []
  const queues = s.queues.map((q) => {
    if (!hasGroups(q)) return q
    const subs = q.subs.map((sub) => {
      groups.push(sub.groups ?? [])
      return { ...sub, groups: [] }
    })
    return { ...q, subs }
  })
  const { ids, answers, ...columns } = s.producers
  return {
    rest: {
      ...s,
      delayed: [],
      ...(s.attempts === undefined ? undefined : { attempts: [] }),
      producers: { ...columns, ids: [], ...(answers === undefined ? undefined : { answers: [] }) },
      forwardsSeen: [],
      queues: [],
      outbox: s.outbox.map((lane) => ({ ...lane, entries: [] })),
    },
    lists: [
      s.delayed,
      s.attempts ?? [],
      ids,
      answers ?? [],
      s.forwardsSeen,
      queues,
      ...s.outbox.map(({ entries }) => entries),
      ...groups,
    ],
  }
}

/** Puts together again what was taken apart. */
export const putTogether = ({ rest, lists }: SnapshotParts): Snapshot => {
  const left = lists.values() as Iterator<readonly never[]>
  const next = (): readonly never[] => left.next().value as readonly never[]
  const [delayed, attempts, ids, answers, forwardsSeen, queues] = [
    next(),
    next(),
    next(),
    next(),
    next(),
    next(),
  ]
  const outbox = rest.outbox.map((lane) => ({ ...lane, entries: next() as never[] }))
  return {
    ...rest,
    delayed,
    ...(rest.attempts === undefined ? undefined : { attempts }),
    producers: {
      ...rest.producers,
      ids,
      ...(rest.producers.answers === undefined ? undefined : { answers }),
    },
    forwardsSeen,
    outbox,
    queues: (queues as Snapshot['queues']).map((q) =>
      hasGroups(q) ? { ...q, subs: q.subs.map((sub) => ({ ...sub, groups: next() })) } : q,
    ),
  }
}

/** Whether the subscriptions of a queue have groups, which all of them have or none. */
const hasGroups = ({ subs }: Snapshot['queues'][number]): boolean =>
  subs.some(({ groups }) => groups !== undefined)

/** What things weigh that are hashed as texts, beside a message. */
const weights = { queue: 20, group: 5, letter: 5, attempt: 3 }

/** How much there is in a snapshot, whatever it is, about in messages. */
export const itemsIn = ({
  live,
  runs,
  producers,
  queues,
  delayed,
  attempts,
  forwardsSeen,
  outbox,
}: Snapshot): number => {
  let items =
    live.number.length +
    runs.size +
    producers.ids.length +
    producers.sends.length / 4 +
    delayed.length +
    weights.attempt * (attempts?.length ?? 0) +
    forwardsSeen.length
  for (const { entries } of outbox) items += 1 + weights.letter * entries.length
  for (const { dedup, subs } of queues) {
    items += weights.queue + (dedup?.numbers.length ?? 0)
    for (const { groups } of subs) items += 1 + weights.group * (groups?.length ?? 0)
  }
  return items
}
