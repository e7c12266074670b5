import type { LogEventOf, QueueAddress } from '@kiroku/protocol'
import type { Message, QueueLedger } from './QueueLedger.ts'
import type { Stored, StoredBody } from './Stored.ts'
import { each } from './ranges.ts'

/** A dead letter at one end of its lane. */
interface Letter {
  readonly forward: number
  readonly label: string
  readonly seq: number
  /** What it was at its source, and the last record that holds its body there; absent where it arrived. */
  readonly message?: Message
  bodySeq?: number
}

/** Dead letters between two queues, in the order of the log at one end. */
export interface Lane {
  readonly source: QueueAddress
  readonly target: QueueAddress
  letters: Letter[]
}

/** What one partition sent off and what it stored of others. */
export class Lanes {
  readonly left = new Map<string, Lane>()
  readonly arrived = new Map<string, Lane>()
  readonly #partition: number

  constructor(partition: number) {
    this.#partition = partition
  }

  /** Messages of a queue leave for another. */
  leaves(frame: Stored, e: LogEventOf<'DeadLettered' | 'Redriven'>, queue: QueueLedger): void {
    const lane = laneOf(this.left, this.#source(e.queue), e.target)
    let forward = e.forward
    for (const number of each(e.numbers)) {
      const message = queue.messages.get(number)!
      lane.letters.push({
        forward: forward++,
        label: message.label,
        seq: frame.seq,
        message,
        bodySeq: message.bodySeq,
      })
    }
  }

  /** Letters that have not arrived go to another queue. */
  readdressed(e: LogEventOf<'Readdressed'>): void {
    const from = laneOf(this.left, this.#source(e.source), e.from)
    const to = laneOf(this.left, this.#source(e.source), e.target)
    const moved = new Set(each(e.forwards))
    let forward = e.forward
    for (const letter of from.letters)
      if (moved.has(letter.forward)) to.letters.push({ ...letter, forward: forward++ })
    from.letters = from.letters.filter((letter) => !moved.has(letter.forward))
  }

  /** Bodies of letters are stored once more. */
  carried(e: LogEventOf<'LettersCarried'>, bodies: readonly StoredBody[]): void {
    const { letters } = laneOf(this.left, this.#source(e.source), e.target)
    const byForward = new Map(letters.map((letter) => [letter.forward, letter]))
    let i = 0
    for (const forward of each(e.forwards)) byForward.get(forward)!.bodySeq = bodies[i++]!.seq
  }

  #source(queue: number): QueueAddress {
    return { partition: this.#partition, queue }
  }
}

/** The key of a lane, at both of its ends. */
export const laneKey = (source: QueueAddress, target: QueueAddress): string =>
  `${source.partition}/${source.queue} to ${target.partition}/${target.queue}`

/** The lane of that direction, created if missing. */
export const laneOf = (lanes: Map<string, Lane>, source: QueueAddress, target: QueueAddress): Lane => {
  const key = laneKey(source, target)
  let lane = lanes.get(key)
  if (lane === undefined) lanes.set(key, (lane = { source, target, letters: [] }))
  return lane
}
