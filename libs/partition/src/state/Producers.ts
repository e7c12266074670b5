import type { Ranges } from '@kiroku/message'
import { limits } from '../limits.ts'

const window = limits.producerWindowSends
const columns = 4

/** What is remembered of one producer: its last sends and their answers. */
export interface Producer {
  lastAt: number
  highest: number
  /** For each place of the window: send, queue id, first number, count. */
  sends: Float64Array
  /** The whole answers of sends in which a message was sent before. */
  answers?: Map<number, Ranges>
}

/** What a send was answered. */
interface SendAnswer {
  readonly queue: number
  readonly first: number
  readonly count: number
  readonly numbers?: Ranges
}

/** The dedupe state of sends: producers in the order of their last send. */
export class Producers {
  readonly byId = new Map<string, Producer>()

  /** The answer that a send got before, `undefined` when it is new, `'tooOld'` when that is forgotten. */
  find(id: string, send: number): SendAnswer | 'tooOld' | undefined {
    const p = this.byId.get(id)
    if (p === undefined) return undefined
    const o = (send % window) * columns
    if (p.sends[o] === send) {
      const answer = { queue: p.sends[o + 1]!, first: p.sends[o + 2]!, count: p.sends[o + 3]! }
      const numbers = p.answers?.get(send)
      return numbers === undefined ? answer : { ...answer, numbers }
    }
    return send <= p.highest - window ? 'tooOld' : undefined
  }

  /** Notes a stored send; events of one send add up. */
  note(id: string, send: number, queue: number, first: number, count: number, at: number): void {
    let p = this.byId.get(id)
    if (p === undefined) p = { lastAt: at, highest: 0, sends: new Float64Array(window * columns) }
    else this.byId.delete(id)
    this.byId.set(id, p)
    p.lastAt = at
    if (send > p.highest) p.highest = send
    const o = (send % window) * columns
    if (p.sends[o] === send) p.sends[o + 3] = p.sends[o + 3]! + count
    else {
      p.answers?.delete(p.sends[o]!)
      p.sends[o] = send
      p.sends[o + 1] = queue
      p.sends[o + 2] = first
      p.sends[o + 3] = count
    }
    for (const [oldId, old] of this.byId) {
      if (old.lastAt > at - limits.producerIdleMs && this.byId.size <= limits.producersMax) break
      this.byId.delete(oldId)
    }
  }
  /** Notes the whole answer of a send, whatever of it was stored. */
  noteAnswer(id: string, send: number, queue: number, numbers: Ranges, at: number): void {
    let count = 0
    for (let i = 1; i < numbers.length; i += 2) count += numbers[i]!
    this.note(id, send, queue, numbers[0]!, 0, at)
    const p = this.byId.get(id)!
    const o = (send % window) * columns
    p.sends[o + 2] = numbers[0]!
    p.sends[o + 3] = count
    p.answers ??= new Map()
    p.answers.set(send, numbers)
  }
}
