import { KirokuError, type LogEvent } from '@kiroku/protocol'
import { Packr } from 'msgpackr'
import { writeBodyTable } from './BodyTable.ts'
import { DecodedBody, DecodedFrame, type DecodedRecord, type SectionBytes } from './DecodedRecord.ts'
import { frameVersion, type FrameContent } from './Frame.ts'
import { checksum, isOurs, layout, recordKind, writePreamble } from './RecordLayout.ts'
import { recordHash, sha256 } from './recordHash.ts'

/** Record definitions are inline, so that each frame can be read without any other. */
const packr = new Packr({ useRecords: true })

/** A record ready to be stored. */
export class EncodedRecord {
  readonly bytes: Uint8Array
  readonly #bodiesAt: number
  #hash: Uint8Array | undefined

  constructor(bytes: Uint8Array, bodiesAt: number) {
    this.bytes = bytes
    this.#bodiesAt = bodiesAt
  }

  /** The hash that the next record names; made when it is first asked for, so that this record can leave before. */
  get hash(): Uint8Array {
    return (this.#hash ??= recordHash(this.bytes, this.#bodiesAt))
  }
}

/** A large body that gets a record of its own, ahead of the frame that refers to it. */
export interface BodyContent {
  readonly epoch: number
  readonly body: Uint8Array
}

/**
 * Encodes a frame that follows the record with `prevHash` (32 bytes; `zeroHash` at the beginning of a log).
 * Numbers are exact up to 2^53.
 */
export const encodeRecord = (content: FrameContent, prevHash: Uint8Array): EncodedRecord => {
  const events = packr.pack(content.events)
  const { table, bodiesBytes } = writeBodyTable(content.sections)
  const bodiesAt = layout.payload + events.length + table.length
  const record = start(recordKind.frame, content.epoch, prevHash, bodiesAt + bodiesBytes)
  record.writeDoubleLE(content.at, layout.at)
  record.writeUInt32LE(events.length, layout.eventsBytes)
  record.writeUInt32LE(table.length, layout.tableBytes)
  record.writeUInt32LE(bodiesBytes, layout.bodiesBytes)
  record.set(events, layout.payload)
  record.set(table, layout.payload + events.length)
  let place = bodiesAt
  for (const { bodies } of content.sections)
    for (const body of bodies)
      if (body instanceof Uint8Array) {
        record.set(body, place)
        place += body.length
      }
  return seal(record, bodiesAt)
}

/** Encodes a large body as a record of its own. */
export const encodeBodyRecord = ({ epoch, body }: BodyContent, prevHash: Uint8Array): EncodedRecord => {
  const record = start(recordKind.body, epoch, prevHash, layout.payload + body.length)
  record.writeUInt32LE(body.length, layout.bodiesBytes)
  record.set(body, layout.payload)
  return seal(record, layout.payload)
}

const start = (kind: number, epoch: number, prevHash: Uint8Array, bytes: number): Buffer => {
  const record = Buffer.allocUnsafeSlow(bytes).fill(0, 0, layout.payload)
  writePreamble(record)
  record[layout.kind] = kind
  record.writeDoubleLE(epoch, layout.epoch)
  record.set(prevHash, layout.prevHash)
  return record
}

const noBodies = sha256(new Uint8Array())

const seal = (record: Buffer, bodiesAt: number): EncodedRecord => {
  record.set(bodiesAt === record.length ? noBodies : sha256(record.subarray(bodiesAt)), layout.bodiesDigest)
  record.writeUInt32LE(checksum(record), layout.crc)
  return new EncodedRecord(record, bodiesAt)
}

/**
 * Decodes a record. Bodies stay views into `bytes`, which must not change afterwards. Errors: `LogDamaged`
 * (checksum, lengths, or a foreign record), `FutureVersion`.
 */
export const decodeRecord = (bytes: Uint8Array): DecodedRecord => {
  const { kind, view, sections } = checkRecord(bytes)
  const epoch = view.getFloat64(layout.epoch, true)
  if (kind === recordKind.body) return new DecodedBody(bytes, epoch, sections)
  const at = view.getFloat64(layout.at, true)
  return new DecodedFrame(bytes, epoch, at, readEvents(bytes, sections.events), sections)
}

/**
 * The large body of a body record, as a view; undefined: it is a frame, whose events are not decoded.
 * Errors: as of `decodeRecord`.
 */
export const largeBodyOf = (bytes: Uint8Array): Uint8Array | undefined => {
  const { kind, sections } = checkRecord(bytes)
  return kind === recordKind.body ? bytes.subarray(bytes.length - sections.bodies) : undefined
}

const checkRecord = (bytes: Uint8Array): { kind: number; view: DataView; sections: SectionBytes } => {
  if (!isOurs(bytes)) throw new KirokuError('LogDamaged', 'not a record of Kiroku')
  if (bytes.length < layout.payload) throw new KirokuError('LogDamaged', 'a record is cut off')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(layout.crc, true) !== checksum(bytes))
    throw new KirokuError('LogDamaged', 'the checksum of a record is wrong')
  const version = bytes[layout.version]!
  if (version > frameVersion)
    throw new KirokuError(
      'FutureVersion',
      `a record has version ${version}; this code reads up to ${frameVersion}`,
    )
  const sections = {
    events: view.getUint32(layout.eventsBytes, true),
    table: view.getUint32(layout.tableBytes, true),
    bodies: view.getUint32(layout.bodiesBytes, true),
  }
  if (layout.payload + sections.events + sections.table + sections.bodies !== bytes.length)
    throw new KirokuError('LogDamaged', 'the sections of a record do not add up to its length')
  const kind = bytes[layout.kind]!
  if (kind !== recordKind.frame && kind !== recordKind.body)
    throw new KirokuError('LogDamaged', `a record is of the unknown kind ${kind}`)
  return { kind, view, sections }
}

const readEvents = (bytes: Uint8Array, eventsBytes: number): LogEvent[] => {
  let events: unknown
  try {
    events = packr.unpack(bytes.subarray(layout.payload, layout.payload + eventsBytes))
  } catch (cause) {
    throw new KirokuError('LogDamaged', 'the events of a record cannot be read', { cause })
  }
  // Whoever can write to the log can write a right checksum over anything.
  if (Array.isArray(events) && events.every(isEvent)) return events
  throw new KirokuError('LogDamaged', 'a record holds what are no events')
}

const isEvent = (value: unknown): value is LogEvent =>
  typeof (value as { readonly type?: unknown } | null | undefined)?.type === 'string'
