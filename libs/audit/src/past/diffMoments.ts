import type { Log } from '@kiroku/log'
import { isKirokuError, messageId, type QueueCounts, type StateName, stateNames } from '@kiroku/protocol'
import { type PastQueue, type PastOptions, type PastPart } from './PastLog.ts'
import { PastReader } from './PastReader.ts'
import type { AskedMoment, MomentPart, QueueMoment } from './QueueMoment.ts'
import { type MessageSpan, messageSpans } from './messageSpans.ts'
import { describeLook } from './stateAt.ts'

/** Limits of what to show. */
export interface DiffOptions extends PastOptions {
  /** Messages named in each of the three lists. Default: 100. */
  readonly messagesMax?: number
}

/** The state of a message. */
interface Standing {
  readonly state: StateName
  readonly attempt: number
}

/** A message that is in one of the moments only, or differs. Its id is that of its place in this queue. */
export interface DiffMessage {
  readonly messageId: string
  readonly partition: number
  readonly number: number
  readonly subscription: string
  readonly before?: Standing
  readonly after?: Standing
}

/** A list of messages: how many there are, and the first of them. */
export interface DiffMessages {
  readonly total: number
  readonly messages: readonly DiffMessage[]
}

/** The difference between two moments. A side is absent when the queue did not exist then. */
export interface MomentDiff {
  readonly queue: string
  readonly a: { readonly at: number; readonly places: readonly MomentPart[] } | undefined
  readonly b: { readonly at: number; readonly places: readonly MomentPart[] } | undefined
  /** Counts then, and by how much they differ. */
  readonly counts: Readonly<Record<keyof QueueCounts, { readonly a: number; readonly b: number }>>
  /** Settings that differ, where the queue existed both times. */
  readonly config: readonly { readonly setting: string; readonly a: unknown; readonly b: unknown }[]
  readonly appeared: DiffMessages
  readonly changed: DiffMessages
  /** Final by then: committed, dead-lettered or discarded, as the counts say. */
  readonly left: DiffMessages
}

/** What one subscription has in one place, in the order of numbers. */
interface Column {
  readonly partition: number
  readonly queue: number
  readonly subscription: string
  readonly spans: readonly Pick<MessageSpan, 'first' | 'count' | 'state' | 'attempt'>[]
}

/**
 * Compares a queue at two moments. Errors: those of `stateAt`; a queue that existed at only one of them is
 * compared with nothing.
 */
export const diffMoments = async (
  log: Log,
  queue: string,
  a: AskedMoment,
  b: AskedMoment,
  options: DiffOptions,
): Promise<MomentDiff> => {
  const looker = new PastReader(log, options)
  try {
    const before = await sideOf(log, looker, queue, a)
    const after = await sideOf(log, looker, queue, b)
    if (before instanceof Error && after instanceof Error) throw before
    return compare(
      log,
      queue,
      before instanceof Error ? undefined : before,
      after instanceof Error ? undefined : after,
      options.messagesMax ?? 100,
    )
  } finally {
    await looker.close()
  }
}

interface Side {
  readonly moment: QueueMoment
  readonly columns: ReadonlyMap<string, Column>
}

const sideOf = async (
  log: Log,
  looker: PastReader,
  queue: string,
  asked: AskedMoment,
): Promise<Side | Error> => {
  try {
    const look = await looker.at(queue, asked)
    // The state moves on to the next moment, so what is compared is copied out now.
    return { moment: await describeLook(log, queue, look, { messagesMax: 0 }), columns: columnsOf(look) }
  } catch (e) {
    if (isKirokuError(e) && e.id === 'UnknownQueue') return e
    throw e
  }
}

/** Delayed messages are delayed for every subscription. */
const columnsOf = ({ places }: PastQueue): Map<string, Column> => {
  const columns = new Map<string, Column & { spans: Column['spans'][number][] }>()
  for (const place of places) {
    for (const span of messageSpans(place.state, place.queue))
      for (const sub of span.sub === undefined ? place.queue.subs : [span.sub]) {
        const key = `${place.partition}/${place.queue.id}/${sub.id}`
        let column = columns.get(key)
        if (column === undefined) columns.set(key, (column = newColumn(place, sub.name)))
        const { first, count, state, attempt } = span
        column.spans.push({ first, count, state, attempt })
      }
  }
  for (const { spans } of columns.values()) spans.sort((a, b) => a.first - b.first)
  return columns
}

const newColumn = ({ partition, queue }: PastPart, subscription: string) => ({
  partition,
  queue: queue.id,
  subscription,
  spans: [],
})

const compare = (
  log: Log,
  queue: string,
  a: Side | undefined,
  b: Side | undefined,
  messagesMax: number,
): MomentDiff => {
  const lists = { appeared: newList(), changed: newList(), left: newList() }
  const note = (column: Column, n: number, count: number, before?: Spot, after?: Spot): void => {
    const { partition, queue: id, subscription } = column
    const list = before === undefined ? lists.appeared : after === undefined ? lists.left : lists.changed
    list.total += count
    for (let i = 0; i < count && list.messages.length < messagesMax; i++)
      list.messages.push({
        messageId: messageId({ incarnation: log.meta.incarnation, partition, queue: id, number: n + i }),
        partition,
        number: n + i,
        subscription,
        ...(before === undefined ? {} : { before: standing(before) }),
        ...(after === undefined ? {} : { after: standing(after) }),
      })
  }
  const keys = new Set([...(a?.columns.keys() ?? []), ...(b?.columns.keys() ?? [])])
  for (const key of keys) {
    const [before, after] = [a?.columns.get(key), b?.columns.get(key)]
    compareColumns(before?.spans ?? [], after?.spans ?? [], (n, count, x, y) =>
      note((before ?? after)!, n, count, x, y),
    )
  }
  return {
    queue,
    a: a && { at: a.moment.at, places: a.moment.places },
    b: b && { at: b.moment.at, places: b.moment.places },
    counts: compareCounts(a?.moment.counts, b?.moment.counts),
    config: compareConfig(a?.moment, b?.moment),
    ...lists,
  }
}

const newList = (): { total: number; messages: DiffMessage[] } => ({ total: 0, messages: [] })

type Spot = Column['spans'][number]

const standing = ({ state, attempt }: Spot): Standing => ({ state: stateNames[state], attempt })

/** Walks two lists of spans side by side and reports what is in one only, or differs. */
const compareColumns = (
  a: readonly Spot[],
  b: readonly Spot[],
  differs: (first: number, count: number, before: Spot | undefined, after: Spot | undefined) => void,
): void => {
  let [i, j, n] = [0, 0, 0]
  for (;;) {
    while (i < a.length && a[i]!.first + a[i]!.count <= n) i++
    while (j < b.length && b[j]!.first + b[j]!.count <= n) j++
    const [x, y] = [a[i], b[j]]
    if (x === undefined && y === undefined) return
    n = Math.max(n, Math.min(x?.first ?? Infinity, y?.first ?? Infinity))
    const inX = x !== undefined && x.first <= n
    const inY = y !== undefined && y.first <= n
    const end = Math.min(
      x === undefined ? Infinity : inX ? x.first + x.count : x.first,
      y === undefined ? Infinity : inY ? y.first + y.count : y.first,
    )
    const same = inX && inY && x.state === y.state && x.attempt === y.attempt
    if (!same) differs(n, end - n, inX ? x : undefined, inY ? y : undefined)
    n = end
  }
}

const compareCounts = (a: QueueCounts | undefined, b: QueueCounts | undefined): MomentDiff['counts'] => {
  const counts: Partial<Record<keyof QueueCounts, { a: number; b: number }>> = {}
  for (const name of Object.keys((a ?? b)!) as (keyof QueueCounts)[])
    counts[name] = { a: a?.[name] ?? 0, b: b?.[name] ?? 0 }
  return counts as MomentDiff['counts']
}

const compareConfig = (a: QueueMoment | undefined, b: QueueMoment | undefined): MomentDiff['config'] => {
  if (a === undefined || b === undefined) return []
  const [x, y] = [settingsOf(a), settingsOf(b)]
  const differing: { setting: string; a: unknown; b: unknown }[] = []
  for (const setting of new Set([...Object.keys(x), ...Object.keys(y)]))
    if (JSON.stringify(x[setting]) !== JSON.stringify(y[setting]))
      differing.push({ setting, a: x[setting], b: y[setting] })
  return differing
}

const settingsOf = ({ config, deliveryPaused }: QueueMoment): Record<string, unknown> => ({
  ...config,
  deliveryPaused,
})
