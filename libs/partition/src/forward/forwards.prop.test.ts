import { decodeEnvelope, encodeEnvelope, type Answer, type Command, type CommandOf } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closedLanesFor, PartitionState, type OutboxLane } from '../index.ts'
import { decideClosingTold, decideForwarded } from './decideForwarded.ts'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const names = ['a', 'b'] as const
const there = 7

const deeds = [
  'create',
  'letter',
  'store',
  'leave',
  'arrive',
  'arrive',
  'late',
  'late',
  'delete',
  'tell',
  'pass',
  'pass',
  'close',
  'close',
  'crash',
  'handOver',
  'loseTarget',
] as const

const script = fc.array(
  fc.record({
    deed: fc.constantFrom(...deeds),
    n: fc.nat(99),
    isRepeated: fc.boolean(),
    isHeard: fc.boolean(),
  }),
  { minLength: 20, maxLength: 80 },
)

/** Something on its way between the two, which may arrive late, again, or never. */
interface Message {
  readonly command: CommandOf<'Forward'> | CommandOf<'ForgetLanes'>
  /** Who sent it, and of which lane: nobody else hears the answer. */
  readonly owner: TestPartition
  readonly lane?: OutboxLane
}

/** Two partitions, owners that crash with what is not stored, and a network that keeps copies for as long as it likes. */
class Pair {
  readonly met = { late: 0, forgotten: 0, passedOver: 0, gone: 0 }
  readonly #arrived = new Map<number, number>()
  readonly #labels = new Map<string, number>()
  readonly #wire: Message[] = []
  source = new TestPartition()
  target = new TestPartition(new PartitionState(there), new PartitionState(there))
  #stored: { readonly partition: TestPartition; readonly first: number }
  #label = 0

  constructor() {
    this.target.create('dead')
    this.#stored = { partition: this.source.fork(), first: 1 }
  }

  play({ deed, n, isRepeated, isHeard }: typeof script extends fc.Arbitrary<(infer S)[]> ? S : never): void {
    const name = names[n % names.length]!
    const { source } = this
    const isThere = source.state.names.has(name)
    switch (deed) {
      case 'create':
        if (!isThere) this.#create(name)
        return
      case 'letter':
        if (!isThere) this.#create(name)
        return this.#letter(name, 1 + (n % 3))
      case 'delete':
        if (isThere) source.ok({ type: 'DeleteQueue', queue: name, by })
        return
      case 'store':
        return this.#store()
      case 'crash':
        this.source = this.#stored.partition
        return this.#store()
      case 'leave': {
        const lanes = [...source.state.outbox.values()]
        if (lanes.length > 0) this.#leave(lanes[n % lanes.length]!, 1 + (n % 2))
        return
      }
      case 'tell': {
        const command = closedLanesFor(source.state, there, this.#storedSeq)
        if (command !== undefined) this.#wire.push({ command, owner: source })
        return
      }
      case 'arrive':
        if (this.#wire.length > 0) this.#arrive(this.#wire.length - 1, isRepeated, isHeard)
        return
      case 'late':
        if (this.#wire.length > 0) this.#arrive(n % this.#wire.length, isRepeated, isHeard)
        return
      // What mostly happens.
      case 'pass':
        for (const each of ['letter', 'store', 'leave', 'arrive'] as const)
          this.play({ deed: each, n, isRepeated, isHeard })
        return
      case 'close':
        for (const each of ['delete', 'store', 'tell', 'arrive'] as const)
          this.play({ deed: each, n, isRepeated, isHeard })
        return
      case 'handOver':
        this.target = this.target.fork()
        return
      case 'loseTarget':
        if (n < 50) return
        if (this.target.state.names.has('dead'))
          this.target.ok({ type: 'DeleteQueue', queue: 'dead', force: true, by })
        else this.target.create('dead')
    }
  }

  get #storedSeq(): number {
    return this.#stored.partition.state.frameSeq
  }

  #create(name: string): void {
    const queue = this.target.state.names.get('dead')?.id ?? 1
    this.source.create(name, { deadLetter: { partition: there, queue, name: 'dead' } })
  }

  #letter(name: string, count: number): void {
    const { source } = this
    const queue = source.state.names.get(name)!.id
    const first = source.send(name, count)
    for (let i = 0; i < count; i++) this.#labels.set(`${queue}/${first + i}`, ++this.#label)
    source.settle('DeadLetter', source.receive(name)!)
  }

  /** What was decided is stored: it may leave, and survives. */
  #store(): void {
    this.#stored = { partition: this.source.fork(), first: this.source.state.firstForward }
  }

  #leave(lane: OutboxLane, max: number): void {
    const entries = lane.entries.filter(({ decidedSeq }) => decidedSeq <= this.#storedSeq).slice(0, max)
    if (entries.length === 0) return
    const { source, target, name } = lane
    const command: CommandOf<'Forward'> = {
      type: 'Forward',
      from: { partition: this.source.state.partition, queue: source },
      target: target.queue,
      name: name!,
      forward: entries[0]!.forward,
      messages: entries.map(({ number }) =>
        encodeEnvelope(Uint8Array.of(...digits(this.#labels.get(`${source}/${number}`)!))),
      ),
      enqueuedAt: entries.map(({ enqueuedAt }) => enqueuedAt),
      first: this.#stored.first,
    }
    this.#wire.push({ command, owner: this.source, lane })
  }

  #arrive(at: number, isRepeated: boolean, isHeard: boolean): void {
    const { command, owner, lane } = this.#wire[at]!
    if (!isRepeated) this.#wire.splice(at, 1)
    const answer = this.target.ask(command as Command) as Answer<'Forward'>
    this.#note(command, answer)
    if (!isHeard || owner !== this.source || answer.ok === undefined) return
    if (command.type === 'ForgetLanes')
      this.source.act((turn) => decideClosingTold(turn, there, command.first))
    else this.source.act((turn) => decideForwarded(turn, lane!, answer.ok))
  }

  #note(command: Message['command'], answer: Answer<'Forward'>): void {
    const { events, bodies, state } = this.target
    if (answer.error !== undefined) this.met.late++
    else if (command.type === 'Forward' && answer.ok.outcome === 'targetGone') this.met.gone++
    else if (command.type === 'Forward' && events.length === 0) this.met.passedOver++
    let place = 0
    for (const e of events) {
      if (e.type === 'LanesForgotten') this.met.forgotten++
      if (e.type !== 'ForwardReceived') continue
      for (let i = 0; i < e.count; i++) {
        const body = bodies.get(`${state.frameSeq}/${e.queue}`)![place++]!
        const label = number(decodeEnvelope(body).body)
        this.#arrived.set(label, (this.#arrived.get(label) ?? 0) + 1)
      }
    }
  }

  /** Everybody is well again, and the network is done with what it kept. */
  end(): void {
    if (!this.target.state.names.has('dead')) this.target.create('dead')
    for (let round = 0; round < 30; round++) {
      this.#store()
      for (const lane of this.source.state.outbox.values()) this.#leave(lane, 100)
      this.play({ deed: 'tell', n: 0, isRepeated: false, isHeard: true })
      while (this.#wire.length > 0) this.#arrive(this.#wire.length - 1, false, true)
    }
  }

  /** How often each letter arrived that left for good. */
  *letters(): Generator<number> {
    for (const { events } of this.source.frames)
      for (const e of events)
        if (e.type === 'DeadLettered')
          for (const n of numbersOf(e.numbers))
            yield this.#arrived.get(this.#labels.get(`${e.queue}/${n}`)!) ?? 0
  }
}

const digits = (label: number): number[] => [label >> 8, label & 255]
const number = ([high, low]: Uint8Array): number => (high! << 8) + low!

describe('letters between two partitions, whatever is lost, late, repeated or forgotten', () => {
  it('arrive once each, and queues that are gone leave no number', () => {
    const met = { late: 0, forgotten: 0, passedOver: 0, gone: 0 }
    fc.assert(
      fc.property(script, (steps) => {
        const pair = new Pair()
        for (const step of steps) pair.play(step)
        pair.end()
        for (const times of pair.letters()) expect(times).toBe(1)
        const { outbox, closedLanes, queues } = pair.source.state
        expect([...outbox.values()].flatMap(({ entries }) => entries)).toEqual([])
        expect(closedLanes).toEqual([])
        for (const key of pair.target.state.forwardsSeen.keys())
          expect(queues.has(Number(key.split('>')[0]))).toBe(true)
        for (const what of Object.keys(met) as (keyof typeof met)[]) met[what] += pair.met[what]
      }),
      { seed: 20_261_123, numRuns: 150 },
    )
    for (const times of Object.values(met)) expect(times).toBeGreaterThan(20)
  })
})
