import type { LogEventOf } from '@kiroku/protocol'
import type { Stored } from '../world/Stored.ts'
import { storeClock } from '../world/Environment.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Partition time never runs back, and under one owner it goes as fast as the true time, whatever a wall clock says. It
 * takes no step that only one of two clocks asks for.
 */
export class PartitionTimeChecker implements Checker {
  readonly name = 'partition time'
  readonly #world: World
  /** The first decided frame of the epoch, by partition, and the last one. */
  readonly #first = new Map<number, { readonly at: number; readonly sentMs: number; readonly seq: number }>()
  readonly #last = new Map<number, Stored>()
  /** The last frame that is no fence, and when the last fence was stored, by partition. */
  readonly #decided = new Map<number, Stored>()
  readonly #fencedMs = new Map<number, number>()

  constructor(world: World) {
    this.#world = world
  }

  storing(frame: Stored): void {
    const { partition, seq, record, sentMs, storedMs } = frame
    const last = this.#last.get(partition)
    if (last !== undefined && record.at < last.record.at)
      throw this.#object(`${partition}: time goes back from ${last.record.at} to ${record.at} at ${seq}`)
    const resumed = record.events.find((e) => e.type === 'ClockResumed')
    this.#last.set(partition, frame)
    // A fence carries the time of the frame before it.
    const change = record.events.find((e) => e.type === 'OwnerChanged')
    if (change !== undefined) {
      this.#first.delete(partition)
      if (change.part === 1) this.#fencedMs.set(partition, storedMs)
      return
    }
    if (resumed !== undefined) this.#judge(frame, resumed)
    this.#decided.set(partition, frame)
    const first = this.#first.get(partition)
    if (first === undefined || resumed !== undefined) {
      this.#first.set(partition, { at: Math.max(record.at, resumed?.now ?? 0), sentMs, seq })
      return
    }
    const drift = record.at - first.at - (sentMs - first.sentMs)
    if (Math.abs(drift) > roundingMs)
      throw this.#object(
        `${partition}: from ${first.seq} to ${seq} partition time went ${drift} ms ahead of true time`,
      )
  }

  /** The clocks that are compared were read since the fence. */
  #judge(frame: Stored, { now, gapMs, clock }: LogEventOf<'ClockResumed'>): void {
    const { partition, seq, node, record, sentMs } = frame
    const isBeginning = !this.#first.has(partition)
    const before = this.#decided.get(partition)
    if (!isBeginning) this.#judgeGap(frame, now, gapMs)
    if (before === undefined || clock !== undefined) return
    const { clocks } = this.#world
    const fencedMs = this.#fencedMs.get(partition) ?? 0
    // What an owner counted itself is no step of a clock: since its fence, and where it goes on, since its last frame.
    const sinceMs = node === before.node ? before.sentMs : fencedMs
    const sureMs = isBeginning ? sentMs - sinceMs : 0
    const stepMs = now - (isBeginning ? timeBehind(before) : record.at) - sureMs
    if (stepMs <= disputeMs || clocks.agreed(storeClock, node, fencedMs, disputeMs)) return
    throw this.#object(
      `${partition}: at ${seq} time goes on ${stepMs} ms behind ${before.seq}, and the clocks disagree`,
    )
  }

  /** Leases are lengthened by a step of time, or by the time since the last append, which was not confirmed. */
  #judgeGap({ partition, seq, record }: Stored, now: number, gapMs: number): void {
    const before = this.#decided.get(partition)
    const stepMs = now - record.at
    if (gapMs === stepMs) return
    const sinceMs = before === undefined ? 0 : record.at - timeBehind(before)
    // Between two frames there may be a large body's record, which tells no time.
    const isExact = before?.seq === seq - 1
    if (stepMs > 0 || gapMs > sinceMs || (isExact && gapMs < sinceMs))
      throw this.#object(
        `${partition}: at ${seq} time goes on by ${stepMs || sinceMs}, and leases by ${gapMs}`,
      )
  }

  /** Where clocks agree for a while, there is no dispute any more. */
  ended(): void {
    const { loop, placement, clocks, plan } = this.#world
    for (let p = 0; p < plan.partitions; p++) {
      const { name, node } = placement.ownerOf(p)!
      if (node.actors.get(p)!.state.dispute === undefined) continue
      const sinceMs = loop.earlier(agreementMs)
      const offMs = [...clocks.since(name, sinceMs), ...clocks.since(storeClock, sinceMs)]
      if (Math.max(...offMs) - Math.min(...offMs) < disputeMs)
        throw this.#object(`${p}: the clocks agree, and partition time is disputed`)
    }
  }

  givenUp(partition: number, from: number): void {
    const last = this.#world.truth.frames[partition]!.findLast(({ seq }) => seq < from)
    if (last === undefined) this.#last.delete(partition)
    else this.#last.set(partition, last)
    const decided = this.#decided.get(partition)
    if (decided !== undefined && decided.seq >= from) this.#decided.delete(partition)
    this.#first.delete(partition)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const roundingMs = 2
/** What is allowed to clocks of machines. */
const disputeMs = 300_000
/** Within this time an agreement is noticed. */
const agreementMs = 60_000

/** Partition time behind a frame. */
const timeBehind = ({ record: { at, events } }: Stored): number =>
  events.reduce((latest, e) => (e.type === 'ClockResumed' ? Math.max(latest, e.now) : latest), at)
