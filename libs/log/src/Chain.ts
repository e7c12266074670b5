import { KirokuError } from '@kiroku/protocol'
import { ChainError } from './ChainError.ts'
import type { DecodedRecord } from './DecodedRecord.ts'
import { decodeRecord } from './FrameCodec.ts'
import type { LogRecord, PartitionLog } from './Log.ts'
import { zeroHash } from './RecordLayout.ts'

/**
 * A place in the log that is known to be good: a sequence and the hash of Kiroku's last record up to there.
 */
export interface ChainAnchor {
  readonly seq: number
  readonly hash: Uint8Array
  /** Epoch in force there, if known. */
  readonly epoch?: number
}

/**
 * One record of the log, in order. Foreign ones are outside the chain. `lost` replaces damaged records that a
 * later `Repaired` gave up, both sequences included: `bridged` when they happened and a checkpoint at `upTo` holds the
 * state, otherwise what is readable in them never happened.
 */
export type ChainEntry =
  | {
      readonly kind: 'lost'
      readonly seq: number
      readonly upTo: number
      readonly bridged: boolean
      readonly damage: ChainError
    }
  | { readonly kind: 'ours'; readonly seq: number; readonly timeMs: number; readonly record: DecodedRecord }
  | { readonly kind: 'foreign'; readonly seq: number; readonly timeMs: number; readonly bytes: number }

/** What to read, and how thoroughly. */
export interface ReadChainOptions {
  /** Start after this place. Default: the first stored record. */
  readonly from?: ChainAnchor
  /** Start with this record, unchecked against an earlier one; `from` wins over it. */
  readonly fromSeq?: number
  /**
   * With `fromSeq`, in a log that was repaired: starts after what a repair declared never to have happened.
   */
  readonly skipsVoid?: boolean
  /** Last sequence to read. Default: the last one at the call. */
  readonly toSeq?: number
  /**
   * Continues a read that ended at `from`: the store is asked for the records up to `toSeq` alone. That the log is still the one that was
   * read shows in the first of them, which must follow.
   */
  readonly continues?: boolean
  /** Also check each body against its digest; the checksum covers them anyway. */
  readonly deep?: boolean
}

/**
 * Reads records and checks that they are the log that was written: no holes, checksums, the chain of hashes,
 * epochs that only grow and change by an `OwnerChanged`.
 * Damage is passed over where a later frame with `Repaired` names its sequence as `from` and either continues
 * the chain from the last good record, or names the hash with which it continues. Throws a `ChainError` with
 * the first bad sequence: `LogDamaged`, `LogShortened` (the anchor is past the end), `FutureVersion`; and
 * what reading the log throws.
 */
export async function* readChain(
  log: PartitionLog,
  options: ReadChainOptions = {},
): AsyncGenerator<ChainEntry, void, undefined> {
  const { from, continues = false } = options
  const state =
    continues && from !== undefined && options.toSeq !== undefined
      ? { firstSeq: from.seq + 1, lastSeq: options.toSeq }
      : await log.state()
  const toSeq = Math.min(options.toSeq ?? Infinity, state.lastSeq)
  if (from && from.seq > state.lastSeq)
    throw new ChainError(
      'LogShortened',
      log.partition,
      state.lastSeq + 1,
      `the log ends at ${state.lastSeq}, but it reached ${from.seq}`,
    )
  const { fromSeq = 1, skipsVoid = false } = options
  const firstSeq = await behindVoid(log, Math.max(state.firstSeq, fromSeq), skipsVoid)
  const link = new ChainLink(log.partition, from, firstSeq, options.deep ?? false)
  if (from && from.seq >= state.firstSeq) await checkAnchor(log, from)
  for (;;)
    try {
      for await (const record of log.read(link.nextSeq, toSeq)) yield link.accept(record)
      link.end(toSeq)
      return
    } catch (damage) {
      if (!(damage instanceof ChainError) || damage.id !== 'LogDamaged') throw damage
      // A read that starts in the past may end before the repair that accounts for it.
      const repair = await findRepair(log, link, options.fromSeq === undefined ? toSeq : state.lastSeq)
      if (repair === undefined) throw damage
      const { upTo, hash } = repair
      yield { kind: 'lost', seq: link.nextSeq, upTo, bridged: hash !== undefined, damage }
      link.skip(upTo, hash)
    }
}

/** Where the chain continues, and with which hash if not the last good record's. */
interface Reopening {
  readonly upTo: number
  readonly hash: Uint8Array | undefined
}

/** What a later frame says of the records after the checked part. */
const findRepair = async (
  log: PartitionLog,
  link: ChainLink,
  toSeq: number,
): Promise<Reopening | undefined> => {
  for await (const stored of log.read(link.nextSeq, toSeq)) {
    const repair = stored.foreign ? undefined : link.repairIn(stored)
    if (repair !== undefined) return repair
  }
  return undefined
}

/** The first record from `seq` on that no later repair declared never to have happened. */
const behindVoid = async (log: PartitionLog, seq: number, skipsVoid: boolean): Promise<number> => {
  if (!skipsVoid) return seq
  for await (const stored of log.read(seq)) {
    const record = stored.foreign ? undefined : decodedOrNothing(stored)
    if (record?.kind !== 'frame') continue
    for (const e of record.events)
      if (e.type === 'Repaired' && e.hash === '' && e.from <= seq && seq <= e.upTo) return e.upTo + 1
  }
  return seq
}

const decodedOrNothing = ({ data }: LogRecord): DecodedRecord | undefined => {
  try {
    return decodeRecord(data)
  } catch {
    return undefined
  }
}

/** The record at the anchor, unless foreign, must be the one that the anchor names. */
const checkAnchor = async (log: PartitionLog, anchor: ChainAnchor): Promise<void> => {
  const stored = await log.get(anchor.seq)
  if (!stored) throw new ChainError('LogDamaged', log.partition, anchor.seq, 'the record is missing')
  if (stored.foreign) return
  if (Buffer.compare(decode(log.partition, stored).hash, anchor.hash) !== 0)
    throw new ChainError('LogDamaged', log.partition, anchor.seq, 'this is not the record that was written')
}

const decode = (partition: number, { seq, data }: LogRecord): DecodedRecord => {
  try {
    return decodeRecord(data)
  } catch (cause) {
    if (cause instanceof KirokuError && (cause.id === 'LogDamaged' || cause.id === 'FutureVersion'))
      throw new ChainError(cause.id, partition, seq, cause.message, { cause })
    throw cause
  }
}

/** The moving end of the checked part. */
class ChainLink {
  readonly #partition: number
  readonly #deep: boolean
  #seq: number
  /** Undefined where a trimmed log begins: its first record has no predecessor to check against. */
  #hash: Uint8Array | undefined
  #epoch: number | undefined
  constructor(partition: number, from: ChainAnchor | undefined, firstSeq: number, deep: boolean) {
    this.#partition = partition
    this.#deep = deep
    this.#seq = from ? from.seq : firstSeq - 1
    this.#hash = from ? from.hash : firstSeq === 1 ? zeroHash : undefined
    this.#epoch = from?.epoch
  }
  get nextSeq(): number {
    return this.#seq + 1
  }
  accept(stored: LogRecord): ChainEntry {
    const { seq, timeMs } = stored
    if (seq !== this.nextSeq) throw this.#damage('the record is missing')
    if (stored.foreign) {
      this.#seq = seq
      return { kind: 'foreign', seq, timeMs, bytes: stored.data.length }
    }
    const record = decode(this.#partition, stored)
    if (!this.#follows(record)) throw this.#damage('the chain of hashes is broken before it')
    if (this.#deep && !record.bodiesIntact()) throw this.#damage('a body is not what was written')
    this.#checkEpoch(record)
    this.#seq = seq
    this.#hash = record.hash
    this.#epoch = record.epoch
    return { kind: 'ours', seq, timeMs, record }
  }
  /** What a later record gives up starting at the end of the checked part, if anything. */
  repairIn(stored: LogRecord): Reopening | undefined {
    const record = decodedOrNothing(stored)
    if (record?.kind !== 'frame') return undefined
    for (const e of record.events) {
      if (e.type !== 'Repaired' || e.from !== this.nextSeq || e.upTo < e.from) continue
      if (e.hash !== '') return { upTo: e.upTo, hash: Buffer.from(e.hash, 'hex') }
      if (e.upTo === stored.seq - 1 && record.epoch > (this.#epoch ?? -1) && this.#follows(record))
        return { upTo: e.upTo, hash: undefined }
    }
    return undefined
  }
  /** Continues after `seq`: with the hash there, or with that of the last good record. */
  skip(seq: number, hash: Uint8Array | undefined): void {
    this.#seq = seq
    if (hash === undefined) return
    this.#hash = hash
    this.#epoch = undefined
  }
  end(toSeq: number): void {
    if (this.#seq < toSeq) throw this.#damage('the record is missing')
  }
  #follows(record: DecodedRecord): boolean {
    return !this.#hash || Buffer.compare(record.prevHash, this.#hash) === 0
  }
  #checkEpoch(record: DecodedRecord): void {
    const epoch = this.#epoch
    if (epoch === undefined || record.epoch === epoch) return
    if (record.epoch < epoch)
      throw this.#damage(`an owner of epoch ${record.epoch} wrote after one of epoch ${epoch}`)
    const announced =
      record.kind === 'frame' &&
      record.events.some((e) => e.type === 'OwnerChanged' && e.epoch === record.epoch)
    if (!announced) throw this.#damage(`epoch ${record.epoch} begins without an OwnerChanged`)
  }
  #damage(what: string): ChainError {
    return new ChainError('LogDamaged', this.#partition, this.nextSeq, what)
  }
}
