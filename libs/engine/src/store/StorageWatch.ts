import type { PartitionLog } from '@kiroku/log'
import type { StorageDescription } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'
import { Room } from './Room.ts'
import type { RoomWatch } from './RoomWatch.ts'

/**
 * How much room a partition's log has: in its stream, and in the store that it shares. Below the reserve sends are
 * refused, and the reserve is for what makes room again; below twice the reserve the log is short, and trimmed early.
 */
export class StorageWatch {
  readonly #log: PartitionLog
  readonly #time: Time
  readonly #store: RoomWatch
  readonly #stream = new Room()
  readonly #onShort: () => void
  #cancel: () => void = () => {}
  #isOn = false
  #refusedAt = Number.NEGATIVE_INFINITY
  #bytes = 0
  /** Bytes that were sent off to the log, and how many of them the log's last answer knows of. */
  #sent = 0
  #answeredSent = -1
  /** Checks that passed without a question. */
  #skipped = 0

  /** @param onShort called from time to time while the log is short */
  constructor(log: PartitionLog, time: Time, store: RoomWatch, onShort: () => void) {
    this.#log = log
    this.#time = time
    this.#store = store
    this.#onShort = onShort
  }

  /** Size of the log. */
  get bytes(): number {
    return this.#bytes
  }
  /** The tighter one of the stream and the store. */
  get room(): Room {
    return this.#stream.reserves < this.#store.room.reserves ? this.#stream : this.#store.room
  }
  /** Whether sends must wait. */
  get full(): boolean {
    return !this.takes(0, 0)
  }
  /** Whether there is room for a send of this size behind those that wait. */
  takes(bytes: number, waitingBytes: number): boolean {
    if (this.#wasRefused) return false
    return this.#stream.takes(bytes, waitingBytes) && this.#store.room.takes(bytes, waitingBytes)
  }
  /** Whether there is room to store this many bytes again, behind the sends that wait. */
  carries(bytes: number, waitingBytes: number): boolean {
    if (this.#wasRefused) return false
    return this.#stream.carries(bytes, waitingBytes) && this.#store.room.carries(bytes, waitingBytes)
  }
  /** Whether there is room for deliveries. They continue where sends are refused, so that consumers make room. */
  get delivers(): boolean {
    return this.#stream.delivers && this.#store.room.delivers
  }
  /** Whether the log must make room before its limits ask for it. */
  get short(): boolean {
    return this.#stream.reserves < 2 || this.#store.room.reserves < 2
  }
  /** Why a send of this size is refused. */
  reason(bytes: number): string {
    const { freeBytes, reserveBytes, bytesMax } = this.room
    if (bytesMax === Infinity || this.#wasRefused) return 'the store took no more'
    const left = `the store has ${megabytes(freeBytes)} MB left`
    return freeBytes < reserveBytes
      ? `${left}, less than its reserve of ${megabytes(reserveBytes)} MB`
      : `${left}, and ${megabytes(bytes)} MB of sends would take it from its reserve of ${megabytes(reserveBytes)} MB`
  }
  get #wasRefused(): boolean {
    return this.#time.monotonicMs() - this.#refusedAt < limits.storageCheckMs
  }

  describe(): Omit<StorageDescription, 'earlyTrims'> {
    const { freeBytes, bytesMax, reserveBytes } = this.room
    return {
      state: this.full ? 'full' : this.short ? 'short' : 'enough',
      ...(bytesMax === Infinity ? {} : { freeBytes, bytesMax, reserveBytes }),
    }
  }

  /** The log refused an append because it is full. */
  refused(): void {
    this.#refusedAt = this.#time.monotonicMs()
  }

  /** Something was sent off to the log. */
  stored(bytes: number): void {
    this.#bytes += bytes
    this.#sent += bytes
    this.#stream.stored(bytes)
    this.#store.stored(bytes)
  }

  /** Something was deleted from the log: there may be room again. */
  async freed(): Promise<void> {
    await Promise.all([this.#ask(), this.#store.look()])
  }

  start(): void {
    this.stop()
    this.#isOn = true
    this.#store.enter()
    this.#tick()
  }

  stop(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#cancel()
    this.#store.leave()
  }

  /** A log that nothing was stored in is seldom asked: only its limits may have changed. */
  #tick(): void {
    const isAtRest = this.#sent === this.#answeredSent && !this.short
    this.#skipped = isAtRest ? this.#skipped + 1 : limits.storageChecksSkipped
    if (this.#skipped >= limits.storageChecksSkipped) {
      this.#skipped = 0
      void this.#ask()
    }
    if (this.short) this.#onShort()
    this.#cancel = this.#time.after(limits.storageCheckMs, () => this.#tick())
  }

  async #ask(): Promise<void> {
    const before = this.#sent
    try {
      const { bytes, bytesMax } = await this.#log.state()
      this.#bytes = bytes
      this.#answeredSent = before
      // What is stored meanwhile may be part of the answer or not.
      const since = this.#sent - before
      this.#stream.told(bytesMax > 0 ? { freeBytes: bytesMax - bytes, bytesMax } : undefined, since)
    } catch {
      return
    }
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
