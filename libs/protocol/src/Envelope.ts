import { TextScratch } from './TextScratch.ts'
import { limits } from './limits.ts'

/** What travels beside a body; opaque to the partition. */
export interface EnvelopeMeta {
  /** Attributes set by the producer. */
  readonly attributes?: Readonly<Record<string, string>>
  /** Types of attributes that are not plain text, as their sender named them; of binary ones `attributes` has base64. */
  readonly attributeTypes?: Readonly<Record<string, string>>
  /** Trace context of the send in the sender's own form, besides `traceparent`. */
  readonly traceHeader?: string
  /** Who sent it, as the door says that took it. */
  readonly sender?: string
  readonly contentType?: string
  /** Id by which the queue knew repeats of the send. */
  readonly dedupId?: string
  /** What subscriptions filter by; absent: none. */
  readonly tag?: string
  /** Message group or tenant. */
  readonly group?: string
  /** W3C trace context of the send. */
  readonly traceparent?: string
  /** How often the body was edited; absent: never. */
  readonly edits?: number
  /** Of forwarded messages: the id that stays the same along the lineage, and where they came from. */
  readonly lineage?: Lineage
}

/** Where a forwarded message came from. */
export interface Lineage {
  readonly messageId: string
  readonly queue: string
  /** Subscription that gave it up; absent: `main`. */
  readonly subscription?: string
  /** In the queue that it left last. */
  readonly attempts: number
  /** In the queues before that one together; absent: none, or a version forwarded it that did not say. */
  readonly attemptsBefore?: number
  readonly cause: string
  readonly error: string
  readonly enqueuedAt: number
  /** When it was first delivered, by whatever queue, in ms; absent: never, or that is not known. */
  readonly deliveredAt?: number
  /** When it was first sent, in ms, where that is not `enqueuedAt`. */
  readonly sentAt?: number
  /** How often it was redriven; absent: never. */
  readonly redrives?: number
  /** Every queue that it passed, as `partition/queue id`; absent: a version forwarded it that did not say. */
  readonly passed?: readonly string[]
}

/**
 * Bytes that a message may carry beside its body, as JSON, in a queue that takes bodies up to `bodyBytesMax`. What the body leaves
 * free counts twice, since JSON takes up to twice the bytes of what senders count.
 */
export const metaBytesMax = (bodyBytesMax: number, bytes: number): number =>
  Math.min(limits.envelopeMetaBytesEver, limits.envelopeMetaBytesMax + 2 * Math.max(0, bodyBytesMax - bytes))

const metaText = new TextScratch()
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A meta for `encodeEnvelope`, written once for many bodies. */
export const encodeMeta = (meta: EnvelopeMeta): Uint8Array => encoder.encode(JSON.stringify(meta))

/**
 * Joins meta and body: length of the meta as a varint, the meta as JSON (nothing when it is empty), the body.
 * @param meta bytes: from `encodeMeta`
 * @param memory gives the bytes to write to, where it has some
 */
export const encodeEnvelope = (
  body: Uint8Array,
  meta?: EnvelopeMeta | Uint8Array,
  memory?: { take(bytes: number): Uint8Array | undefined },
): Uint8Array => {
  const json = meta === undefined || meta instanceof Uint8Array ? meta : jsonOf(meta)
  const length = json?.length ?? 0
  const prefix = length < 0x80 ? 1 : length < 0x4000 ? 2 : 3
  const size = prefix + length + body.length
  const bytes = memory?.take(size) ?? allocate(size)
  if (prefix === 1) bytes[0] = length
  else if (prefix === 2) {
    bytes[0] = 0x80 | (length & 0x7f)
    bytes[1] = length >> 7
  } else {
    bytes[0] = 0x80 | (length & 0x7f)
    bytes[1] = 0x80 | ((length >> 7) & 0x7f)
    bytes[2] = length >> 14
  }
  if (json !== undefined) bytes.set(json, prefix)
  bytes.set(body, prefix + length)
  return bytes
}

/**
 * Splits what `encodeEnvelope` joined; the body is a view, not a copy. A meta, or a part of it, that is not what it should be
 * is left out: one strange producer must not stop those who read.
 */
export const decodeEnvelope = (
  bytes: Uint8Array,
): { readonly meta: EnvelopeMeta; readonly body: Uint8Array } => {
  const { start, length } = metaPlace(bytes)
  return {
    meta: length === 0 ? {} : readMeta(bytes.subarray(start, start + length)),
    body: bytes.subarray(start + length),
  }
}

/** The body in an envelope, as a view. */
export const bodyOf = (bytes: Uint8Array): Uint8Array => {
  const { start, length } = metaPlace(bytes)
  return bytes.subarray(start + length)
}

/** Bytes of the body in an envelope; negative when the envelope is cut short. */
export const bodyBytes = (bytes: Uint8Array): number => {
  const { start, length } = metaPlace(bytes)
  return bytes.length - start - length
}

/** Bytes of what an envelope holds beside its body, without their length. */
export const metaBytes = (bytes: Uint8Array): number => metaPlace(bytes).length

/** Whether what is no reference begins as no envelope does, but as what the engine itself encrypts. */
export const isDisguised = (message: Uint8Array | object): boolean =>
  message instanceof Uint8Array && message[0] === 0x80 && message[1] === 0x80 && message[2] === 0

const metaPlace = (bytes: Uint8Array): { start: number; length: number } => {
  let length = 0
  let start = 0
  for (let shift = 0; shift < 21; shift += 7) {
    const b = bytes[start++] ?? 0
    length |= (b & 0x7f) << shift
    if (b < 0x80) break
  }
  return { start, length }
}

const readMeta = (bytes: Uint8Array): EnvelopeMeta => {
  try {
    const meta: unknown = JSON.parse(decoder.decode(bytes))
    return isObject(meta) ? withoutStrange(meta) : {}
  } catch {
    return {}
  }
}

type Unread = Record<string, unknown>

const isObject = (value: unknown): value is Unread => typeof value === 'object' && value !== null

const isText = (value: unknown): boolean => typeof value === 'string'
// Loops, since all that is received with attributes comes here.
const isTexts = (value: unknown): boolean => {
  if (!isObject(value)) return false
  for (const name in value) if (typeof value[name] !== 'string') return false
  return true
}
const isNumber = (value: unknown): boolean => typeof value === 'number'

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const orNone =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || check(value)

const isLineage: Readonly<Record<keyof Lineage, (value: unknown) => boolean>> = {
  messageId: isText,
  queue: isText,
  subscription: orNone(isText),
  attempts: isNumber,
  attemptsBefore: orNone(isNumber),
  cause: isText,
  error: isText,
  enqueuedAt: isNumber,
  deliveredAt: orNone(isNumber),
  sentAt: orNone(isNumber),
  redrives: orNone(isNumber),
  passed: orNone(isTextList),
}

/** What each part of a meta must be to be one. */
const isSound: Readonly<Record<keyof EnvelopeMeta, (value: unknown) => boolean>> = {
  attributes: isTexts,
  attributeTypes: isTexts,
  traceHeader: isText,
  sender: isText,
  contentType: isText,
  dedupId: isText,
  tag: isText,
  group: isText,
  traceparent: isText,
  edits: isNumber,
  lineage: (value) => isObject(value) && Object.entries(isLineage).every(([name, is]) => is(value[name])),
}

/** A producer that does without a client may write anything. */
const withoutStrange = (meta: Unread): EnvelopeMeta => {
  for (const name in meta)
    if (Object.hasOwn(isSound, name) && !isSound[name as keyof EnvelopeMeta](meta[name])) delete meta[name]
  return meta
}

const slabBytes = 64 * 1024
let slab = new Uint8Array(slabBytes)
let slabUsed = 0

// An array of its own costs a microsecond for each small envelope, a part of a shared one a tenth of it.
const allocate = (bytes: number): Uint8Array => {
  if (bytes > slabBytes / 16) return new Uint8Array(bytes)
  if (slabUsed + bytes > slabBytes) {
    slab = new Uint8Array(slabBytes)
    slabUsed = 0
  }
  return slab.subarray(slabUsed, (slabUsed += bytes))
}

/** To be copied at once; undefined: there is nothing to say. */
const jsonOf = (meta: EnvelopeMeta): Uint8Array | undefined =>
  isEmpty(meta) ? undefined : metaText.encode(JSON.stringify(meta))

const isEmpty = (meta: EnvelopeMeta): boolean => {
  for (const key in meta) if (meta[key as keyof EnvelopeMeta] !== undefined) return false
  return true
}
