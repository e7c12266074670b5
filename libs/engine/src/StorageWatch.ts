import type { PartitionLog } from '@kiroku/log'
import { limits } from './limits.ts'
import type { Time } from './Time.ts'

/** Watches how much room the log has. When it runs short, sends are refused and settling goes on. */
export class StorageWatch {
  readonly #log: PartitionLog
  readonly #time: Time
  #cancel: () => void = () => {}
  #full = false
  #refusedAt = Number.NEGATIVE_INFINITY
  bytes = 0

  constructor(log: PartitionLog, time: Time) {
    this.#log = log
    this.#time = time
  }

  /** Whether sends must wait. */
  get full(): boolean {
    return this.#full || this.#time.monotonicMs() - this.#refusedAt < limits.storageCheckMs
  }

  /** The log refused an append for want of room. */
  refused(): void {
    this.#refusedAt = this.#time.monotonicMs()
  }

  start(): void {
    this.#cancel()
    this.#look()
  }

  stop(): void {
    this.#cancel()
  }

  #look(): void {
    this.#log.state().then(
      (s) => {
        this.bytes = s.bytes
        // The last tenth is for settling what is there already.
        this.#full = s.bytesMax > 0 && s.bytes > s.bytesMax * 0.9
      },
      () => {},
    )
    this.#cancel = this.#time.after(limits.storageCheckMs, () => this.#look())
  }
}
