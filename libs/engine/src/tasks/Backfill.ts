import { setImmediate as nextTick } from 'node:timers/promises'
import { readChain, type DecodedFrame } from '@kiroku/log'
import {
  decide,
  PastFold,
  type Located,
  type PartitionState,
  type PastRun,
  type QueueState,
  type Subscription,
  type Ownership,
} from '@kiroku/partition'
import { isKirokuError, KirokuError, textBytes } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import { locateStart } from './locateStart.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { backoffMs } from './backoffMs.ts'

type BackfillOwner = Pick<Owner, 'log' | 'time' | 'sizes' | 'writer' | 'act' | 'damaged'>

/** The most that a run takes in the fact that restores it, in addition to its group. */
const runBytes = 100
const factBytes = 1_024

/**
 * Restores the past to subscriptions that begin in it: reads the log up to the frame that opened them, and records
 * what became available in it, a piece at a time. A new owner continues where the record says.
 */
export class Backfill implements OwnerTask {
  readonly #o: BackfillOwner
  #state: PartitionState | undefined
  #storedSeq = 0
  #isRunning = false
  #cancelPause: () => void = () => {}
  /** Resolves the wait for a turn that will not come. */
  #letGo: () => void = () => {}
  /** Lookups that wait until a record is stored. */
  #waiting: { readonly seq: number; readonly done: () => void }[] = []
  readonly #locating = new Map<string, Promise<Located>>()

  constructor(owner: BackfillOwner) {
    this.#o = owner
  }

  begin({ state }: Pick<Ownership, 'state'>, storedSeq: number): void {
    this.#state = state
    this.#isRunning = false
    this.stored(storedSeq)
  }

  drain(): void {
    this.end()
  }

  end(): void {
    this.#state = undefined
    this.#cancelPause()
    this.#letGo()
    for (const { done } of this.#waiting.splice(0)) done()
  }

  stored(seq: number): void {
    this.#storedSeq = seq
    if (this.#waiting.length > 0) {
      const reached = this.#waiting.filter((w) => w.seq <= seq)
      this.#waiting = this.#waiting.filter((w) => w.seq > seq)
      for (const { done } of reached) done()
    }
    if (this.#state !== undefined && this.#state.filling.size > 0 && !this.#isRunning)
      void this.#run(this.#state, 0)
  }

  /**
   * Asks the log where a start lies in the past of a queue, of which everything up to `toSeq` is decided. Errors:
   * `BeyondRecord`, `NotOwner`, and what the log's reading throws.
   */
  locate(
    queue: QueueState,
    start: { readonly number: number } | { readonly time: number },
    toSeq: number,
  ): Promise<Located> {
    const key = JSON.stringify([queue.id, start])
    // A client that retries because it took long waits for the same answer.
    let locating = this.#locating.get(key)
    if (locating === undefined) {
      locating = this.#locate(queue, start, toSeq).finally(() => this.#locating.delete(key))
      this.#locating.set(key, locating)
    }
    return locating
  }

  async #locate(
    { id, name, nextNumber }: QueueState,
    start: { readonly number: number } | { readonly time: number },
    toSeq: number,
  ): Promise<Located> {
    const state = this.#state
    if (this.#storedSeq < toSeq) await new Promise<void>((done) => this.#waiting.push({ seq: toSeq, done }))
    if (state === undefined || this.#state !== state)
      throw new KirokuError('NotOwner', `partition ${this.#o.log.partition} changed hands`)
    const firstSeq = state.trimmedTo + 1
    const isRepaired = state.repairedEpoch > 0
    return locateStart(this.#o.log, { queue: id, name, firstSeq, toSeq, nextNumber, isRepaired }, start)
  }

  async #run(state: PartitionState, failures: number): Promise<void> {
    this.#isRunning = true
    try {
      for (const sub of state.filling) {
        if (sub.fill!.openedSeq > this.#storedSeq) continue
        await this.#fill(state, sub)
        if (this.#state !== state) return
        failures = 0
      }
      this.#isRunning = false
    } catch (e) {
      if (this.#state !== state) return
      if (isKirokuError(e) && (e.id === 'LogDamaged' || e.id === 'FutureVersion')) return this.#o.damaged(e)
      const pauseMs = backoffMs(failures)
      this.#cancelPause = this.#o.time.after(pauseMs, () => {
        if (this.#state === state) void this.#run(state, failures + 1)
      })
    }
  }

  async #fill(state: PartitionState, sub: Subscription): Promise<void> {
    const { readFrom, openedSeq, done: before } = sub.fill!
    const { id: queue, config } = sub.queue
    const { id, name, from } = sub
    const fold = new PastFold({ queue, sub: id, name, from, retentionFrom: config.retentionFrom })
    // A log whose end is lost may be trimmed further than what is left of it says.
    const trimmedTo = Math.max(state.trimmedTo, (await this.#o.log.state()).firstSeq - 1)
    let runs: PastRun[] = []
    let bytes = factBytes
    let done = before
    let sliceEnd = performance.now() + limits.sliceMs
    for await (const entry of readChain(this.#o.log, {
      fromSeq: readFrom,
      toSeq: openedSeq,
      skipsVoid: state.repairedEpoch > 0,
    })) {
      if (this.#state !== state || !state.filling.has(sub)) return
      if (entry.kind !== 'ours' || entry.record.kind !== 'frame') continue
      const { seq, record } = entry
      for (const arrival of fold.accept(pastFrame(seq, record, queue, trimmedTo))) {
        if (seq < before[0] || (seq === before[0] && arrival.events <= before[1])) continue
        for (const run of arrival.runs) {
          runs.push(run)
          bytes += runBytes + textBytes(run.group)
        }
        done = [seq, arrival.events]
        if (runs.length < limits.restoredRunsMax && bytes < this.#o.sizes.restoredBytesMax) continue
        await this.#restore(sub, runs, bytes, done, false)
        // The wait ended without a turn: another piece would leave a gap behind what is on record.
        if (this.#state !== state) return
        runs = []
        bytes = factBytes
      }
      if (fold.isOver) break
      if (performance.now() < sliceEnd) continue
      await nextTick()
      sliceEnd = performance.now() + limits.sliceMs
    }
    if (this.#state === state) await this.#restore(sub, runs, bytes, done, true)
  }

  /** Resolves when the runs are decided, so that no more than one piece is in memory. */
  #restore(
    { id: sub, queue: { id: queue } }: Subscription,
    runs: readonly PastRun[],
    bytes: number,
    done: readonly [seq: number, events: number],
    isLast: boolean,
  ): Promise<void> {
    return new Promise((resolve) => {
      this.#letGo = resolve
      this.#o.act((turn) => {
        decide(turn, { type: 'RestorePast', queue, sub, runs, done, isLast })
        for (const e of turn.events)
          if (e.type === 'RunsRestored' && e.queue === queue && e.sub === sub)
            this.#o.writer.largeBodies.restored(e.largeBodies ?? [], turn.state.frameSeq)
        resolve()
      }, bytes)
    })
  }
}

const pastFrame = (seq: number, frame: DecodedFrame, queue: number, trimmedTo: number) => ({
  seq,
  at: frame.at,
  events: frame.events,
  needs: (place: number) => {
    const body = frame.body(queue, place)
    if (body instanceof Uint8Array) return seq
    // Ahead of its frame, so that it may have been trimmed although that is there.
    return body.seq > trimmedTo ? body.seq : undefined
  },
})
