/** Changes that are asked for at first, and at least. */
const [workFirst, workMin] = [20_000, 2_000]
/** Changes in one recording by the speed, and at most: a replay holds a few of these. */
const [workPerSpeed, workMax] = [50_000, 250_000]
/** How long a recording should take to arrive, in ms: what plays goes on about as often, however slowly it is read. */
const wantedMs = 700
/** What the last one took tells about the next one within these factors. */
const [shrinkMost, growMost] = [0.25, 2]

/** How much of the record is read at once: as much as arrives while one still waits for it gladly. */
export class ReadPace {
  #work = workFirst

  /** Changes to ask for next, to play at a speed. */
  workFor(speed: number): number {
    return Math.round(Math.min(this.#work, workPerSpeed * Math.max(1, speed), workMax))
  }

  /** Learns how long what was asked for took, in ms. */
  took(ms: number, work: number): void {
    const factor = Math.min(growMost, Math.max(shrinkMost, wantedMs / Math.max(1, ms)))
    this.#work = Math.min(workMax, Math.max(workMin, work * factor))
  }
}
