import type { Log } from '@kiroku/log'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'
import { Room } from './Room.ts'

/** Follows the room of the store that all partitions of a log share, for those that run here. */
export class RoomWatch {
  readonly room = new Room()
  readonly #log: Pick<Log, 'room'>
  readonly #time: Time
  /** Bytes that this node has stored. */
  #stored = 0
  #users = 0
  #cancel: () => void = () => {}

  constructor(log: Pick<Log, 'room'>, time: Time) {
    this.#log = log
    this.#time = time
  }

  stored(bytes: number): void {
    this.#stored += bytes
    this.room.stored(bytes)
  }

  /** Asks from time to time until every user has left. */
  enter(): void {
    if (++this.#users === 1) this.#tick()
  }
  leave(): void {
    if (--this.#users === 0) this.#cancel()
  }

  /** Asks the store. Resolves also when it does not answer: then its last answer counts. */
  async look(): Promise<void> {
    const before = this.#stored
    try {
      // What is stored meanwhile may be part of the answer or not.
      this.room.told(await this.#log.room(), this.#stored - before)
    } catch {
      return
    }
  }

  #tick(): void {
    void this.look()
    this.#cancel = this.#time.after(limits.storageCheckMs, () => this.#tick())
  }
}
