import { KirokuError } from '@kiroku/protocol'
import type { LogState, StoreRoom } from './Log.ts'
import type { MemorySpace } from './MemorySpace.ts'
import type { MemoryStore } from './MemoryStore.ts'

/**
 * What happens to one append or fence:
 * - `none`: nothing, it works;
 * - `requestLost`: not stored, no answer (`LogAmbiguous`);
 * - `answerLost`: stored, no answer (`LogAmbiguous`);
 * - `late`: no answer, still under way together with everything its handle appends behind it before its next
 *   fence or repeat, until `land` is called;
 * - `displaced`: a foreign record takes its place just before it arrives (`Fenced`);
 * - `full`: `StorageFull`.
 */
export type WriteFault = 'none' | 'requestLost' | 'answerLost' | 'late' | 'displaced' | 'full'

/** A write that is still in flight. */
interface Wanderer {
  readonly records: readonly Uint8Array[]
  readonly expectedLastSeq: number
}

/** The scripted faults of a memory log. Nothing here is random. */
export class MemoryFaults {
  readonly #store: (partition: number) => MemoryStore
  readonly #scripts = new Map<string, WriteFault[]>()
  readonly #wanderers = new Map<number, Wanderer[]>()
  /** Partitions that the store lost. */
  readonly unloaded = new Set<number>()
  readonly #space: MemorySpace
  #delayMs = 0
  #full = false
  #down = false
  #recordBytesMax: number
  constructor(store: (partition: number) => MemoryStore, space: MemorySpace, recordBytesMax: number) {
    this.#store = store
    this.#space = space
    this.#recordBytesMax = recordBytesMax
  }

  /** Faults of the next appends to `partition`, one each, in order. */
  onAppend(partition: number, ...faults: WriteFault[]): void {
    this.#script('append', partition).push(...faults)
  }
  /** Faults of the next fences of `partition`, one each, in order. */
  onFence(partition: number, ...faults: WriteFault[]): void {
    this.#script('fence', partition).push(...faults)
  }
  /** Loses this partition until it is restored. */
  unload(partition: number): void {
    this.unloaded.add(partition)
  }
  /**
   * Lets every late write arrive now, in order; each is stored only if its expectation still holds and there
   * is room. Returns the number stored.
   */
  land(partition: number): number {
    const wanderers = this.#wanderers.get(partition) ?? []
    this.#wanderers.delete(partition)
    let stored = 0
    const store = this.#store(partition)
    for (const { records, expectedLastSeq } of wanderers)
      if (store.lastSeq === expectedLastSeq && store.hasRoomFor(records)) {
        store.write(records, expectedLastSeq)
        stored++
      }
    return stored
  }
  /** Number of late writes that have not arrived. */
  underWay(partition: number): number {
    return this.#wanderers.get(partition)?.length ?? 0
  }
  /** Clears all faults; late writes stay in flight. */
  calm(): void {
    this.#scripts.clear()
    this.#delayMs = 0
    this.#full = false
    this.#down = false
  }
  /** From now on every operation takes `ms` by the log's scheduler. */
  slow(ms: number): void {
    this.#delayMs = ms
  }
  /** From now on nothing can be stored (or again, with false). Reading continues. */
  full(on: boolean): void {
    this.#full = on
  }
  /** From now on the store holds this many bytes, of all partitions and their checkpoints; 0: no limit. */
  resizeStore(bytesMax: number): void {
    this.#space.bytesMax = bytesMax
  }
  /** From now on the log of a partition holds this many bytes; 0: no limit of its own. */
  resizeStream(partition: number, bytesMax: number): void {
    this.#store(partition).bytesMax = bytesMax
  }
  /** From now on the store takes records of up to this many bytes, as a server whose `max_payload` was changed. */
  limitRecords(bytesMax: number): void {
    this.#recordBytesMax = bytesMax
  }
  /** What the store has left; undefined: it has no limit. */
  get room(): StoreRoom | undefined {
    return this.#space.room
  }
  /** Bytes of all partitions and their checkpoints. */
  get usedBytes(): number {
    return this.#space.used
  }
  /** From now on every operation fails with `NatsUnreachable`, without effect (or works again, with false). */
  down(on: boolean): void {
    this.#down = on
  }
  /**
   * Stores a record after the last one without any expectation, like another owner or a stray publish.
   * Returns its sequence.
   */
  write(partition: number, record: Uint8Array): number {
    const store = this.#store(partition)
    return store.write([record], store.lastSeq).seq
  }
  /** Flips a byte of a stored record; counted from the end when `at` is negative. */
  damage(partition: number, seq: number, at = -1): void {
    const record = this.#store(partition).record(seq)
    if (!record) throw new KirokuError('InvalidArgument', `there is no record ${seq}`)
    const data = Uint8Array.from(record.data)
    data[at < 0 ? data.length + at : at]! ^= 0xff
    this.#store(partition).replace(seq, data)
  }
  /** Leaves a hole where a record was. */
  loseRecord(partition: number, seq: number): void {
    this.#store(partition).replace(seq, undefined)
  }
  /** Forgets the last `count` records, as a file cut at its end does; their sequences are reused. */
  loseTail(partition: number, count: number): void {
    this.#store(partition).loseTail(count)
  }
  /** What is stored now: the log, the sequences of its checkpoints, oldest first, and the bytes of those. */
  stored(partition: number): LogState & { checkpoints: number[]; checkpointBytes: number } {
    const { state, checkpoints } = this.#store(partition)
    let checkpointBytes = 0
    for (const { length } of checkpoints.values()) checkpointBytes += length
    const seqs = [...checkpoints.keys()].sort((a, b) => a - b)
    return { ...state, checkpoints: seqs, checkpointBytes }
  }
  /** Forgets a checkpoint. */
  loseCheckpoint(partition: number, seq: number): void {
    this.#store(partition).checkpoints.delete(seq)
  }
  /** Flips the last byte of a checkpoint. */
  damageCheckpoint(partition: number, seq: number): void {
    const bytes = Uint8Array.from(this.#store(partition).checkpoints.get(seq) ?? [])
    bytes[bytes.length - 1]! ^= 0xff
    this.#store(partition).checkpoints.set(seq, bytes)
  }

  /** @internal */
  get delayMs(): number {
    return this.#delayMs
  }
  /** Largest record that the store takes, in bytes. */
  get recordBytesMax(): number {
    return this.#recordBytesMax
  }
  /** Whether it is down. */
  get isDown(): boolean {
    return this.#down
  }
  /** @internal The fault scripted for this write. */
  take(kind: 'append' | 'fence', partition: number): WriteFault {
    const scripted = this.#script(kind, partition).shift() ?? 'none'
    return scripted === 'none' && this.#full ? 'full' : scripted
  }
  /** @internal */
  wander(partition: number, write: Wanderer): void {
    const wanderers = this.#wanderers.get(partition)
    if (wanderers) wanderers.push(write)
    else this.#wanderers.set(partition, [write])
  }

  #script(kind: 'append' | 'fence', partition: number): WriteFault[] {
    const key = `${kind} ${partition}`
    const script = this.#scripts.get(key) ?? []
    this.#scripts.set(key, script)
    return script
  }
}
