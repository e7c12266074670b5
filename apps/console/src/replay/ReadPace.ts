/** Changes requested at first, and at least. */
const [workFirst, workMin] = [20_000, 2_000]
/** Changes in one recording by the speed, and at most: a replay holds a few of these. */
const [workPerSpeed, workMax] = [50_000, 250_000]
/**
 * How long a recording should take to arrive, in ms: playback advances about as often, however slowly it is
 * read.
 */
const wantedMs = 700
/** The time of the last one adjusts the next one within these factors. */
const [shrinkMost, growMost] = [0.25, 2]

/** How much of the record is read at once: as much as arrives within an acceptable wait. */
export class ReadPace {
  #work = workFirst

  /** Changes to request next, to play at a speed. */
  workFor(speed: number): number {
    return Math.round(Math.min(this.#work, workPerSpeed * Math.max(1, speed), workMax))
  }

  /** Learns how long a request took, in ms. */
  took(ms: number, work: number): void {
    const factor = Math.min(growMost, Math.max(shrinkMost, wantedMs / Math.max(1, ms)))
    this.#work = Math.min(workMax, Math.max(workMin, work * factor))
  }
}
