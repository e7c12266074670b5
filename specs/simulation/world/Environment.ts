import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { Judges } from '../checkers/Judges.ts'
import { Chance } from '../core/Chance.ts'
import { Coverage } from '../core/Coverage.ts'
import { History } from '../core/History.ts'
import { Loop } from '../core/Loop.ts'
import { beginningMs } from '../core/takeOverGlobals.ts'
import { calmOdds, type Odds } from '../plan/Odds.ts'
import type { Plan } from '../plan/Plan.ts'
import { ClockBook } from './ClockBook.ts'
import { Truth } from './Truth.ts'
import { openStored } from './openStored.ts'

/** How long a late write is under way, in ms. */
const landingMs = [1, 30, 300, 3_000] as const
/** What nodes and their network live in: time, chance, the store, what it really holds, and who judges. */
export class Environment {
  readonly plan: Plan
  readonly loop = new Loop()
  readonly coverage = new Coverage()
  readonly history: History
  readonly chance: Chance
  readonly log: MemoryLog
  readonly judges: Judges
  readonly truth: Truth
  /** How probable what is now. */
  odds: Odds = calmOdds
  /** Nothing goes wrong any more: consumers consume, and everything must come to an end. */
  isCalm = false
  /** How far clocks are off: the store's, by this name, and those of nodes, by theirs. */
  readonly clocks = new ClockBook()
  #storeOffMs = 0
  /** How often time passed in which nothing happened. */
  leaps = 0
  failure: Error | undefined
  /** Checkpoints that were stored wrongly, as `partition sequence`. */
  readonly garbled = new Set<string>()
  /** What was started and has not ended, by name. */
  readonly busy = new Map<Promise<void>, string>()

  constructor(plan: Plan, keepsHistory: boolean) {
    this.plan = plan
    this.clocks.note(storeClock, 0, 0)
    this.chance = new Chance(plan.seed, 'world')
    this.history = new History(this.loop, keepsHistory)
    this.judges = new Judges(
      this.coverage,
      this.history,
      () => this.truth,
      (error) => this.fail(error),
    )
    this.truth = new Truth(
      plan.partitions,
      this.loop,
      this.judges,
      (partition) => this.log.faults.stored(partition).firstSeq - 1,
      (stored) => openStored(this.log.keys, stored),
    )
    this.log = createMemoryLog(
      {
        partitions: plan.partitions,
        recordBytes: plan.recordBytes,
        ...(plan.store === undefined ? {} : { recordMs: plan.store.recordMs }),
      },
      {
        now: () => beginningMs + this.storeMs,
        schedule: (ms, run) => void this.loop.after(ms + this.chance.pick([0, 0, 0, 1]), run, null),
        recordBytesMax: plan.recordBytesMax,
        ...(plan.store?.limits === 'store' ? { storeBytesMax: plan.store.bytesMax } : {}),
        ...(plan.store?.limits === 'logs' ? { bytesMax: plan.store.bytesMax } : {}),
        onStored: (partition, record) => {
          try {
            this.truth.stored(partition, record)
          } catch (error) {
            this.fail(error as Error)
          }
        },
      },
    )
  }

  /** The store's own time, in ms since the world began. */
  get storeMs(): number {
    return Math.floor(this.loop.nowMs) + this.#storeOffMs
  }

  /** How far the store's clock is off, in ms. */
  get storeOffMs(): number {
    return this.#storeOffMs
  }

  /** Sets the store's clock. */
  setStoreClock(offMs: number): void {
    this.#storeOffMs = offMs
    this.clocks.note(storeClock, this.loop.nowMs, offMs)
  }

  /** Notes the first thing that is wrong, and ends the world. */
  fail(error: Error): void {
    if (this.failure === undefined) this.history.note(() => `FAILURE: ${error.message}`)
    this.failure ??= error
  }

  /** Runs something in the background; what it throws is a failure. */
  start(name: string, task: Promise<void>): void {
    const running = task.catch((error: Error) => this.fail(error)).then(() => void this.busy.delete(running))
    this.busy.set(running, name)
  }

  /** Lets what is late arrive at some time. */
  landLater(partition: number): void {
    this.loop.after(this.chance.pick(landingMs), () => this.land(partition), null)
  }

  land(partition: number): void {
    const underWay = this.log.faults.underWay(partition)
    if (underWay === 0) return
    const stored = this.log.faults.land(partition)
    this.coverage.add('fault', 'late write stored', stored)
    this.coverage.add('fault', 'late write after another', underWay - stored)
    this.history.note(() => `${underWay} late writes arrive at partition ${partition}, ${stored} are stored`)
  }

  /** Lets time pass in which nothing happens. */
  leap(ms: number): void {
    this.leaps++
    this.loop.leap(ms)
    this.history.note(() => `${ms / 3_600_000} hours go by`)
  }
}

/** Name of the store's clock among those of nodes. */
export const storeClock = 'the store'
