import { type MachineEvent, newCell, resetCell } from '@kiroku/message'
import {
  loadCell,
  readyRuns,
  type PartitionState,
  type QueueState,
  type Subscription,
} from '@kiroku/partition'
import { KirokuError, type LogEvent, type Ranges, rangesOverlap, State, stateNames } from '@kiroku/protocol'
import type { ForwardLedger } from './ForwardLedger.ts'
import type { MachineCheck } from './MachineCheck.ts'
import { RestoreCheck, type ArrivalsIn } from './RestoreCheck.ts'

/** Fails the check. Errors: `LogDamaged`. */
export const refuse = (what: string): never => {
  throw new KirokuError('LogDamaged', what)
}

/** A message in an error. */
export const nameOf = (e: { readonly queue: number }, n: number): string => `message ${n} of queue ${e.queue}`

/** A fact about messages of one subscription. */
type Numbered = Extract<LogEvent, { sub: number; numbers: Ranges }>

/** What the checks of facts share: the state before the fact, the law, and the facts of the frame so far. */
export class LawScope {
  readonly state: PartitionState
  readonly machine: MachineCheck
  readonly forwards: ForwardLedger
  readonly restores: RestoreCheck
  readonly cell = newCell()
  /** Changes of single messages. */
  transitions = 0
  /** Bodies that the frame's facts bring, by queue. */
  readonly bodies = new Map<number, number>()
  seq = 0
  /** Partition time of the frame before. */
  before = 0
  /** The event before, if it is in the same frame. */
  previous: LogEvent | undefined
  arrivals: ArrivalsIn = () => undefined

  constructor(state: PartitionState, machine: MachineCheck, forwards: ForwardLedger) {
    this.state = state
    this.machine = machine
    this.forwards = forwards
    this.restores = new RestoreCheck(state)
  }

  /** Begins a frame; the state is still that before it. */
  begin(seq: number, arrivals: ArrivalsIn): void {
    this.seq = seq
    this.arrivals = arrivals
    this.before = this.state.at
    this.previous = undefined
    this.bodies.clear()
  }

  queue(id: number): QueueState {
    return this.state.queues.get(id) ?? refuse(`queue ${id} is not there`)
  }

  sub(e: { readonly queue: number; readonly sub: number }): Subscription {
    return (
      this.state.subscriptionOf(e.queue, e.sub) ?? refuse(`subscription ${e.queue}/${e.sub} is not there`)
    )
  }

  /** The ready run that holds an untouched message. */
  runOf(sub: Subscription, n: number): number {
    const { runs } = this.state
    for (const run of readyRuns(this.state, sub))
      if (runs.first(run) <= n && n < runs.first(run) + runs.count(run)) return run
    return refuse(`message ${n} of queue ${sub.queue.id} is neither live nor ready`)
  }

  addBodies(queue: number, count: number): void {
    this.bodies.set(queue, (this.bodies.get(queue) ?? 0) + count)
  }

  /**
   * Runs one event of the machine on every message that the fact names; each must end in `outcome`.
   * @param untouched which untouched messages may be meant; `evolve` checks that they are the next ones
   */
  each(
    e: Numbered,
    event: MachineEvent,
    outcome: State,
    untouched: 'none' | 'inOrder' | 'anywhere' = 'none',
  ): void {
    const sub = this.sub(e)
    const { live } = this.state
    const { numbers } = e
    const cell = this.cell
    const law = this.machine
    const byHandle = event.type !== 'DELIVER' && 'delivery' in event
    const anyLive = sub.available + sub.inflight + sub.waitingRetry > 0
    if (numbers.length > 2 && rangesOverlap(numbers)) refuse(`${e.type} names a message twice`)
    for (let i = 0; i < numbers.length; i += 2) {
      const first = numbers[i]!
      const count = numbers[i + 1]!
      for (let n = first; n < first + count; n++) {
        const slot = anyLive ? live.find(sub.index, n) : -1
        if (slot >= 0) loadCell(live, slot, cell)
        else if (untouched === 'none' || n >= sub.queue.nextNumber)
          refuse(`${nameOf(e, n)} is not live: it is final, or was never delivered`)
        else resetCell(cell)
        if (untouched === 'anywhere' && slot < 0) this.#findUntouched(sub, n)
        const from = cell.state
        if (byHandle) event.delivery = cell.delivery
        if (!law.step(cell, event))
          refuse(`${nameOf(e, n)} is ${stateNames[from]} and does not accept ${event.type}`)
        if (cell.state !== outcome)
          refuse(
            `${event.type} takes ${nameOf(e, n)} from ${stateNames[from]} to ${stateNames[cell.state]} by the law, not to ${stateNames[outcome]}`,
          )
      }
      this.transitions += count
    }
  }

  #findUntouched(sub: Subscription, n: number): void {
    if (this.state.findDelayed(sub.queue, n) !== undefined) this.cell.state = State.Delayed
    else this.runOf(sub, n)
  }
}
