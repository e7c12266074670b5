/** Bytes of a slot in all columns. */
export const slotBytes = 7 * 8 + 9 * 4 + 2

/**
 * Columns in one piece of memory, the widest first. Systems get a large piece back when it is let go of; in their
 * place, the pieces of columns that were let go of one by one stay with the process, between others.
 */
export const columnsIn = (
  buffer: ArrayBuffer,
  capacity: number,
): LiveCopy & { heap: Int32Array; heapPos: Int32Array } => {
  let at = 0
  const next = <A extends Column>(Type: {
    new (buffer: ArrayBuffer, at: number, length: number): A
    readonly BYTES_PER_ELEMENT: number
  }): A => {
    const column = new Type(buffer, at, capacity)
    at += capacity * Type.BYTES_PER_ELEMENT
    return column
  }
  return {
    number: next(Float64Array),
    seq: next(Float64Array),
    enqueuedAt: next(Float64Array),
    deadline: next(Float64Array),
    leaseCap: next(Float64Array),
    delivery: next(Float64Array),
    firstAt: next(Float64Array),
    index: next(Uint32Array),
    bytes: next(Uint32Array),
    owner: next(Uint32Array),
    next: next(Int32Array),
    prev: next(Int32Array),
    heap: next(Int32Array),
    heapPos: next(Int32Array),
    attempt: next(Uint32Array),
    attemptsMax: next(Uint32Array),
    state: next(Uint8Array),
    simple: next(Uint8Array),
  }
}

/** One column. */
export type Column = Float64Array | Uint32Array | Uint8Array | Int32Array

/** The column up to `length`, copied; into `space` where it is large enough. */
export const copyColumn = (column: Column, length: number, space: Column | undefined): Column => {
  if (space === undefined || space.length < length) return column.slice(0, length)
  space.set(column.subarray(0, length))
  return space.subarray(0, length)
}

/** The columns of a checkpoint. */
export interface LiveCopy {
  number: Float64Array
  seq: Float64Array
  index: Uint32Array
  bytes: Uint32Array
  enqueuedAt: Float64Array
  deadline: Float64Array
  leaseCap: Float64Array
  delivery: Float64Array
  /** Absent in a checkpoint of an older version. */
  firstAt: Float64Array
  owner: Uint32Array
  attempt: Uint32Array
  attemptsMax: Uint32Array
  state: Uint8Array
  simple: Uint8Array
  next: Int32Array
  prev: Int32Array
}

/** Names of the columns of a checkpoint. */
export const liveColumns = [
  'number',
  'seq',
  'index',
  'bytes',
  'enqueuedAt',
  'deadline',
  'leaseCap',
  'delivery',
  'firstAt',
  'owner',
  'attempt',
  'attemptsMax',
  'state',
  'simple',
  'next',
  'prev',
] as const satisfies readonly (keyof LiveCopy)[]
