import { hash } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import { newCell, step, type MachineEvent, type Policy } from '@kiroku/message'
import {
  decide,
  endTurn,
  Ownership,
  PartitionState,
  SnapshotSpace,
  snapshotting,
  Turn,
} from '@kiroku/partition'
import {
  type Command,
  defaultQueueConfig,
  encodeEnvelope,
  type EngineCommand,
  isFinal,
  type QueueConfig,
  State,
} from '@kiroku/protocol'
import { serveTasks } from '../LoadProcess.ts'

const startMs = 1_700_000_000_000
const queue = 'bench'
const body = encodeEnvelope(new Uint8Array(128))

/** What the messages of a send may have besides their bodies. */
type SendExtras = Pick<Extract<Command, { type: 'Enqueue' }>, 'groups' | 'dedupIds'>

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A partition without a shell: each turn is a frame. */
class Frames {
  readonly state = new PartitionState(0)
  readonly #own = new Ownership(this.state)
  #seq = 0
  #sends = 0
  #polls = 0
  /** What the longest turn took of the thread. */
  longestMs = 0

  constructor(config: Partial<QueueConfig> = {}) {
    const by = { name: 'bench', origin: 'bench' }
    const all = { ...defaultQueueConfig, leaseMs: 3_600_000, ...config }
    this.#turn({ type: 'CreateQueue', queue, config: all, by })
  }

  enqueue(messages: readonly Uint8Array[], extras: SendExtras = {}): void {
    this.#turn({ type: 'Enqueue', queue, producer: 'p', send: ++this.#sends, messages, ...extras })
  }

  /** What one description of the queue takes, in ms. */
  describe(): number {
    const beganMs = performance.now()
    this.#turn({ type: 'DescribeQueue', queue })
    return performance.now() - beganMs
  }

  receive(max: number): void {
    const poll = `poll-${++this.#polls}`
    this.#turn({ type: 'Receive', queue, poll, max, waitMs: 0, mode: 'push', consumer: 'c' })
  }

  #turn(command: Exclude<Command, { type: EngineCommand }>): void {
    const now = startMs + this.#seq
    const beganMs = threadMs()
    this.state.beginFrame(++this.#seq, now)
    const turn = new Turn(
      this.#own,
      now,
      () => 0,
      (bytes) => hash('sha256', bytes, 'buffer'),
    )
    decide(turn, command, this.#seq)
    endTurn(turn)
    this.longestMs = Math.max(this.longestMs, threadMs() - beganMs)
    for (const { answer } of turn.answers)
      if (answer?.error !== undefined) throw new Error(answer.error.message)
  }
}

const bodiesOf = (count: number): Uint8Array[] => Array.from({ length: count }, () => body)

/** Bytes of resident memory by which the process grows for what `fill` leaves behind. */
const residentBytes = (fill: () => unknown): number => {
  const before = settledBytes()
  const kept = fill()
  const after = settledBytes()
  if (kept === undefined) throw new Error('there is nothing to measure')
  return after - before
}

const settledBytes = (): number => {
  for (let i = 0; i < 4; i++) globalThis.gc!()
  return process.memoryUsage.rss()
}

const untouched = (messages: number, perFrame: number): Frames => {
  const frames = new Frames()
  const bodies = bodiesOf(perFrame)
  for (let i = 0; i < messages; i += perFrame) frames.enqueue(bodies)
  return frames
}

const live = (messages: number): Frames => {
  const frames = untouched(messages, 1_000)
  for (let i = 0; i < messages; i += 1_000) frames.receive(1_000)
  return frames
}

/** Large states: settings of the queue, and what message `n` has. */
const grown = {
  leased: { config: {}, extras: () => ({}), isLeased: true },
  grouped: {
    config: { groups: 'ordered' },
    extras: (ids: readonly string[]) => ({ groups: ids }),
    isLeased: true,
  },
  deduplicated: {
    config: { dedupWindowMs: 3_600_000, dedup: 'id' },
    extras: (ids: readonly string[]) => ({ dedupIds: ids }),
    isLeased: false,
  },
} as const satisfies Record<
  string,
  {
    readonly config: Partial<QueueConfig>
    readonly extras: (ids: readonly string[]) => SendExtras
    readonly isLeased: boolean
  }
>

const warmFrames = 300_000
const descriptions = 5_000

const policy: Policy = { attemptsMax: 4, exhaustion: 'onExpiry', hasDeadLetter: true, lateHandles: 'accept' }

/** A life with one failure. */
const life: readonly MachineEvent[] = [
  { type: 'DELIVER', delivery: 1, leaseUntil: 30_000, leaseCap: 0, policy },
  { type: 'EXTEND', now: 10, delivery: 1, leaseUntil: 40_000 },
  { type: 'RETRY', now: 20, delivery: 1, dueAt: 30, policy },
  { type: 'RETRY_DUE', now: 30 },
  { type: 'DELIVER', delivery: 2, leaseUntil: 60_000, leaseCap: 0, policy },
  { type: 'ACK', delivery: 2, policy },
]

const tasks = {
  /** Bytes per untouched message, sent in frames of `perFrame`. */
  untouchedBytes: ({ messages, perFrame }: { messages: number; perFrame: number }) => {
    // Code and the young generation grow once; that is not what the messages cost.
    const warm = untouched(perFrame * warmFrames, perFrame)
    const bytes = residentBytes(() => untouched(messages, perFrame)) / messages
    if (warm.state.runs.used !== warmFrames) throw new Error('the messages are in other runs than planned')
    return bytes
  },

  /** Bytes per message under a lease. */
  liveBytes: ({ messages }: { messages: number }) => {
    const warm = live(20_000)
    const bytes = residentBytes(() => live(messages)) / messages
    if (warm.state.live.used !== 20_000) throw new Error('the messages are not live')
    return bytes
  },

  /** The longest turn while a state grows, and the step of a checkpoint that copies it, in ms of the thread. */
  longestMs: async ({ state, messages }: { state: keyof typeof grown; messages: number }) => {
    const { config, extras, isLeased } = grown[state]
    const frames = new Frames(config)
    const bodies = bodiesOf(1_000)
    for (let i = 0; i < messages; i += 1_000) {
      frames.enqueue(bodies, extras(bodies.map((_, k) => `id-${i + k}`)))
      // Memory is given back between turns, as in an engine.
      await nextTick()
    }
    for (let i = 0; i < messages && isLeased; i += 1_000) {
      frames.receive(1_000)
      await nextTick()
    }
    const making = SnapshotSpace.make(frames.state)
    let space = making.next()
    while (space.done !== true) space = making.next()
    const beganMs = threadMs()
    snapshotting(frames.state, space.value).next()
    return { turnMs: frames.longestMs, copyMs: threadMs() - beganMs }
  },

  /** The slowest in a hundred of many descriptions of a queue with this many messages under leases, in ms. */
  describeMs: ({ messages }: { messages: number }) => {
    const frames = live(messages)
    frames.describe()
    const times = Array.from({ length: descriptions }, () => frames.describe()).sort((a, b) => a - b)
    return times[Math.floor(0.99 * descriptions)]!
  },

  /** Nanoseconds that one step of the compiled machine takes the processor. */
  stepNs: ({ lives }: { lives: number }) => {
    const cell = newCell()
    const before = process.threadCpuUsage()
    for (let i = 0; i < lives; i++) {
      cell.state = State.Available
      cell.attempt = 0
      for (const event of life) step(cell, event)
      if (!isFinal(cell.state)) throw new Error('the life did not end as planned')
    }
    const { user, system } = process.threadCpuUsage(before)
    return ((user + system) * 1_000) / (lives * life.length)
  },
}

/** What this process can be asked. */
export type CoreLoad = typeof tasks

serveTasks(tasks)
