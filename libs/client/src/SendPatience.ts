import { ChurnSet } from '@kiroku/protocol'
import type { ClientContext } from './ClientContext.ts'
import type { TimerHandle } from './Clock.ts'
import { limits } from './limits.ts'

/** A send that has no answer yet. */
export interface WaitingSend {
  /** When its caller began to wait, in ms of the client's clock. */
  readonly begunMs: number
  /** Fails it, even while a request with it is under way. */
  giveUp(why: string): void
}

/**
 * Gives up sends that wait too long: those whose caller said how long after that time, the others as soon as they have
 * waited for seconds and nobody answers at all. A partition that only moves is waited for: NATS says that it has no owner.
 */
export class SendPatience {
  readonly #context: ClientContext
  readonly #silentSinceMs: () => number | undefined
  /** Oldest first, but for what was sent again in the place of something older. */
  readonly #sends = new ChurnSet<WaitingSend>()
  #timer: TimerHandle
  #isArmed = false

  /** @param silentSinceMs since when nobody has answered, in ms of the client's clock; undefined: nothing is asked */
  constructor(context: ClientContext, silentSinceMs: () => number | undefined) {
    this.#context = context
    this.#silentSinceMs = silentSinceMs
  }

  add(send: WaitingSend): void {
    this.#sends.add(send)
    if (!this.#isArmed) this.#arm()
  }

  /** A send has its answer. */
  delete(send: WaitingSend): void {
    this.#sends.delete(send)
  }

  close(): void {
    this.#sends.clear()
    this.#context.clock.clearTimeout(this.#timer)
  }

  #arm(): void {
    const [oldest] = this.#sends
    this.#isArmed = oldest !== undefined
    if (oldest === undefined) return
    const { clock } = this.#context
    const leftMs = Math.max(0, this.#dueMs(oldest) - clock.now())
    this.#timer = clock.setTimeout(() => void this.#judge().then(() => this.#arm()), leftMs)
  }

  #dueMs({ begunMs }: WaitingSend): number {
    const { sendTimeoutMs, sendPatience, clock } = this.#context
    const { silenceMs } = sendPatience
    if (sendTimeoutMs !== undefined) return begunMs + Math.max(sendTimeoutMs, silenceMs)
    const silentMs = this.#silentSinceMs() ?? clock.now()
    return Math.max(begunMs + silenceMs, silentMs + Math.min(limits.silenceMsMin, silenceMs))
  }

  async #judge(): Promise<void> {
    const { clock, transport } = this.#context
    const nowMs = clock.now()
    const isDue = (send: WaitingSend): boolean => this.#dueMs(send) <= nowMs
    if (![...this.#sends].some(isDue)) return
    const outage = await transport.outage?.().catch(() => undefined)
    const why = outage?.message ?? 'nobody has answered for seconds; the log may have lost its quorum'
    // Someone may have answered meanwhile.
    for (const send of this.#sends) if (isDue(send)) send.giveUp(why)
  }
}
