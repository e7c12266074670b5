import type { KeyStore } from './KeyStore.ts'

/** One stored record as the log hands it out. */
export interface LogRecord {
  readonly seq: number
  /** The store's own timestamp in ms since 1970. */
  readonly timeMs: number
  readonly data: Uint8Array
  /** True for a record that is not one of ours (a stray publish on the subject). */
  readonly foreign: boolean
}

/** What the leader says of a partition's log now. */
export interface LogState {
  /** First sequence still stored; `lastSeq + 1` when the log is empty. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** Records between the first and the last that are not there. */
  readonly holes: number
  readonly bytes: number
  /** The store's limit in bytes; 0 when it has none. */
  readonly bytesMax: number
}

/** Room of the store, which all that is in it shares: this log's partitions, its checkpoints, other logs. */
export interface StoreRoom {
  /** Bytes that can still be stored, whatever sets the limit first. */
  readonly freeBytes: number
  /** Bytes that the store could hold if nothing else took of its room. */
  readonly bytesMax: number
}

/** Immutable checkpoints of one partition, named by sequence. */
export interface CheckpointStore {
  /** Sequences of the stored checkpoints, newest first. */
  list(): Promise<number[]>
  get(seq: number): Promise<Uint8Array | undefined>
  /** Its bytes, without reading them; undefined: there is none. */
  size(seq: number): Promise<number | undefined>
  put(seq: number, bytes: Uint8Array): Promise<void>
  delete(seq: number): Promise<void>
}

/**
 * The log of one partition. There is one writer; `fence` makes the caller the writer.
 * Errors: `Fenced` (somebody else wrote), `LogAmbiguous` (no answer: stored or not is unknown, and it may
 * still land), `StorageFull` and `RecordTooLarge` (certainly not stored), `NatsUnreachable`, `LogDamaged`.
 */
export interface PartitionLog {
  readonly partition: number
  /** Largest record in bytes that the store takes; another one after the store was configured anew. */
  readonly recordBytesMax: number
  /** Asked of the leader. */
  state(): Promise<LogState>
  /**
   * Stores all `records` atomically after `expectedLastSeq`, so that nothing an earlier owner still has in
   * flight can land behind them. Resolves with the last one's sequence and the store's time.
   */
  fence(records: readonly Uint8Array[], expectedLastSeq: number): Promise<{ seq: number; timeMs: number }>
  /** Stores one record exactly behind `expectedLastSeq`; several may be in flight, in order. Resolves with its sequence. */
  append(record: Uint8Array, expectedLastSeq: number): Promise<number>
  /** Records from `fromSeq` to `toSeq` (both included; default: the last one at the call), in order, read from the leader. */
  read(fromSeq: number, toSeq?: number): AsyncIterable<LogRecord>
  /**
   * One record, on a connection of its own with bounded bytes in flight; for bodies. `bytes` is its size where it
   * is known, so that more may be in flight.
   */
  get(seq: number, bytes?: number): Promise<LogRecord | undefined>
  /** Sequences between the first and the last whose records are not there, in order, by the leader's word. */
  holes(): Promise<number[]>
  /** Removes everything up to `upTo`, included. */
  trim(upTo: number): Promise<void>
  readonly checkpoints: CheckpointStore
  close(): Promise<void>
}

/** What a log is made with; only the limits of its record may change. */
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
  /** The keys of its erasable queues; made with the first of them. */
  readonly keys: KeyStore
  /** Errors: `InvalidArgument` (the log has no such partition), `LogDamaged` (the store does not have it). */
  partition(n: number): Promise<PartitionLog>
  /** Makes a partition again that the store does not have; what it could not load comes back. Where it is there, nothing happens. */
  restore(n: number): Promise<void>
  /** The store's room now; undefined when the store does not tell. */
  room(): Promise<StoreRoom | undefined>
  close(): Promise<void>
}
