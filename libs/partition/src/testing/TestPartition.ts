import { isDeepStrictEqual } from 'node:util'
import {
  type Answer,
  type Answers,
  type Command,
  type CommandOf,
  type CommandType,
  defaultQueueConfig,
  encodeEnvelope,
  type EngineCommand,
  featureLevel,
  type LogEvent,
  type QueueConfig,
  type QueueCounts,
  type SettleItem,
} from '@kiroku/protocol'
import {
  decide,
  describeQueues,
  endTurn,
  evolve,
  nextTimerAt,
  Ownership,
  PartitionState,
  PastFold,
  restore,
  snapshot,
  stateHash,
  Turn,
  type Located,
  type PlannedDelivery,
  type QueueState,
  type Subscription,
  type TurnAnswer,
} from '../index.ts'
import { type PastArrival } from '../past/PastFold.ts'
import { decideRestore } from '../past/decideRestore.ts'
import { decideCreateSubscription } from '../subscription/decideSubscription.ts'

const by = { name: 'tester', origin: 'test' }

/** Tells the bodies and ids of a test apart; a shell takes SHA-256, which no pure code has at hand. */
const digest = (bytes: Uint8Array): Uint8Array => {
  const words = Uint32Array.from({ length: 8 }, (_, i) => Math.imul(i + 1, 0x9e3779b1))
  for (const byte of bytes)
    for (let i = 0; i < 8; i++) {
      words[i] = Math.imul(words[i]! ^ byte, 0x0100_0193 + 2 * i)
      words[i]! ^= words[i]! >>> 15
    }
  return new Uint8Array(words.buffer)
}

/** What a test may leave out of a receive. */
type ReceiveOptions = Partial<Omit<CommandOf<'Receive'>, 'type' | 'queue'>>

/**
 * A partition for tests: the test says what is asked and how time goes on, every turn is one frame, and every
 * frame is replayed into a second state, which must stay equal.
 */
export class TestPartition {
  readonly own: Ownership
  readonly state: PartitionState
  readonly replica: PartitionState
  now = 1_700_000_000_000
  random: () => number = () => 0
  /** Bytes that a turn of the shell's own may put on record. */
  turnBytesMax = Number.POSITIVE_INFINITY
  /** Facts of the last turn. */
  events: readonly LogEvent[] = []
  /** Answers of the last turn. */
  said: readonly TurnAnswer[] = []
  readonly answers = new Map<number, TurnAnswer>()
  /** Bodies by frame and queue. */
  readonly bodies = new Map<string, readonly Uint8Array[]>()
  /** Everything that was recorded. */
  readonly frames: { readonly seq: number; readonly at: number; readonly events: readonly LogEvent[] }[] = []
  #seq = 0
  #token = 0
  #send = 0

  constructor(state = new PartitionState(3), replica = new PartitionState(3)) {
    this.own = new Ownership(state)
    this.state = state
    this.replica = replica
    this.#seq = state.frameSeq
    this.now = Math.max(this.now, state.at)
  }

  /** One in which everything that this version knows may be on record. */
  static newest(): TestPartition {
    const p = new TestPartition()
    p.turn({ type: 'RaiseClusterVersion', version: featureLevel, by })
    return p
  }

  /** Decides commands in one turn; returns their tokens. */
  turn(...commands: readonly Command[]): number[] {
    const turn = new Turn(this.own, this.now, this.random, digest)
    const seq = this.#seq + 1
    this.state.beginFrame(seq, this.now)
    const tokens = commands.map((command) => {
      const token = ++this.#token
      decide(turn, command as Exclude<Command, { type: EngineCommand }>, token)
      return token
    })
    endTurn(turn)
    this.#end(turn, seq)
    return tokens
  }

  /** Records facts that the shell makes. */
  record(...events: readonly LogEvent[]): void {
    this.act((turn) => {
      for (const event of events) turn.emit(event)
    })
  }

  /** A turn in which the shell does something of its own; `isAlone`: and nothing else happens. */
  act(run: (turn: Turn) => void, isAlone = false): void {
    const turn = new Turn(this.own, this.now, this.random, digest, this.turnBytesMax)
    const seq = this.#seq + 1
    this.state.beginFrame(seq, this.now)
    run(turn)
    if (!isAlone) endTurn(turn)
    this.#end(turn, seq)
  }

  /** Moves the time on by so much at once, in a frame of its own. */
  step(byMs: number): void {
    const resumed = { type: 'ClockResumed', now: this.now + byMs, gapMs: byMs } as const
    this.act((turn) => turn.emit(resumed), true)
    this.now += byMs
  }

  /** Opens a subscription of which the shell found out where it begins. */
  askLocated(command: CommandOf<'CreateSubscription'>, located: Located): Answer<'CreateSubscription'> {
    const token = ++this.#token
    this.act((turn) => decideCreateSubscription(turn, command, token, located))
    return this.answers.get(token)!.answer as Answer<'CreateSubscription'>
  }

  /** What became available of the past of a generation that is being filled and is not restored yet. */
  past(sub: Subscription): readonly { readonly seq: number; readonly arrival: PastArrival }[] {
    const fill = sub.fill!
    const [doneSeq, doneEvents] = fill.done
    const { retentionFrom } = sub.config
    const fold = new PastFold({
      queue: sub.queue.id,
      sub: sub.id,
      name: sub.name,
      from: sub.from,
      retentionFrom,
    })
    return this.frames.flatMap((frame) =>
      fold.isOver || frame.seq < fill.readFrom
        ? []
        : fold
            .accept({ ...frame, needs: () => frame.seq })
            .filter(({ events }) => frame.seq > doneSeq || (frame.seq === doneSeq && events > doneEvents))
            .map((arrival) => ({ seq: frame.seq, arrival })),
    )
  }

  /** Restores so many arrivals of the past to a generation, and says so when there are no more. */
  fill(sub: Subscription, arrivals = Number.POSITIVE_INFINITY): void {
    const past = this.past(sub)
    const taken = past.slice(0, arrivals)
    const last = taken.at(-1)
    this.act((turn) =>
      decideRestore(turn, {
        queue: sub.queue.id,
        sub: sub.id,
        runs: taken.flatMap(({ arrival }) => arrival.runs),
        done: last === undefined ? sub.fill!.done : [last.seq, last.arrival.events],
        isLast: taken.length === past.length,
      }),
    )
  }

  #end(turn: Turn, seq: number): void {
    for (const answer of turn.answers) {
      if (this.answers.has(answer.token)) throw new Error(`token ${answer.token} is answered twice`)
      this.answers.set(answer.token, answer)
    }
    this.events = turn.events
    this.said = turn.answers
    if (turn.events.length === 0) return
    this.#seq = seq
    this.frames.push({ seq, at: this.now, events: turn.events })
    for (const { queue, bodies } of turn.sections.values()) this.bodies.set(`${seq}/${queue}`, bodies)
    this.replica.beginFrame(seq, this.now)
    for (const event of turn.events) evolve(this.replica, structuredClone(event))
    const [live, replayed] = [snapshot(this.state), snapshot(this.replica)]
    // Equal copies have equal hashes, which would take several times as long to make.
    if (!isDeepStrictEqual(live, replayed) && stateHash(live) !== stateHash(replayed))
      throw new Error(`replay of frame ${seq} gives another state`)
  }

  /**
   * Goes on in a second partition that was restored from a snapshot; only what the record does not hold is
   * carried over. Receives do not survive a change of owner: they are taken back first.
   */
  fork(): TestPartition {
    const polls = [...this.own.polls.keys()]
    this.turn(...polls.map((poll) => ({ type: 'CancelReceive', poll }) as const))
    this.own.pollTimers.filter((t) => !t.poll.done)
    const state = restore(structuredClone(snapshot(this.state)))
    const fork = new TestPartition(state, restore(snapshot(this.state)))
    fork.own.sweep.at = this.own.sweep.at
    for (const sub of this.state.subscriptions)
      if (sub !== undefined) this.#carryReceives(sub, fork.own, state.subscriptions[sub.index]!)
    for (const queue of this.state.queues.values()) this.#carryRedrives(queue, fork.own)
    fork.now = this.now
    fork.random = this.random
    fork.#seq = this.#seq
    fork.#token = this.#token
    fork.#send = this.#send
    fork.frames.push(...this.frames)
    return fork
  }

  #carryReceives(from: Subscription, own: Ownership, to: Subscription): void {
    const { flow, availableSince } = this.own.of(from)
    Object.assign(own.of(to), { flow: flow?.copy(), availableSince })
    carryGroups(from, to)
  }

  #carryRedrives(from: QueueState, own: Ownership): void {
    const queue = own.state.queues.get(from.id)!
    for (const [i, { skipped, filtered, left }] of from.redrives.entries())
      Object.assign(queue.redrives[i]!, { skipped: { ...skipped }, filtered, left })
    for (const r of structuredClone(this.own.dryRuns.of(from))) {
      own.dryRuns.begin(queue, r)
      if (r.state !== 'running') own.dryRuns.running.delete(r)
    }
  }

  /** Decides one command and returns its answer, which must come in the same turn. */
  ask<T extends CommandType>(command: CommandOf<T>): Answer<T> {
    const [token] = this.turn(command)
    const said = this.answers.get(token!)
    if (said?.answer === undefined) throw new Error(`${command.type} was not answered`)
    return said.answer as Answer<T>
  }

  /** Like `ask`; throws for an error. */
  ok<T extends CommandType>(command: CommandOf<T>): Answers[T] {
    const answer = this.ask(command)
    if (answer.error !== undefined) throw new Error(`${answer.error.id}: ${answer.error.message}`)
    return answer.ok
  }

  /** Creates a queue and returns its id. */
  create(queue: string, config: Partial<QueueConfig> = {}): number {
    return this.ok({ type: 'CreateQueue', queue, config: { ...defaultQueueConfig, ...config }, by }).queue
  }

  configure(queue: string, config: Partial<QueueConfig>): void {
    this.ok({ type: 'ConfigureQueue', queue, config, by })
  }

  /** Sends so many messages, each of its own text, in one send; returns the number of the first. */
  send(
    queue: string,
    count = 1,
    options: {
      readonly delayMs?: number
      readonly delaysMs?: readonly number[]
      readonly bytes?: number
    } = {},
  ): number {
    const { bytes = 10, ...delays } = options
    const messages = Array.from({ length: count }, (_, i) =>
      encodeEnvelope(new Uint8Array(bytes).fill(i + 1)),
    )
    return this.ok({ type: 'Enqueue', queue, producer: 'tester', send: ++this.#send, messages, ...delays })
      .first
  }

  /** Receives without a wait. */
  receive(queue: string, options: ReceiveOptions = {}): PlannedDelivery | undefined {
    const said = this.answers.get(this.poll(queue, { waitMs: 0, ...options }))
    if (said === undefined) throw new Error('a receive without a wait was not answered')
    return said.delivery
  }

  /** Begins a receive and returns its token. */
  poll(queue: string, options: ReceiveOptions = {}): number {
    const poll = `poll ${this.#token}`
    return this.turn({
      type: 'Receive',
      queue,
      poll,
      max: 10,
      mode: 'push',
      consumer: 'tester',
      ...options,
    })[0]!
  }

  /** What the receive with this token got: `undefined` while it waits, `'nothing'` at the end of its wait. */
  got(token: number): number[] | 'nothing' | undefined {
    const said = this.answers.get(token)
    if (said === undefined) return undefined
    return said.delivery === undefined ? 'nothing' : numbersOf(said.delivery.numbers)
  }

  /** Settles all messages of a delivery, or those with the given numbers; returns the refusals' errors. */
  settle(
    type: 'Ack' | 'Retry' | 'Release' | 'DeadLetter' | 'Extend',
    delivery: PlannedDelivery,
    options: {
      readonly numbers?: readonly number[]
      readonly delayMs?: number
      readonly leaseMs?: number
      readonly error?: string
      readonly holdSubscription?: boolean
    } = {},
  ): string[] {
    const { numbers, ...rest } = options
    const command = { type, items: [itemOf(delivery, numbers)], ...rest } as CommandOf<'Ack'>
    return this.ok(command).refused.map((r) => r.error)
  }

  /** Lets time go on, with a turn whenever a timer is due and one at the end. */
  pass(ms: number): LogEvent[] {
    const until = this.now + ms
    const happened: LogEvent[] = []
    for (;;) {
      const at = Math.max(this.now, nextTimerAt(this.own))
      this.now = Math.min(at, until)
      this.turn()
      happened.push(...this.events)
      if (this.now === until && nextTimerAt(this.own) > until) return happened
    }
  }

  counts(queue: string): QueueCounts {
    return describeQueues(this.state, [this.state.names.get(queue)!], this.now)[0]!.counts
  }
}

/** What the groups of a subscription have beside the record. */
const carryGroups = (from: Subscription, to: Subscription): void => {
  if (from.groups === undefined) return
  for (const group of to.groups!.row()) to.groups!.unqueue(group)
  for (const { key } of from.groups.row()) to.groups!.queue(to.groups!.of(key))
  for (const { key, isNoisy, lastArrivalAt } of from.groups.all())
    Object.assign(to.groups!.of(key), { isNoisy, lastArrivalAt })
}

/** The message numbers that ranges name. */
export const numbersOf = (ranges: readonly number[]): number[] => {
  const numbers: number[] = []
  for (let i = 0; i < ranges.length; i += 2)
    for (let k = 0; k < ranges[i + 1]!; k++) numbers.push(ranges[i]! + k)
  return numbers
}

/** Names messages of a delivery: all of them, or those with the given numbers. */
export const itemOf = (d: PlannedDelivery, numbers?: readonly number[]): SettleItem => ({
  queue: d.queue,
  sub: d.sub,
  delivery: d.delivery,
  numbers: numbers === undefined ? d.numbers : numbers.flatMap((n) => [n, 1]),
})
