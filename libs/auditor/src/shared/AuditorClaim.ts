import type { AuditorBeat } from './AuditorBeat.ts'

/** How often the node with the auditor says so, in ms. */
export const auditorBeatMs = 2_000

/** Time without a beat after which another node takes the auditor over, in ms. */
const silentMs = 3 * auditorBeatMs + 500

/**
 * Whether this node is the one of its cluster that runs the auditor. Nothing depends on there being exactly one: two would
 * only read twice, each into its own folder, until one of them hears of the other.
 */
export class AuditorClaim {
  readonly #node: string
  #sinceMs: number | undefined
  #heardAtMs = -Infinity

  constructor(node: string) {
    this.#node = node
  }

  /** What it says of itself; undefined: another node runs the auditor, or none. */
  get beat(): AuditorBeat | undefined {
    return this.#sinceMs === undefined ? undefined : { node: this.#node, sinceMs: this.#sinceMs }
  }

  /** Another node runs the auditor; this one gives its own up if it began later. `nowMs` is monotonic. */
  hear(beat: AuditorBeat, nowMs: number): void {
    if (beat.node === this.#node) return
    const own = this.beat
    if (own !== undefined && isBefore(own, beat)) return
    this.#sinceMs = undefined
    this.#heardAtMs = nowMs
  }

  /** The node that ran the auditor has stopped. */
  hearEnd(): void {
    this.#heardAtMs = -Infinity
  }

  /** Nothing could be heard until now. */
  wait(nowMs: number): void {
    this.#heardAtMs = Math.max(this.#heardAtMs, nowMs)
  }

  /** Takes the auditor over where no other node has said for a while that it runs it. */
  look(nowMs: number, timeMs: number): void {
    if (this.#sinceMs === undefined && nowMs - this.#heardAtMs > silentMs) this.#sinceMs = timeMs
  }
}

const isBefore = (one: AuditorBeat, other: AuditorBeat): boolean =>
  one.sinceMs === other.sinceMs ? one.node < other.node : one.sinceMs < other.sinceMs
