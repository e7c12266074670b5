import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { tallyFields } from '@kiroku/audit'
import { tiers } from './tiers.ts'

/** Pending counts of one slot of one queue, and the last record they include. */
interface Slot {
  readonly counts: Float64Array
  seq: number
}

/**
 * Record of a row that is never trimmed: the slot before all others, with how many waited where the counts
 * begin.
 */
const forever = Number.MAX_SAFE_INTEGER

/** By slot. */
type Slots = Map<number, Slot>

/**
 * Counts what happened to each queue by slots of time: gathers counts for a while, then adds them to the
 * stored ones.
 */
export class HistoryWriter {
  readonly #database: DatabaseSync
  readonly #add: StatementSync
  /** By queue, in slots of the finest tier. */
  readonly #pending = new Map<number, Slots>()
  /** The latest counted time, and where each tier was last cut. */
  #at = 0
  readonly #cutAt = tiers.map(() => 0)

  constructor(database: DatabaseSync) {
    this.#database = database
    const columns = tallyFields.join(', ')
    this.#add = database.prepare(
      `INSERT INTO history(step, queue, slot, seq, ${columns}) VALUES (?, ?, ?, ?, ${tallyFields.map(() => '?').join(', ')})
        ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq), ${tallyFields.map((f) => `${f} = ${f} + excluded.${f}`).join(', ')}`,
    )
  }

  /** Adds what a record did to a queue at a time in ms; counts in the order of `tallyFields`. */
  add(queue: number, at: number, seq: number, counts: Float64Array): void {
    let slots = this.#pending.get(queue)
    if (slots === undefined) this.#pending.set(queue, (slots = new Map<number, Slot>()))
    addTo(slots, Math.floor(at / tiers[0].stepMs), seq, counts)
    this.#at = Math.max(this.#at, at)
  }

  /** Notes how many messages of a queue waited where the counts begin. */
  begin(queue: number, waiting: number): void {
    const counts = new Float64Array(tallyFields.length)
    counts[tallyFields.indexOf('waiting')] = waiting
    this.add(queue, 0, forever, counts)
  }

  /** Adds the pending counts to the stored ones; the caller has a transaction open. */
  flush(): void {
    for (const [queue, slots] of this.#pending)
      for (const { stepMs } of tiers)
        for (const [slot, { seq, counts }] of widened(slots, stepMs / tiers[0].stepMs))
          this.#add.run(stepMs, queue, slot, seq, ...counts)
    this.#pending.clear()
    this.#cut()
  }

  /**
   * Removes what a partition's log no longer holds; returns from when on its history is complete, if it was
   * cut.
   */
  trim(partition: number, upTo: number): number | undefined {
    const whole = tiers.at(-1)!.stepMs
    const queues = 'queue IN (SELECT id FROM queues WHERE partition = ?)'
    const last = this.#database
      .prepare(`SELECT max(slot) AS slot FROM history WHERE step = ? AND ${queues} AND seq <= ?`)
      .get(whole, partition, upTo)!['slot'] as number | null
    const others = tallyFields.filter((field) => field !== 'waiting')
    this.#database
      .prepare(
        `INSERT INTO history(step, queue, slot, seq, waiting, ${others.join(', ')})
          SELECT step, queue, 0, ${forever}, sum(waiting), ${others.map(() => '0').join(', ')} FROM history
            WHERE step = ? AND ${queues} AND seq <= ? GROUP BY queue
          ON CONFLICT DO UPDATE SET waiting = waiting + excluded.waiting`,
      )
      .run(whole, partition, upTo)
    this.#database.prepare(`DELETE FROM history WHERE ${queues} AND seq <= ?`).run(partition, upTo)
    return last === null ? undefined : (last + 1) * whole
  }

  /** Forgets everything about a partition. */
  clear(partition: number): void {
    this.#database
      .prepare('DELETE FROM history WHERE queue IN (SELECT id FROM queues WHERE partition = ?)')
      .run(partition)
  }

  /** Removes, now and then, what is older than a tier keeps. */
  #cut(): void {
    for (const [i, { stepMs, keptMs }] of tiers.entries()) {
      if (keptMs === Infinity || this.#at - this.#cutAt[i]! < keptMs / 4) continue
      this.#cutAt[i] = this.#at
      this.#database
        .prepare('DELETE FROM history WHERE step = ? AND slot < ?')
        .run(stepMs, Math.floor((this.#at - keptMs) / stepMs))
    }
  }
}

const addTo = (slots: Slots, at: number, seq: number, counts: Float64Array): void => {
  let slot = slots.get(at)
  if (slot === undefined) slots.set(at, (slot = { counts: new Float64Array(counts.length), seq }))
  slot.seq = seq
  for (let i = 0; i < counts.length; i++) slot.counts[i]! += counts[i]!
}

/** Slots of the finest tier as those of a coarser one. */
const widened = (slots: Slots, times: number): Slots => {
  if (times === 1) return slots
  const wide: Slots = new Map<number, Slot>()
  for (const [at, { counts, seq }] of slots) addTo(wide, Math.floor(at / times), seq, counts)
  return wide
}
