import type { KeyStore } from './KeyStore.ts'

/** A stored record as read from the log. */
export interface LogRecord {
  readonly seq: number
  /** The store's own timestamp in ms since 1970. */
  readonly timeMs: number
  readonly data: Uint8Array
  /** True for a foreign record (a stray publish on the subject). */
  readonly foreign: boolean
}

/** The state of a partition's log according to the leader. */
export interface LogState {
  /** First sequence still stored; `lastSeq + 1` when the log is empty. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** Number of missing records between the first and the last. */
  readonly holes: number
  readonly bytes: number
  /** The store's limit in bytes; 0 when it has none. */
  readonly bytesMax: number
}

/** Room of the store, shared by everything in it: this log's partitions, its checkpoints, other logs. */
export interface StoreRoom {
  /** Bytes that can still be stored, by the tightest limit. */
  readonly freeBytes: number
  /** Bytes that the store could hold if nothing else used its room. */
  readonly bytesMax: number
}

/** Immutable checkpoints of one partition, named by sequence. */
export interface CheckpointStore {
  /** Sequences of the stored checkpoints, newest first. */
  list(): Promise<number[]>
  get(seq: number): Promise<Uint8Array | undefined>
  /** Size of one in bytes, without reading it; undefined: there is none. */
  size(seq: number): Promise<number | undefined>
  put(seq: number, bytes: Uint8Array): Promise<void>
  delete(seq: number): Promise<void>
}

/**
 * The log of one partition. There is one writer; `fence` makes the caller the writer.
 * Errors: `Fenced` (another owner wrote), `LogAmbiguous` (no answer: stored or not is unknown, and it may
 * still land), `StorageFull` and `RecordTooLarge` (certainly not stored), `NatsUnreachable`, `LogDamaged`.
 */
export interface PartitionLog {
  readonly partition: number
  /** Largest record in bytes that the store takes; changes when the store is reconfigured. */
  readonly recordBytesMax: number
  /** Read from the leader. */
  state(): Promise<LogState>
  /**
   * Stores all `records` atomically after `expectedLastSeq`, so that nothing an earlier owner still has in
   * flight can land after them. Resolves with the last one's sequence and the store's time.
   */
  fence(records: readonly Uint8Array[], expectedLastSeq: number): Promise<{ seq: number; timeMs: number }>
  /**
   * Stores one record exactly after `expectedLastSeq`; several may be in flight, in order. Resolves with its
   * sequence.
   */
  append(record: Uint8Array, expectedLastSeq: number): Promise<number>
  /** Records from `fromSeq` to `toSeq` (both included; default: the last one at the call), in order, read from the leader. */
  read(fromSeq: number, toSeq?: number): AsyncIterable<LogRecord>
  /**
   * One record, on a connection of its own with bounded bytes in flight; for bodies. `bytes` is its size if
   * known, so that more may be in flight.
   */
  get(seq: number, bytes?: number): Promise<LogRecord | undefined>
  /**
   * Sequences between the first and the last whose records are missing, in order, according to the leader.
   */
  holes(): Promise<number[]>
  /** Removes everything up to `upTo`, included. */
  trim(upTo: number): Promise<void>
  /**
   * Calls `listener` with the last stored sequence shortly after anyone has stored records, once for many of them. Only a hint,
   * which may be late or lost; it costs the store no request. Returns the function that stops it.
   */
  onStored(listener: (lastSeq: number) => void): () => void
  readonly checkpoints: CheckpointStore
  close(): Promise<void>
}

/** Properties of a log from its creation; only the limits of its record may change. */
export interface LogMeta {
  readonly name: string
  /** Short random name of this incarnation; part of every message id. */
  readonly incarnation: string
  readonly partitions: number
  readonly replicas: number
  /** How long the record is kept after a message is final. */
  readonly recordMs: number
  /** How much of it is kept, in all partitions together. */
  readonly recordBytes: number
}

/** A group of partitions with one policy. */
export interface Log {
  readonly meta: LogMeta
  /** The keys of its erasable queues; created with the first such queue. */
  readonly keys: KeyStore
  /** Errors: `InvalidArgument` (the log has no such partition), `LogDamaged` (the store does not have it). */
  partition(n: number): Promise<PartitionLog>
  /**
   * Creates a partition again that the store lost; what it could not load comes back. Does nothing if the
   * partition exists.
   */
  restore(n: number): Promise<void>
  /** The store's room now; undefined when the store does not say. */
  room(): Promise<StoreRoom | undefined>
  close(): Promise<void>
}
