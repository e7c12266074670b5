import {
  decodeRecord,
  isSealed,
  readSealed,
  type DecodedRecord,
  type Log,
  type PartitionLog,
} from '@kiroku/log'
import { describeQueues } from '@kiroku/partition'
import {
  decodeEnvelope,
  type EnvelopeMeta,
  KirokuError,
  messageId,
  State,
  type StateName,
} from '@kiroku/protocol'
import { parseMomentFilter } from '../filter/parseMomentFilter.ts'
import { type PastQueue, type PastOptions, type PastPart } from './PastLog.ts'
import { PastReader } from './PastReader.ts'
import type { AskedMoment, MomentMessage, MomentPart, QueueMoment } from './QueueMoment.ts'
import { listPassing } from './listPassing.ts'
import { type StandingMessage } from './messageSpans.ts'
import { momentMessage } from './momentMessage.ts'
import { overviewOf } from './overviewOf.ts'

/** Which messages to show. */
export interface StateAtOptions extends PastOptions {
  /** Default: 100. */
  readonly messagesMax?: number
  /** Continues after an earlier page. */
  readonly after?: string
  /** Only these states, or this subscription. */
  readonly states?: readonly StateName[]
  readonly subscription?: string
  /** Only those that pass this filter, which `parseMomentFilter` reads. */
  readonly where?: string
}

/**
 * A queue at a moment of the past: counts, settings, and a page of the messages that were not final. Reads the log
 * and changes nothing. Errors: `FutureMoment`, `BeyondRecord`, `UnknownQueue` (there was none then),
 * `InvalidArgument`, `InvalidFilter`, and what reading the log throws.
 */
export const stateAt = async (
  log: Log,
  queue: string,
  asked: AskedMoment,
  options: StateAtOptions,
): Promise<QueueMoment> => {
  const looker = new PastReader(log, options)
  try {
    return await describeLook(log, queue, await looker.at(queue, asked), options)
  } finally {
    await looker.close()
  }
}

/** Sums the places of a queue. */
export const describeLook = async (
  log: Log,
  name: string,
  { at, places }: PastQueue,
  options: Omit<StateAtOptions, keyof PastOptions> = {},
): Promise<QueueMoment> => {
  const { messages, total, next } = await page(log, name, at, places, options)
  return {
    ...overviewOf(
      name,
      at,
      places.map((place) => ({ place: placeOf(place), description: describe(place, at) })),
    ),
    messages,
    messagesTotal: total,
    ...(next === undefined ? {} : { next }),
  }
}

const placeOf = ({ partition, queue, seq, at }: PastPart): MomentPart => ({
  partition,
  queue: queue.id,
  seq,
  at,
})

const describe = ({ state, queue }: PastPart, at: number) => describeQueues(state, [queue], at)[0]!

const pageMax = 100

/** Errors: `InvalidArgument`. */
const parseCursor = (text = '0:-2:0'): [place: number, sub: number, number: number] => {
  const match = /^(\d+):(-?\d+):(\d+)$/.exec(text)
  if (match === null) throw new KirokuError('InvalidArgument', `"${text}" is not a cursor of an earlier page`)
  return [Number(match[1]), Number(match[2]), Number(match[3])]
}

/**
 * Messages in the order of places, of subscriptions, and of numbers. The cursor holds place, subscription,
 * number.
 */
const page = async (
  log: Log,
  name: string,
  at: number,
  places: readonly PastPart[],
  { messagesMax = pageMax, after, states, subscription, where }: Omit<StateAtOptions, keyof PastOptions>,
): Promise<{ messages: MomentMessage[]; total: number; next: string | undefined }> => {
  const [afterPlace, sub, number] = parseCursor(after)
  const codes = states?.map((each) => State[each])
  const filter = parseMomentFilter(where ?? '', at)
  const found: { place: PastPart; message: StandingMessage }[] = []
  let total = 0
  let next: string | undefined
  for (const [p, place] of places.entries()) {
    const list = listPassing(name, place, filter, {
      // A place before the cursor only adds to the total; after a full page one more message shows that there
      // is another.
      max: p < afterPlace ? 0 : messagesMax - found.length,
      ...(p === afterPlace ? { after: { sub, number } } : {}),
      ...(codes === undefined ? {} : { states: codes }),
      ...(subscription === undefined ? {} : { subscription }),
    })
    total += list.total
    for (const message of list.messages) found.push({ place, message })
    if (p >= afterPlace && list.next !== undefined) next ??= `${p}:${list.next.sub}:${list.next.number}`
  }
  const messages: MomentMessage[] = []
  const ids = new MessageIds(log)
  try {
    for (const { place, message } of found) {
      messages.push(momentMessage(await ids.of(place, message), place.partition, message))
    }
  } finally {
    await ids.close()
  }
  return { messages, total, next }
}

/** Whether messages of other queues ever arrived. */
const isTarget = ({ state, queue }: PastPart): boolean => {
  if (queue.hadForwards) return true
  for (const key of state.forwardsSeen.keys()) if (key.endsWith(`/${queue.id}`)) return true
  return false
}

/** Finds the ids of messages: a forwarded one keeps its original id, which is stored with its body. */
class MessageIds {
  readonly #log: Log
  readonly #handles = new Map<PastPart, PartitionLog | undefined>()
  readonly #records = new Map<string, DecodedRecord | undefined>()

  constructor(log: Log) {
    this.#log = log
  }

  async of(place: PastPart, { number, seq, index }: StandingMessage): Promise<string> {
    if (!this.#handles.has(place))
      this.#handles.set(place, isTarget(place) ? await this.#log.partition(place.partition) : undefined)
    const handle = this.#handles.get(place)
    const { partition, queue } = place
    const lineage = handle === undefined ? undefined : await this.#lineage(handle, queue.id, seq, index)
    const { incarnation } = this.#log.meta
    return lineage ?? messageId({ incarnation, partition, queue: queue.id, number })
  }

  async close(): Promise<void> {
    for (const handle of this.#handles.values()) await handle?.close()
  }

  async #lineage(
    handle: PartitionLog,
    queue: number,
    seq: number,
    index: number,
  ): Promise<string | undefined> {
    const frame = await this.#record(handle, seq)
    if (frame?.kind !== 'frame' || index >= frame.bodyCount(queue)) return undefined
    let body = frame.body(queue, index)
    if (!(body instanceof Uint8Array)) {
      const large = await this.#record(handle, body.seq, body.bytes)
      if (large?.kind !== 'body') return undefined
      body = large.body
    }
    const meta = isSealed(body) ? readSealed(body).head.meta : decodeEnvelope(body).meta
    return (meta as EnvelopeMeta | undefined)?.lineage?.messageId
  }

  async #record(handle: PartitionLog, seq: number, bytes?: number): Promise<DecodedRecord | undefined> {
    const key = `${handle.partition}/${seq}`
    if (!this.#records.has(key)) {
      const stored = await handle.get(seq, bytes)
      this.#records.set(key, stored === undefined || stored.foreign ? undefined : decodeRecord(stored.data))
    }
    return this.#records.get(key)
  }
}
