import { limits } from '../limits.ts'

const window = limits.producerWindowSends
const columns = 4

/** What is remembered of one producer: its last sends and their answers. */
export interface Producer {
  lastAt: number
  highest: number
  /** For each place of the window: send, queue id, first number, count. */
  sends: Float64Array
}

/** The dedupe state of sends: producers in the order of their last send. */
export class Producers {
  readonly byId = new Map<string, Producer>()

  /** The answer that a send got before, `undefined` when it is new, `'tooOld'` when that is forgotten. */
  find(id: string, send: number): { queue: number; first: number; count: number } | 'tooOld' | undefined {
    const p = this.byId.get(id)
    if (p === undefined) return undefined
    const o = (send % window) * columns
    if (p.sends[o] === send) return { queue: p.sends[o + 1]!, first: p.sends[o + 2]!, count: p.sends[o + 3]! }
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
}
