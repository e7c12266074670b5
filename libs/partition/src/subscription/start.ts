import { type CommandOf, KirokuError, type StartPosition } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'

/** What only the log can tell of a start: the number of its first message, and where to begin to read. */
export interface Located {
  readonly from: number
  readonly readFrom: number
}

/** The start that the log must be asked about before the command can be decided; undefined when there is none. */
export const startOf = (
  state: PartitionState,
  now: number,
  c: CommandOf<'CreateSubscription' | 'ResetSubscription'>,
): { readonly queue: QueueState; readonly start: { number: number } | { time: number } } | undefined => {
  const queue = state.names.get(c.queue)
  const { start } = c
  if (queue === undefined || typeof start !== 'object' || start === null) return undefined
  const sub = queue.named(c.subscription)
  const isMoot =
    c.type === 'CreateSubscription' ? sub !== undefined : c.sub !== undefined && c.sub !== sub?.id
  if (isMoot) return undefined
  if ('number' in start)
    return state.trimmedTo > 0 && isNumberOf(queue, start.number) ? { queue, start } : undefined
  return isTime(start.time) && start.time < now ? { queue, start } : undefined
}

const isNumberOf = (queue: QueueState, n: number): boolean =>
  Number.isSafeInteger(n) && n >= 1 && n <= queue.nextNumber

const isTime = (time: unknown): time is number =>
  typeof time === 'number' && Number.isFinite(time) && time >= 0

/**
 * What is recorded of a generation's beginning. Errors: `InvalidArgument`, `Busy` when the log must be asked again.
 */
export const beginning = <B>(
  { state, now }: Turn<B>,
  queue: QueueState,
  start: StartPosition | undefined,
  located: Located | undefined,
): { from: number; readFrom?: number } => {
  if (start !== undefined && start !== 'latest' && queue.share.of > 1)
    throw new KirokuError(
      'InvalidArgument',
      `queue "${queue.name}" is spread over partitions, each with a past of its own; bring it back to one first`,
    )
  const place = placeOf(state, now, queue, start, located)
  const from = Math.max(place?.from ?? queue.nextNumber, queue.purgedTo)
  return place === undefined || from >= queue.nextNumber
    ? { from: queue.nextNumber }
    : { from, readFrom: place.readFrom }
}

const placeOf = (
  state: PartitionState,
  now: number,
  queue: QueueState,
  start: StartPosition | undefined,
  located: Located | undefined,
): Located | undefined => {
  if (start === undefined || start === 'latest') return undefined
  const readFrom = state.trimmedTo + 1
  if (start === 'earliest') return { from: 1, readFrom }
  if (typeof start !== 'object' || start === null) throw noStart('a word that is none')
  if ('number' in start) {
    const { number: from } = start
    if (!isNumberOf(queue, from)) throw noStart(`message ${from}, but the next one is ${queue.nextNumber}`)
    if (state.trimmedTo === 0) return { from, readFrom }
  } else {
    if (!isTime(start.time)) throw noStart('no time')
    if (start.time >= now) return undefined
  }
  if (located === undefined || located.readFrom < readFrom)
    throw new KirokuError('Busy', 'the log was trimmed since it was asked for the start', { retryAfterMs: 0 })
  return located
}

const noStart = (what: string): KirokuError =>
  new KirokuError(
    'InvalidArgument',
    `a start is "latest", "earliest", a number in the queue, or a time in ms; this is ${what}`,
  )
