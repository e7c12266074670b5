import {
  firstPlace,
  type LogEvent,
  type LogEventOf,
  mainSubscription,
  type QueueConfig,
  type Ranges,
  rangeTotal,
} from '@kiroku/protocol'
import { partOf, type PastRun } from './PastRun.ts'

/** The generation whose past is looked for. */
interface PastOf {
  readonly queue: number
  readonly sub: number
  readonly name: string
  /** Number of the first message that is its own. */
  readonly from: number
  /** Where retention counts from, as the queue has it now. */
  readonly retentionFrom: QueueConfig['retentionFrom']
}

/** A frame of the past. */
export interface PastFrame {
  readonly seq: number
  readonly at: number
  readonly events: readonly LogEvent[]
  /** First record that the body at a place of the queue's bodies needs; undefined: that is gone. */
  readonly needs: (place: number) => number | undefined
}

/** Messages that became available by one event of a frame. */
export interface PastArrival {
  /** How many of the frame's events are behind us then. */
  readonly events: number
  readonly runs: readonly PastRun[]
}

/** Reads the past of a queue, frame by frame, up to the event that opened a generation of a subscription. */
export class PastFold {
  /** Whether that event was read. */
  isOver = false
  readonly #of: PastOf
  /** Runs that wait for their time, in the order of their numbers. */
  #delayed: PastRun[] = []
  #elapsed = 0
  /** Names of the generations that the record opened; some messages are for one of them alone. */
  readonly #names = new Map<number, string>([[0, mainSubscription]])

  constructor(of: PastOf) {
    this.#of = of
  }

  /** Takes the next frame and returns what became available in it. */
  accept(frame: PastFrame): PastArrival[] {
    const arrivals: PastArrival[] = []
    const { queue, sub } = this.#of
    let place = 0
    for (let i = 0; i < frame.events.length; i++) {
      const e = frame.events[i]!
      if (e.type === 'LettersCarried' && e.source === queue) place += rangeTotal(e.forwards)
      if (!('queue' in e) || e.queue !== queue) continue
      let runs: PastRun[] = []
      switch (e.type) {
        case 'Enqueued':
        case 'ForwardReceived':
          runs = this.#arrived(frame, e, place)
          place += e.count
          break
        case 'BodyEdited':
          place++
          break
        case 'BodiesCarried':
          for (let r = 1; r < e.numbers.length; r += 2) place += e.numbers[r]!
          break
        case 'DelayElapsed':
          runs = this.#due(e.numbers)
          break
        case 'SubscriptionCreated':
        case 'SubscriptionReset':
          this.#names.set(e.sub, e.name)
          if (e.sub !== sub) break
          this.isOver = true
          return arrivals
      }
      if (runs.length > 0) arrivals.push({ events: i + 1, runs })
    }
    return arrivals
  }

  #arrived(
    { seq, at, needs }: PastFrame,
    e: LogEventOf<'Enqueued' | 'ForwardReceived'>,
    index: number,
  ): PastRun[] {
    const { from, retentionFrom, name } = this.#of
    if (e.first + e.count <= from) return []
    if (e.type === 'ForwardReceived' && e.only !== undefined && this.#names.get(e.only) !== name) return []
    const times = e.type === 'ForwardReceived' && retentionFrom === 'original' ? e.enqueuedAt : undefined
    const { first, count, bytes, tag = '', group = '' } = e
    const whole = { first, count, seq, index, enqueuedAt: at, bytes, tag, group, needsFrom: seq }
    const runs = pieces(whole, Math.max(0, from - first), needs, times)
    if (e.type === 'ForwardReceived' || e.dueAt === 0) return runs
    for (const run of runs) this.#delayed.push(run)
    return []
  }

  /** Takes numbers whose delay is over out of what waits. */
  #due(numbers: Ranges): PastRun[] {
    const due: PastRun[] = []
    for (let r = 0; r < numbers.length; r += 2) {
      const first = numbers[r]!
      const end = first + numbers[r + 1]!
      for (let n = first; n < end;) {
        const at = this.#find(n)
        const run = this.#delayed[at]
        // Its arrival is beyond the record, or it is not one of ours.
        if (run === undefined || n < run.first || n >= run.first + run.count) {
          n++
          continue
        }
        const taken = Math.min(end, run.first + run.count) - n
        due.push(partOf(run, n - run.first, taken))
        this.#keep(at, run, n - run.first, taken)
        n += taken
      }
    }
    return due
  }

  /** Leaves what is before and behind the part that was taken. */
  #keep(at: number, run: PastRun, offset: number, taken: number): void {
    const rest = [partOf(run, 0, offset), partOf(run, offset + taken, run.count - offset - taken)].filter(
      (part) => part.count > 0,
    )
    if (rest.length === 2) this.#delayed.splice(at, 1, ...rest)
    else if (rest.length === 1) this.#delayed[at] = rest[0]!
    else {
      // Its place stays for the search, with nothing in it.
      this.#delayed[at] = { ...run, count: 0 }
      this.#elapsed++
    }
    if (this.#elapsed < 1_000 || this.#elapsed < this.#delayed.length / 2) return
    this.#delayed = this.#delayed.filter(({ count }) => count > 0)
    this.#elapsed = 0
  }

  /** Place of the last run that begins with `n` or before. */
  #find(n: number): number {
    return firstPlace(this.#delayed.length, (place) => this.#delayed[place]!.first > n) - 1
  }
}

/** The parts of a run whose bodies are there, from place `from` on; one a message where each has a time of its own. */
const pieces = (
  whole: PastRun,
  from: number,
  needs: PastFrame['needs'],
  times: readonly number[] | undefined,
): PastRun[] => {
  const runs: PastRun[] = []
  let begin = from
  let needsFrom = whole.seq
  const close = (end: number): void => {
    if (end > begin) {
      const enqueuedAt = times?.[begin] ?? whole.enqueuedAt
      runs.push({ ...partOf(whole, begin, end - begin), enqueuedAt, needsFrom })
    }
    needsFrom = whole.seq
  }
  for (let i = from; i < whole.count; i++) {
    if (times !== undefined && i > begin) {
      close(i)
      begin = i
    }
    const needed = needs(whole.index + i)
    if (needed === undefined) {
      close(i)
      begin = i + 1
    } else needsFrom = Math.min(needsFrom, needed)
  }
  close(whole.count)
  return runs
}
