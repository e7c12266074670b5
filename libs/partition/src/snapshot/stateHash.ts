import { canonical, KirokuError, limits } from '@kiroku/protocol'
import type { OutboxLane } from '../forward/Outbox.ts'
import type { DedupCopy } from '../repeats/DedupKeys.ts'
import type { ProducersCopy } from '../repeats/Producers.ts'
import { freeSlot } from '../store/LiveSlab.ts'
import { RunSlab } from '../store/RunSlab.ts'
import { Mixer } from './Mixer.ts'
import type { Snapshot } from './Snapshot.ts'

/**
 * What keeps the parts of a state apart in its hash. Recorded hashes hold these numbers, so none ever changes; 14 and 15 stand
 * twice, for parts whose texts cannot be equal. A new part takes a number of its own.
 */
const kind = {
  liveMessage: 1,
  delayedRun: 2,
  queue: 3,
  producer: 4,
  lane: 5,
  forwardSeen: 6,
  partition: 7,
  readyRun: 8,
  available: 9,
  delayedMarks: 10,
  subscription: 11,
  group: 12,
  fill: 13,
  restoredTail: 14,
  leavingPart: 14,
  leftHome: 15,
  restoredSeq: 15,
  dedupKey: 20,
  attempt: 21,
  erasures: 22,
  send: 23,
  sendAnswer: 24,
  letter: 25,
  dispute: 26,
  closedLane: 27,
  firstForward: 28,
  clusterVersion: 29,
} as const

/** Keys come in the order of their time, and those of one frame in the order of their messages. */
const addKeys = (mix: Mixer, queue: number, { keys, numbers, ats }: DedupCopy): void => {
  for (let i = 0; i < numbers.length; i++) {
    mix.begin(kind.dedupKey)
    mix.add(queue)
    for (let w = 0; w < 4; w++) mix.add(keys[4 * i + w]!)
    mix.add(numbers[i]!)
    mix.add(ats[i]!)
    mix.end()
  }
}

/** Each producer with its id and times, each of its sends under what they come to, each whole answer likewise. */
const addProducers = (
  mix: Mixer,
  { ids, lastAt, highest, counts, sends, answers = [] }: ProducersCopy,
): void => {
  const names = new Float64Array(ids.length)
  for (let p = 0, at = 0; p < ids.length; p++) {
    mix.begin(kind.producer)
    mix.characters(ids[p]!)
    const name = mix.sum
    names[p] = name
    mix.add(lastAt[p]!)
    mix.add(highest[p]!)
    mix.end()
    for (let left = counts[p]!; left > 0; left--, at += 4) {
      mix.begin(kind.send)
      mix.add(name)
      for (let w = 0; w < 4; w++) mix.add(sends[at + w]!)
      mix.end()
    }
  }
  for (const [p, whole] of answers)
    for (const [send, numbers] of whole) {
      mix.begin(kind.sendAnswer)
      mix.add(names[p]!)
      mix.add(send)
      mix.all(numbers)
      mix.end()
    }
}

/** The first version took a text of a whole window from each producer. */
const addProducers1 = (
  mix: Mixer,
  { ids, lastAt, highest, sends, counts, answers = [] }: ProducersCopy,
): void => {
  const answersOf = new Map(answers)
  for (let p = 0, at = 0; p < ids.length; p++) {
    const columns = new Array<number>(limits.producerWindowSends * 4).fill(0)
    for (let left = counts[p]!; left > 0; left--, at += 4)
      for (let w = 0; w < 4; w++) columns[(sends[at]! % limits.producerWindowSends) * 4 + w] = sends[at + w]!
    const whole = answersOf.get(p)
    const text = [ids[p], lastAt[p], highest[p], columns]
    mix.text(kind.producer, JSON.stringify(whole === undefined ? text : [...text, whole]))
  }
}

/** Each letter for itself: all in one text may be longer than a text can be. */
const addLane = (mix: Mixer, { entries, name: _, ...lane }: OutboxLane): void => {
  mix.text(kind.lane, JSON.stringify(canonical(lane)))
  const { source, target } = lane
  for (const { task: _, bytes: __, firstAt: ___, ...entry } of entries)
    mix.text(kind.letter, JSON.stringify(canonical({ source, target, entry })))
}

/** Version of the hashes that this code makes. */
const stateHashVersion = 2

/** Version of a recorded hash; the first one was written without its number. Errors: `FutureVersion`. */
const versionOf = (hash: string): 1 | 2 => {
  const at = hash.indexOf(':')
  const version = at < 0 ? 1 : Number(hash.slice(0, at))
  if (version === 1 || version === 2) return version
  throw new KirokuError(
    'FutureVersion',
    `a hash of the state has version ${version}; this code knows those up to ${stateHashVersion}`,
  )
}

/**
 * 64 bits over everything that the record determines, 16 hex digits behind the version of the hash and a colon: equal
 * for a live partition and for one rebuilt by replay or from a checkpoint, whatever places their slabs use. Not
 * cryptographic; the log's chain is.
 * @param recorded a hash to compare with, which may be of an older version: its version is made. Errors: `FutureVersion`
 */
export const stateHash = (s: Snapshot, recorded?: string): string => {
  const version = recorded === undefined ? stateHashVersion : versionOf(recorded)
  const mix = new Mixer()
  const { live } = s
  for (let i = 0; i < live.number.length; i++) {
    if (live.state[i] === freeSlot) continue
    mix.begin(kind.liveMessage)
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
  const addRun = (of: number, queue: number, place: number, id: number): void => {
    mix.begin(of)
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
    addRun(kind.delayedRun, queue, 0, run)
    if (tag !== '' || group !== '')
      mix.text(kind.delayedMarks, JSON.stringify([queue, runs.first(run), tag, group]))
  }
  for (const q of s.queues) {
    const { subs, dedup, ...rest } = q
    mix.text(kind.queue, JSON.stringify(canonical(rest)))
    if (dedup !== undefined) addKeys(mix, q.id, dedup)
    for (const sub of subs) {
      const { ready, touched, groups = [], fill, index: _, ...own } = sub
      const sizes = [...ready.slice(2), ...touched.slice(2)]
      mix.text(kind.subscription, JSON.stringify(canonical({ ...own, queue: q.id, sizes })))
      if (fill !== undefined)
        mix.text(
          kind.fill,
          JSON.stringify(canonical([q.id, sub.id, { ...fill, restoredTail: firstOf(fill.restoredTail) }])),
        )
      // Both lists are delivered from in their order, so the order counts.
      for (let run = ready[0], place = 1; run !== 0; run = runs.next(run))
        addRun(kind.readyRun + (sub.id << 8), q.id, place++, run)
      for (let slot = touched[0], place = 1; slot >= 0; slot = live.next[slot]!) {
        mix.begin(kind.available)
        mix.add(sub.index)
        mix.add(live.number[slot]!)
        mix.add(place++)
        mix.end()
      }
      for (const { key, ready, touched, live, restoredTail } of groups) {
        const firsts: number[] = []
        for (let run = ready[0]; run !== 0; run = runs.next(run))
          firsts.push(runs.first(run), runs.count(run))
        const numbers = live.toSorted((a, b) => a - b)
        if (version === 1)
          mix.text(kind.group, JSON.stringify([q.id, sub.id, key, ready[2], firsts, touched, numbers]))
        else {
          mix.begin(kind.group)
          mix.add(q.id)
          mix.add(sub.id)
          mix.characters(key)
          mix.add(ready[2])
          mix.all(firsts)
          mix.all(touched)
          mix.all(numbers)
          mix.end()
        }
        if (restoredTail !== undefined)
          mix.text(kind.restoredTail, JSON.stringify([q.id, sub.id, key, firstOf(restoredTail)]))
      }
    }
  }
  if (version === 1) addProducers1(mix, s.producers)
  else addProducers(mix, s.producers)
  for (const [place, note] of (s.attempts ?? []).entries())
    mix.text(kind.attempt, JSON.stringify([place, ...note]))
  for (const lane of s.outbox)
    if (version === 1) {
      const { name: _, ...hashed } = {
        ...lane,
        entries: lane.entries.map(({ task: _, bytes: __, firstAt: ___, ...entry }) => entry),
      }
      mix.text(kind.lane, JSON.stringify(canonical(hashed)))
    } else addLane(mix, lane)
  for (const seen of s.forwardsSeen) mix.text(kind.forwardSeen, JSON.stringify(seen))
  for (const closed of s.closedLanes ?? []) mix.text(kind.closedLane, JSON.stringify(canonical(closed)))
  for (const first of s.firstForwards ?? []) mix.text(kind.firstForward, JSON.stringify(first))
  for (const part of s.leaving ?? []) mix.text(kind.leavingPart, JSON.stringify(canonical(part)))
  for (const left of s.left ?? []) mix.text(kind.leftHome, JSON.stringify(left))
  if (s.clusterVersion !== undefined) mix.text(kind.clusterVersion, String(s.clusterVersion))
  if (s.erasures !== undefined) mix.text(kind.erasures, JSON.stringify(canonical(s.erasures)))
  mix.text(
    kind.partition,
    `${s.partition} ${s.nextQueue} ${s.nextDelivery} ${s.trimmedTo} ${s.foreignRecords} ${s.epoch} ${s.at} ${s.repairedEpoch} ${s.firstForward}${s.bridgedSeq === undefined ? '' : ` bridged ${s.bridgedSeq}`}${s.voidDeliveries === undefined ? '' : ` ${s.voidDeliveries.join(' ')}`}`,
  )
  if (s.dispute !== undefined) mix.text(kind.dispute, `${s.dispute.since} ${s.dispute.delivery}`)
  if (s.restoredSeq !== undefined) mix.text(kind.restoredSeq, String(s.restoredSeq))
  return version === 1 ? mix.hex : `${version}:${mix.hex}`
}
