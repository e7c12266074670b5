import { canonical } from './canonical.ts'
import type { DedupCopy } from './state/DedupKeys.ts'
import { freeSlot } from './state/LiveSlab.ts'
import { RunSlab } from './state/RunSlab.ts'
import type { Snapshot } from './snapshot.ts'

/** Mixes numbers into two 32-bit lanes; sums of the results do not depend on any order. */
class Mixer {
  a = 0
  b = 0
  #x = 0
  #y = 0

  begin(kind: number): void {
    this.#x = kind | 0
    this.#y = ~kind
  }

  add(n: number): void {
    const low = n | 0
    const high = (n / 0x1_0000_0000) | 0
    this.#x = Math.imul(this.#x ^ low, 0x85ebca6b)
    this.#x ^= this.#x >>> 13
    this.#y = Math.imul(this.#y ^ high ^ (low >>> 7), 0xc2b2ae35) + this.#x
    this.#y ^= this.#y >>> 16
  }

  end(): void {
    this.a = (this.a + Math.imul(this.#x ^ (this.#y >>> 15), 0x9e3779b1)) | 0
    this.b = (this.b + Math.imul(this.#y ^ (this.#x >>> 15), 0x27d4eb2f)) | 0
  }

  text(kind: number, s: string): void {
    this.begin(kind)
    for (let i = 0; i < s.length; i++) this.add(s.charCodeAt(i))
    this.end()
  }

  get hex(): string {
    return (this.a >>> 0).toString(16).padStart(8, '0') + (this.b >>> 0).toString(16).padStart(8, '0')
  }
}

/** Keys come in the order of their time, and those of one frame in the order of their messages. */
const addKeys = (mix: Mixer, queue: number, { keys, numbers, ats }: DedupCopy): void => {
  for (let i = 0; i < numbers.length; i++) {
    mix.begin(20)
    mix.add(queue)
    for (let w = 0; w < 4; w++) mix.add(keys[4 * i + w]!)
    mix.add(numbers[i]!)
    mix.add(ats[i]!)
    mix.end()
  }
}

/**
 * 64 bits over everything that the record determines, 16 hex digits: equal for a live partition and for one
 * rebuilt by replay or from a checkpoint, whatever places their slabs use. Not cryptographic; the log's chain is.
 */
export const stateHash = (s: Snapshot): string => {
  const mix = new Mixer()
  const { live } = s
  for (let i = 0; i < live.number.length; i++) {
    if (live.state[i] === freeSlot) continue
    mix.begin(1)
    mix.add(live.owner[i]!)
    mix.add(live.number[i]!)
    mix.add(live.state[i]!)
    mix.add(live.attempt[i]!)
    mix.add(live.attemptsMax[i]!)
    mix.add(live.delivery[i]!)
    mix.add(live.deadline[i]!)
    mix.add(live.leaseCap[i]!)
    mix.add(live.enqueuedAt[i]!)
    mix.add(live.seq[i]!)
    mix.add(live.index[i]!)
    mix.add(live.bytes[i]!)
    mix.add(live.simple[i]!)
    mix.end()
  }
  const runs = RunSlab.view(s.runs)
  const addRun = (kind: number, queue: number, place: number, id: number): void => {
    mix.begin(kind)
    mix.add(queue)
    mix.add(place)
    mix.add(runs.first(id))
    mix.add(runs.count(id))
    mix.add(runs.seq(id))
    mix.add(runs.index(id))
    mix.add(runs.enqueuedAt(id))
    mix.add(runs.delayMs(id))
    mix.add(runs.bytes(id))
    mix.end()
  }
  /** A run by what it holds. */
  const firstOf = (run: number): number => (run === 0 ? 0 : runs.first(run))
  for (const { queue, run, tag, group } of s.delayed) {
    addRun(2, queue, 0, run)
    if (tag !== '' || group !== '') mix.text(10, JSON.stringify([queue, runs.first(run), tag, group]))
  }
  for (const q of s.queues) {
    const { subs, dedup, ...rest } = q
    mix.text(3, JSON.stringify(canonical(rest)))
    if (dedup !== undefined) addKeys(mix, q.id, dedup)
    for (const sub of subs) {
      const { ready, touched, groups = [], fill, index: _, ...own } = sub
      const sizes = [...ready.slice(2), ...touched.slice(2)]
      mix.text(11, JSON.stringify(canonical({ ...own, queue: q.id, sizes })))
      if (fill !== undefined)
        mix.text(
          13,
          JSON.stringify(canonical([q.id, sub.id, { ...fill, restoredTail: firstOf(fill.restoredTail) }])),
        )
      // Both lists are delivered from in their order, so the order counts.
      for (let run = ready[0], place = 1; run !== 0; run = runs.next(run))
        addRun(8 + (sub.id << 8), q.id, place++, run)
      for (let slot = touched[0], place = 1; slot >= 0; slot = live.next[slot]!) {
        mix.begin(9)
        mix.add(sub.index)
        mix.add(live.number[slot]!)
        mix.add(place++)
        mix.end()
      }
      for (const { key, ready, touched, live, restoredTail } of groups) {
        const firsts: number[] = []
        for (let run = ready[0]; run !== 0; run = runs.next(run))
          firsts.push(runs.first(run), runs.count(run))
        mix.text(
          12,
          JSON.stringify([q.id, sub.id, key, ready[2], firsts, touched, live.toSorted((a, b) => a - b)]),
        )
        if (restoredTail !== undefined)
          mix.text(14, JSON.stringify([q.id, sub.id, key, firstOf(restoredTail)]))
      }
    }
  }
  for (const p of s.producers) mix.text(4, JSON.stringify(canonical(p)))
  for (const [place, note] of (s.attempts ?? []).entries()) mix.text(21, JSON.stringify([place, ...note]))
  for (const lane of s.outbox) mix.text(5, JSON.stringify(canonical(lane)))
  for (const seen of s.forwardsSeen) mix.text(6, JSON.stringify(seen))
  for (const part of s.leaving ?? []) mix.text(14, JSON.stringify(canonical(part)))
  for (const left of s.left ?? []) mix.text(15, JSON.stringify(left))
  if (s.erasures !== undefined) mix.text(22, JSON.stringify(canonical(s.erasures)))
  mix.text(
    7,
    `${s.partition} ${s.nextQueue} ${s.nextDelivery} ${s.trimmedTo} ${s.foreignRecords} ${s.epoch} ${s.at} ${s.repairedEpoch} ${s.firstForward}${s.bridgedSeq === undefined ? '' : ` bridged ${s.bridgedSeq}`}${s.voidDeliveries === undefined ? '' : ` ${s.voidDeliveries.join(' ')}`}`,
  )
  if (s.restoredSeq !== undefined) mix.text(15, String(s.restoredSeq))
  return mix.hex
}
