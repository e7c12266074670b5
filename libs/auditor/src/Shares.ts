import type { Asker } from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import { limits } from './limits.ts'
import { CpuThrottle } from './throttle/CpuThrottle.ts'
import { Meter } from './throttle/Meter.ts'

/** Share of one processor that the answers to one principal take while the machine is busy. */
const answerShare = 1 / 12
/**
 * What they may take beyond that, so that an occasional question is answered at once, in ms of one
 * processor.
 */
const answerBurstMs = 1_000

/** Pause that a refused asker is told, in ms. */
const busyMs = 1_000

/** What a question is answered with: called between two pieces of work. Errors: `Stopped`, when its asker is gone. */
export type Pause = () => Promise<void>

interface Share {
  running: number
  readonly waiting: (() => void)[]
  /** Which turn was its last. */
  turn: number
  /** Processor time of its answers, in ms. */
  readonly used: { ms: number }
  readonly throttle: CpuThrottle
}

/**
 * Divides answers between principals: of those with waiting questions, the one with the fewest under way goes next, and of
 * several the one whose last turn is longest ago. Each has its own processor time, so that none pays for another's questions.
 */
export class Shares {
  readonly #stop: AbortSignal
  readonly #shares = new Map<string, Share>()
  #running = 0
  #turns = 0

  /** @param stop ends all pauses */
  constructor(stop: AbortSignal) {
    this.#stop = stop
  }

  /** Answers when it is the asker's turn. Errors: `Busy` (too many of its questions wait), `Stopped` (it is gone), those of the answer. */
  async answer<A>({ principal, signal }: Asker, run: (pause: Pause) => Promise<A>): Promise<A> {
    const share = this.#shareOf(principal)
    await this.#turn(principal, share, signal)
    try {
      const meter = new Meter(share.used)
      const pause = async (): Promise<void> => {
        meter.charge()
        refuseGone(signal)
        await share.throttle.pause()
        meter.resume()
        refuseGone(signal)
      }
      // Repeated questions pay for their processor time here.
      await pause()
      return await run(pause).finally(() => meter.charge())
    } finally {
      this.#running--
      share.running--
      this.#next()
    }
  }

  #turn(principal: string, share: Share, signal: AbortSignal | undefined): Promise<void> {
    refuseGone(signal)
    const { waiting } = share
    if (waiting.length >= limits.waitingPerPrincipalMax)
      throw new KirokuError(
        'Busy',
        `${waiting.length} questions of "${principal}" wait for the auditor, its share`,
        {
          retryAfterMs: busyMs,
        },
      )
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1)
        reject(gone())
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.push(begin)
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < limits.answersMax) {
      let next: Share | undefined
      for (const share of this.#shares.values())
        if (share.waiting.length > 0 && share.running < limits.answersPerPrincipalMax)
          if (next === undefined || isBefore(share, next)) next = share
      if (next === undefined) return
      this.#running++
      next.running++
      next.turn = ++this.#turns
      next.waiting.shift()!()
    }
  }

  #shareOf(principal: string): Share {
    const known = this.#shares.get(principal)
    if (known !== undefined) return known
    if (this.#shares.size >= limits.principalsMax) this.#forget()
    const used = { ms: 0 }
    const share: Share = {
      running: 0,
      waiting: [],
      turn: 0,
      used,
      throttle: new CpuThrottle(answerShare, this.#stop, answerBurstMs, () => used.ms),
    }
    this.#shares.set(principal, share)
    return share
  }

  /** Forgets principals without a question. */
  #forget(): void {
    for (const [principal, { running, waiting }] of this.#shares)
      if (running === 0 && waiting.length === 0) this.#shares.delete(principal)
  }
}

const isBefore = (one: Share, other: Share): boolean =>
  one.running === other.running ? one.turn < other.turn : one.running < other.running

const gone = (): KirokuError => new KirokuError('Stopped', 'the asker is gone')

const refuseGone = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw gone()
}
