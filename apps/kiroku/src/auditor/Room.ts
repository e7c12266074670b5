import { cpus } from 'node:os'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { Pace, type PaceSources } from './Pace.ts'

/** How the work of a reader makes room for whatever else the machine does. */
export class Room {
  readonly #pace: Pace
  readonly #signal: AbortSignal

  /**
   * @param workShare how much of one processor the process takes while the machine is busy
   * @param signal ends a rest
   * @param burstMs processor time that the work may take ahead of its share, in ms
   */
  constructor(workShare: number, signal: AbortSignal, burstMs = 0) {
    this.#pace = new Pace(sources, workShare, burstMs)
    this.#signal = signal
  }

  /** Called between two pieces of work: lets others have their turn, and rests where the machine is busy. */
  async make(): Promise<void> {
    await nextTick()
    for (let restMs; !this.#signal.aborted && (restMs = this.#pace.restMs()) > 0;) await this.rest(restMs)
  }

  /** Waits for something to do. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {})
  }
}

const sources: PaceSources = {
  now: () => performance.now(),
  own: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  machine: () => {
    let [idle, all] = [0, 0]
    for (const { times } of cpus()) {
      idle += times.idle
      all += times.idle + times.user + times.sys + times.nice + times.irq
    }
    return { idle, all }
  },
}
