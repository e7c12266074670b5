import { cpus } from 'node:os'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { CpuBudget, type CpuSources } from './CpuBudget.ts'

/** Slows a reader's work on a busy machine, so that others do not notice it. */
export class CpuThrottle {
  readonly #budget: CpuBudget
  readonly #signal: AbortSignal

  /**
   * @param workShare how much of one processor the process takes while the machine is busy
   * @param signal ends a pause
   * @param burstMs processor time that the work may take ahead of its share, in ms
   * @param own processor time that the work has taken, in ms; all of the process by default
   */
  constructor(workShare: number, signal: AbortSignal, burstMs = 0, own = processMs) {
    this.#budget = new CpuBudget({ ...sources, own }, workShare, burstMs)
    this.#signal = signal
  }

  /** Call between two pieces of work: yields, and waits while the machine is busy. */
  async pause(): Promise<void> {
    await nextTick()
    for (let restMs; !this.#signal.aborted && (restMs = this.#budget.restMs()) > 0;) await this.rest(restMs)
  }

  /** Waits, unless the signal is aborted. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {})
  }
}

/** Processor time that this process has used, in ms. */
export const processMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const sources: Omit<CpuSources, 'own'> = {
  now: () => performance.now(),
  machine: () => {
    let [idle, all] = [0, 0]
    for (const { times } of cpus()) {
      idle += times.idle
      all += times.idle + times.user + times.sys + times.nice + times.irq
    }
    return { idle, all }
  },
}
