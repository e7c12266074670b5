import type { PartitionLog } from '@kiroku/log'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'
import type { LoadTurns } from './LoadTurns.ts'
import { beginLoad } from './load.ts'
import type { Loaded, PassedOver, StateLoad } from './StateLoad.ts'

/**
 * The state of a partition that another node still owns, for the ownership that comes: loaded, and kept near the end of the
 * log. What is read before a fence may be given up behind it; that shows when the rest is read, and then this is dropped
 * and everything is loaded again.
 */
export class StateAhead {
  readonly #log: PartitionLog
  readonly #time: Time
  readonly #loads: LoadTurns
  #load: StateLoad | undefined
  #passedOver: readonly PassedOver[] = []
  /** What is being read; it never fails. */
  #reading: Promise<void> = Promise.resolve()
  #cancel: () => void = () => {}
  #isOver = false

  /** @param log closed with this */
  constructor(log: PartitionLog, time: Time, loads: LoadTurns) {
    this.#log = log
    this.#time = time
    this.#loads = loads
  }

  /** Loads what there is. Resolves when that is done; fails as a load does. */
  async load(): Promise<void> {
    const load = async (): Promise<void> => {
      const { lastSeq } = await this.#log.state()
      if (this.#isOver || lastSeq === 0) return
      const { begun, passedOver } = await beginLoad(this.#log, lastSeq)
      this.#load = begun
      this.#passedOver = passedOver
      this.#follow()
    }
    await this.#loads.run(
      // An ownership that has begun goes first.
      () => -1,
      () => {
        const loading = load()
        this.#reading = loading.catch(() => {})
        return loading
      },
    )
  }

  #follow(): void {
    if (this.#isOver || this.#load === undefined) return
    this.#cancel = this.#time.after(limits.aheadPollMs, () => {
      this.#reading = this.#readOn().finally(() => this.#follow())
    })
  }

  async #readOn(): Promise<void> {
    try {
      const { lastSeq } = await this.#log.state()
      await this.#advance(lastSeq)
    } catch {
      // The ownership that comes finds out what is wrong, and says it.
      this.#load = undefined
    }
  }

  async #advance(toSeq: number): Promise<void> {
    const load = this.#load
    if (load === undefined || load.seq >= toSeq) return
    if ((await load.advance(toSeq)) !== undefined) this.#load = undefined
  }

  /** The state up to a sequence, for the caller alone; undefined where it must be loaded from the beginning. */
  async take(toSeq: number): Promise<Loaded | undefined> {
    this.#end()
    await this.#reading
    try {
      await this.#advance(toSeq)
      return await this.#load?.finish(this.#passedOver)
    } catch {
      return undefined
    } finally {
      this.#load = undefined
    }
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.#end()
    await this.#reading
    this.#load = undefined
    await this.#log.close()
  }

  #end(): void {
    this.#isOver = true
    this.#cancel()
  }
}
