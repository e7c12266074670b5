import { isOwnSnapshot, snapshotVersion } from '@kiroku/partition'
import { KirokuError } from '@kiroku/protocol'
import type { Recording } from './Recording.ts'

/** `KRR`, and the version of the layout. */
const magic = [0x4b, 0x52, 0x52] as const
const version = 1
const headBytes = 8
/** Columns begin at multiples of this, so that they can be read in place. */
const alignBytes = 8

const kinds = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array }
type Kind = keyof typeof kinds
type Column = InstanceType<(typeof kinds)[Kind]>
type Path = readonly (string | number)[]

/** What JSON cannot hold, and where it belongs: a column by its place and length, or a number by its name. */
type Patch =
  | readonly [path: Path, kind: Kind, offset: number, length: number]
  | readonly [path: Path, kind: 'number', text: string]

/**
 * A recording as bytes: version, length of the JSON (u32, little-endian), JSON with `null` where a typed array
 * belongs, and the bytes of these. A browser can read it without a library.
 */
export const encodeRecording = (recording: Recording): Uint8Array => {
  const patches: Patch[] = []
  const columns: Column[] = []
  let columnBytes = 0
  const path: (string | number)[] = []
  const inside = (key: string | number, value: unknown): unknown => {
    path.push(key)
    const stripped = strip(value)
    path.pop()
    return stripped
  }
  /** The value itself where JSON can hold all of it. */
  const strip = (value: unknown): unknown => {
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value
      patches.push([[...path], 'number', String(value)])
      return null
    }
    if (typeof value !== 'object' || value === null) return value
    if (ArrayBuffer.isView(value)) {
      const column = value as Column
      patches.push([[...path], kindOf(column), columnBytes, column.length])
      columns.push(column)
      columnBytes += aligned(column.byteLength)
      return null
    }
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i]
        const stripped = inside(i, item)
        if (stripped !== item) (copy ??= value.slice())[i] = stripped
      }
      return copy ?? value
    }
    let copy: Record<string, unknown> | undefined
    for (const [key, item] of Object.entries(value)) {
      const stripped = inside(key, item)
      if (stripped !== item) (copy ??= { ...value })[key] = stripped
    }
    return copy ?? value
  }
  const json = new TextEncoder().encode(JSON.stringify({ recording: strip(recording), patches }))
  const columnsAt = aligned(headBytes + json.length)
  const bytes = new Uint8Array(columnsAt + columnBytes)
  bytes.set([...magic, version])
  new DataView(bytes.buffer).setUint32(4, json.length, true)
  bytes.set(json, headBytes)
  let at = columnsAt
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += aligned(byteLength)
  }
  return bytes
}

/** Reads a recording. Errors: `InvalidArgument` (not a recording), `FutureVersion`. */
export const decodeRecording = (bytes: Uint8Array): Recording => {
  if (bytes.length < headBytes || magic.some((byte, i) => bytes[i] !== byte))
    throw new KirokuError('InvalidArgument', 'this is not a recording')
  if (bytes[magic.length] !== version)
    throw new KirokuError('FutureVersion', `a recording has version ${bytes[magic.length]}, not ${version}`)
  const jsonBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  const recording = read(bytes, jsonBytes)
  for (const { state } of [recording, ...recording.steps] as readonly Pick<Recording, 'state'>[])
    if (state !== undefined && !isOwnSnapshot(state.version))
      throw new KirokuError(
        'FutureVersion',
        `a state has version ${String(state.version)}; this code reads ${snapshotVersion}`,
      )
  return recording
}

/** A recording comes over a wire, from a server that may be of another version. */
const read = (bytes: Uint8Array, jsonBytes: number): Recording => {
  try {
    const text = new TextDecoder().decode(bytes.subarray(headBytes, headBytes + jsonBytes))
    const { recording, patches } = JSON.parse(text) as { recording: Recording; patches: Patch[] }
    const columnsAt = aligned(headBytes + jsonBytes)
    for (const [path, kind, ...rest] of patches)
      put(recording, path, kind === 'number' ? Number(rest[0]) : columnIn(bytes, columnsAt, kind, rest))
    if (Array.isArray(recording.steps)) return recording
  } catch (cause) {
    throw new KirokuError('InvalidArgument', 'this recording cannot be read', { cause })
  }
  throw new KirokuError('InvalidArgument', 'this recording has no steps')
}

const aligned = (bytes: number): number => Math.ceil(bytes / alignBytes) * alignBytes

const kindOf = (column: Column): Kind => {
  for (const kind of Object.keys(kinds) as Kind[]) if (column instanceof kinds[kind]) return kind
  throw new KirokuError('Internal', 'a recording has no place for such a column')
}

const columnIn = (
  bytes: Uint8Array,
  columnsAt: number,
  kind: Kind,
  [offset, length]: readonly unknown[],
): Column => {
  const column = new kinds[kind](length as number)
  const begin = columnsAt + (offset as number)
  new Uint8Array(column.buffer).set(bytes.subarray(begin, begin + column.byteLength))
  return column
}

const put = (into: unknown, path: Path, value: unknown): void => {
  let at = into as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  at[path.at(-1)!] = value
}
