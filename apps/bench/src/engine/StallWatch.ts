import { monitorEventLoopDelay } from 'node:perf_hooks'

const tickMs = 2

/** The longest stall of a thread. */
export interface Stall {
  /** As the events saw it, also while another process had the processor. */
  readonly stallMs: number
  /** The most that the thread itself worked between two events. */
  readonly busyMs: number
}

/** Watches how long the thread that it is made on does not come to its events. */
export class StallWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: 1 })
  #busyMs = 0
  #since = process.threadCpuUsage()

  constructor() {
    this.#delay.enable()
    setInterval(() => this.#tick(), tickMs).unref()
  }

  #tick(): void {
    const { user, system } = process.threadCpuUsage(this.#since)
    this.#busyMs = Math.max(this.#busyMs, (user + system) / 1_000)
    this.#since = process.threadCpuUsage()
  }

  begin(): void {
    this.#tick()
    this.#delay.reset()
    this.#busyMs = 0
  }

  read(): Stall {
    return { stallMs: this.#delay.max / 1e6, busyMs: this.#busyMs }
  }
}
