import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { KirokuError, isKirokuError } from '@kiroku/message'
import { createMemoryLog, readChain, type MemoryLog, type WriteFault } from '@kiroku/log'
import {
  beginFrame,
  evolve,
  PartitionState,
  snapshot,
  stateHash,
  type Answer,
  type Answers,
  type Command,
  type CommandOf,
  type CommandType,
  type Delivery,
  type Reply,
} from '@kiroku/partition'
import { ManualTime } from '@kiroku/testkit'
import { load } from './load.ts'
import { MortalLog } from './MortalLog.ts'
import { Node } from './Node.ts'
import { body, by, text } from './startTestNode.ts'

/** A node of the simulation, which may be cut off in the middle of anything. */
interface Cell {
  readonly name: string
  readonly node: Node
  readonly log: MortalLog
  readonly scopes: Map<number, Scope.Closeable>
  readonly requests: Set<Promise<unknown>>
}

/** A send that must be there exactly once at the end. */
interface Sent {
  readonly command: CommandOf<'Enqueue'>
  readonly texts: readonly string[]
  stored: Answers['Enqueue'] | undefined
}

/** Partition 0 has the queues of work, partition 1 the dead letters. */
const partitions = 2
const producersMax = 3
const sendsMax = 20
const workQueues = ['mail', 'post'] as const
const startMs = 1_700_000_000_000

/**
 * Two partitions on a memory log, nodes that fail and take over from each other, producers that repeat what has no
 * answer, consumers that settle or forget. Everything by one seed, in time that only the simulation moves.
 */
export class Simulation {
  readonly #random: () => number
  readonly #time = new ManualTime()
  readonly #log: MemoryLog
  readonly #cells: Cell[] = []
  readonly #owners: Cell[] = []
  readonly #epochs = new Array<number>(partitions).fill(0)
  readonly #sent: Sent[] = []
  readonly #busy = new Set<Promise<void>>()
  readonly #failures: Error[] = []
  /** Texts that were acknowledged for good, by queue and number. */
  readonly #acked = new Set<string>()
  readonly #texts = new Map<string, string>()
  readonly #keepsAll: boolean
  #names = 0
  #isOver = false
  #isCalm = false
  #skewMs = 0

  constructor(seed: number) {
    this.#random = randomOf(seed)
    this.#keepsAll = this.#chance(0.5)
    this.#log = createMemoryLog(
      { partitions, recordBytes: this.#keepsAll ? 1e9 : 120_000 },
      {
        now: () => startMs + this.#time.now() + this.#skewMs,
        schedule: (ms, run) => {
          if (ms === 0) queueMicrotask(run)
          else this.#time.after(ms, run)
        },
        recordBytesMax: this.#chance(0.5) ? 150_000 : 1_000_000,
      },
    )
  }

  /** Runs the whole of it; throws what is wrong. */
  async run(): Promise<void> {
    for (let p = 0; p < partitions; p++) this.#takeOver(p, this.#newCell())
    await this.#setUp()
    for (let p = 0; p < producersMax; p++) this.#start(this.#produce(`producer-${p}`))
    for (let c = 0; c < 2; c++)
      for (const queue of [...workQueues, 'dead']) this.#start(this.#consume(queue, `consumer-${c}`))
    for (let step = 0; step < 50; step++) {
      await this.#misfortune()
      await this.#time.advance(this.#pick([0, 1, 5, 20, 100, 400, 1_500]))
      this.#rethrow()
    }
    await this.#calmDown()
    await this.#until('every send has its answer', () => this.#isSent())
    await this.#until('every message is settled', () => this.#isEmpty())
    // An owner that has not noticed yet that it is none any more may have said so.
    await this.#drive('a fact is stored', this.#poke())
    await this.#until('every message is still settled', () => this.#isEmpty())
    this.#isOver = true
    await this.#until('everything comes to rest', () => this.#busy.size === 0)
    this.#rethrow()
    this.#checkAnswered()
    await this.#drive('the queues are counted', this.#checkQueues())
    for (let p = 0; p < partitions; p++) await this.#drive(`partition ${p} is replayed`, this.#checkReplay(p))
    await this.#drive('the nodes have stopped', this.#close())
    this.#rethrow()
  }

  // Nodes.

  #newCell(): Cell {
    const name = `node-${++this.#names}`
    const log = new MortalLog(this.#log)
    const node = new Node({
      log,
      name,
      time: {
        monotonicMs: () => this.#time.monotonicMs(),
        after: (ms, run) => this.#time.after(ms, () => !log.isDead && run()),
      },
      random: this.#random,
      remote: (partition, commands) => this.#call(this.#owners[partition]!, partition, commands, 3_000),
      checkpoints: { bytesMin: this.#pick([2_000, 30_000, 1e9]), ageMs: 1e9 },
    })
    const cell: Cell = { name, node, log, scopes: new Map(), requests: new Set() }
    this.#cells.push(cell)
    return cell
  }

  /** Makes a node the one that is to own a partition; it starts there, and again after every failure. */
  #takeOver(partition: number, cell: Cell): void {
    this.#owners[partition] = cell
    if (!cell.scopes.has(partition)) this.#own(partition, cell)
  }

  #own(partition: number, cell: Cell): void {
    const scope = Effect.runSync(Scope.make())
    cell.scopes.set(partition, scope)
    const fiber = Effect.runFork(cell.node.run(partition).pipe(Scope.provide(scope)))
    fiber.addObserver((exit) => {
      if (cell.log.isDead) return
      const error = Exit.isFailure(exit) ? exit.cause.toString() : ''
      if (error.includes('Internal')) this.#failures.push(new Error(error))
      if (cell.scopes.get(partition) !== scope) return
      void this.#release(partition, cell).then(() => {
        this.#time.after(this.#pick([10, 100, 1_000]), () => {
          if (this.#owners[partition] === cell && !cell.log.isDead && !cell.scopes.has(partition))
            this.#own(partition, cell)
        })
      })
    })
  }

  /** Hands a partition over. */
  async #release(partition: number, cell: Cell): Promise<void> {
    const scope = cell.scopes.get(partition)
    if (scope === undefined) return
    cell.scopes.delete(partition)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }

  /** Nothing of the node has an effect any more, and whoever waits for it waits in vain. */
  #crash(cell: Cell): void {
    cell.log.kill()
    cell.requests.clear()
  }

  // What goes wrong.

  async #misfortune(): Promise<void> {
    const partition = this.#below(partitions)
    const { faults } = this.#log
    const owner = this.#owners[partition]!
    switch (this.#below(22)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        faults.onAppend(partition, ...this.#several(writeFaults, 6))
        return void this.#time.after(this.#pick([1, 50, 2_000]), () => void faults.land(partition))
      case 5:
        return faults.onFence(partition, ...this.#several(writeFaults, 3))
      case 6:
      case 7:
        return void faults.land(partition)
      case 8:
        return void faults.write(partition, new TextEncoder().encode('a stray record'))
      case 9:
      case 10:
        return faults.slow(this.#pick([0, 1, 7, 40]))
      case 11:
        faults.full(true)
        return void this.#time.after(this.#pick([5, 500, 5_000]), () => faults.full(false))
      case 12:
        faults.down(true)
        return void this.#time.after(this.#pick([5, 500, 5_000]), () => faults.down(false))
      case 13:
        // The owner before does not know yet, and goes on as if nothing were.
        this.#takeOver(partition, this.#newCell())
        return void this.#time.after(this.#pick([50, 3_000]), () =>
          this.#start(this.#release(partition, owner)),
        )
      case 14:
        this.#crash(owner)
        for (let p = 0; p < partitions; p++) if (this.#owners[p] === owner) this.#takeOver(p, this.#newCell())
        return
      case 15: {
        const next = this.#newCell()
        this.#owners[partition] = next
        return this.#start(
          this.#release(partition, owner).then(() => {
            if (this.#owners[partition] === next) this.#takeOver(partition, next)
          }),
        )
      }
      case 16:
        this.#skewMs += this.#pick([-5_000, -50, 50, 5_000])
        return
      default:
    }
  }

  async #calmDown(): Promise<void> {
    const { faults } = this.#log
    this.#isCalm = true
    faults.calm()
    for (let p = 0; p < partitions; p++) faults.land(p)
    await this.#time.advance(6_000)
    for (let p = 0; p < partitions; p++) faults.land(p)
    await this.#time.advance(6_000)
  }

  // Clients.

  async #setUp(): Promise<void> {
    let dead: number | undefined
    this.#start(
      (async () => {
        const { queue } = await this.#ask(1, { type: 'CreateQueue', queue: 'dead', config: {}, by })
        const deadLetter = { name: 'dead', partition: 1, queue }
        const config = { leaseMs: 3_000, retriesMax: 1, deadLetter, batchWaitMs: 0, bodyBytesMax: 1_000_000 }
        for (const work of workQueues) await this.#ask(0, { type: 'CreateQueue', queue: work, config, by })
        dead = queue
      })(),
    )
    await this.#until('the queues are there', () => dead !== undefined)
  }

  /** Repeats a command until it has an answer. */
  async #ask<T extends CommandType>(
    partition: number,
    command: Extract<Command, { type: T }>,
    isEnough: (tries: number) => boolean = () => false,
  ): Promise<Answers[T]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(partition, command)
      } catch (error) {
        if (!isKirokuError(error) || !error.retryable || isEnough(tries)) throw error
        await this.#time.sleep(error.retryAfterMs ?? this.#pick([1, 20, 200]))
      }
    }
  }

  async #once<T extends CommandType>(
    partition: number,
    command: Extract<Command, { type: T }>,
  ): Promise<Answers[T]> {
    const cell = this.#isCalm || this.#chance(0.9) ? this.#owners[partition]! : this.#of(this.#cells)
    const waitMs = 'waitMs' in command ? (command.waitMs ?? 0) : 0
    const reply = await this.#call(cell, partition, [command], waitMs + 4_000)
    if (reply.epoch < this.#epochs[partition]!) throw new KirokuError('NotOwner', 'an earlier owner')
    this.#epochs[partition] = reply.epoch
    const answer = reply.answers[0] as Answer<T>
    if (answer.error !== undefined) throw new KirokuError(answer.error.id, answer.error.message)
    return answer.ok
  }

  /** One request to one node. */
  #call(cell: Cell, partition: number, commands: readonly Command[], timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const cancel = this.#time.after(timeoutMs, () => reject(new KirokuError('Timeout', 'no answer')))
      if (cell.log.isDead) return
      const actor = cell.node.actors.get(partition)
      if (actor === undefined) {
        cancel()
        return reject(new KirokuError('Unavailable', 'nobody there'))
      }
      const request = actor.request(commands).then(
        (reply) => {
          if (cell.log.isDead) return
          cancel()
          resolve(reply)
        },
        (error: Error) => {
          cancel()
          reject(error)
        },
      )
      cell.requests.add(request)
      void request.then(() => cell.requests.delete(request))
    })
  }

  async #produce(producer: string): Promise<void> {
    for (let number = 1; number <= sendsMax; number++) {
      const texts = Array.from({ length: this.#pick([1, 1, 2, 5]) }, (_, i) => `${producer} ${number}.${i}`)
      const sent: Sent = {
        command: {
          type: 'Enqueue',
          queue: this.#pick(workQueues),
          producer,
          send: number,
          messages: texts.map((t) => body(t.padEnd(this.#pick([20, 20, 20, 900, 20_000, 70_000])))),
          ...(this.#chance(0.1) ? { delayMs: 700 } : {}),
        },
        texts,
        stored: undefined,
      }
      this.#sent.push(sent)
      this.#start(this.#send(sent))
      await this.#time.sleep(this.#pick([0, 1, 1, 1, 3, 30, 2_500]))
    }
  }

  async #send(sent: Sent): Promise<void> {
    const ask = async (): Promise<void> => {
      const stored = await this.#ask(0, sent.command, () => sent.stored !== undefined)
      if (sent.stored !== undefined && JSON.stringify(stored) !== JSON.stringify(sent.stored))
        throw new Error(`a repeated send got ${JSON.stringify(stored)} and ${JSON.stringify(sent.stored)}`)
      sent.stored = stored
      sent.texts.forEach((t, i) => this.#place(sent.command.queue, stored.first + i, t))
    }
    this.#start(ask().catch((error: unknown) => this.#onlyDefects(error)))
    // As if an answer were late, so that the client asks again meanwhile; the first answer is enough for it.
    for (let i = 0; i < 2 && this.#chance(0.2); i++) {
      await this.#time.sleep(this.#pick([0, 1, 20]))
      this.#start(ask().catch((error: unknown) => this.#onlyDefects(error)))
    }
  }

  #onlyDefects(error: unknown): void {
    if (!isKirokuError(error)) throw error
  }

  /** Where a message lies is said by the answer of its send and by every delivery, and never changes. */
  #place(queue: string, number: number, content: string): void {
    const key = `${queue} ${number}`
    const known = this.#texts.get(key)
    if (known !== undefined && known !== content)
      throw new Error(`${key} is "${content}" after having been "${known}"`)
    this.#texts.set(key, content)
  }

  async #consume(queue: string, consumer: string): Promise<void> {
    const partition = queue === 'dead' ? 1 : 0
    for (let poll = 1; !this.#isOver; poll++) {
      const before = new Set(this.#acked)
      const command: CommandOf<'Receive'> = {
        type: 'Receive',
        queue,
        poll: `${queue} ${consumer} ${poll}`,
        max: this.#pick([1, 3, 10]),
        bytesMax: 200_000,
        waitMs: this.#pick([0, 100, 2_000]),
        batchWaitMs: this.#pick([0, 0, 300]),
        mode: this.#pick(['simple', 'push'] as const),
        consumer,
      }
      const { delivery } = await this.#ask(partition, command, () => true).catch(
        (): Answers['Receive'] => ({}),
      )
      if (delivery === undefined) await this.#time.sleep(this.#pick([20, 700]))
      else await this.#handle(queue, partition, delivery, before)
    }
  }

  async #handle(queue: string, partition: number, delivery: Delivery, acked: Set<string>): Promise<void> {
    const numbers: number[] = []
    for (let i = 0; i < delivery.numbers.length; i += 2)
      for (let k = 0; k < delivery.numbers[i + 1]!; k++) numbers.push(delivery.numbers[i]! + k)
    numbers.forEach((number, i) => {
      const content = text(delivery.messages[i]!).trim()
      if (acked.has(`${queue} ${number}`))
        throw new Error(`${queue} ${number} came back after it was acknowledged: ${content}`)
      this.#place(queue, number, content)
    })
    await this.#time.sleep(this.#pick([0, 0, 10, 800]))
    const verdict = this.#isCalm ? 0 : this.#below(10)
    if (verdict === 9) return
    const items = [
      { queue: delivery.queue, sub: delivery.sub, delivery: delivery.delivery, numbers: delivery.numbers },
    ]
    const type = verdict === 8 ? 'Release' : verdict === 7 ? 'Retry' : 'Ack'
    const { refused } = await this.#ask(partition, { type, items }, (tries) => tries > 20).catch(
      (): Answers['Ack'] => ({
        refused: numbers.map((number) => ({ item: 0, number, error: 'UnknownReceipt' })),
      }),
    )
    if (type !== 'Ack') return
    const no = new Set(refused.map((r) => r.number))
    for (const number of numbers) if (!no.has(number)) this.#acked.add(`${queue} ${number}`)
  }

  // What must hold.

  #isSent(): boolean {
    return this.#sent.length === producersMax * sendsMax && this.#sent.every((s) => s.stored !== undefined)
  }

  async #poke(): Promise<void> {
    for (let p = 0; p < partitions; p++)
      await this.#ask(p, { type: 'CreateQueue', queue: `poke-${++this.#names}`, config: {}, by })
  }

  #isEmpty(): boolean {
    for (const queue of [...workQueues, 'dead'])
      for (const { state } of this.#actors(queue === 'dead' ? 1 : 0)) {
        const q = state.names.get(queue)
        if (q === undefined) return false
        if (q.delayed > 0 || q.subs.some((sub) => sub.live > 0)) return false
        for (const lane of state.outbox.values()) if (lane.entries.length > 0) return false
      }
    return true
  }

  #actors(partition: number) {
    const actor = this.#owners[partition]!.node.actors.get(partition)
    if (actor?.life !== 'Active') throw new Error(`partition ${partition} is ${actor?.life}`)
    return [actor]
  }

  /** No request to a living node is left without an answer. */
  #checkAnswered(): void {
    for (const cell of this.#cells)
      if (!cell.log.isDead && cell.requests.size > 0)
        throw new Error(`${cell.requests.size} requests to ${cell.name} have no answer`)
  }

  async #checkQueues(): Promise<void> {
    const delivered = new Map<string, string>()
    let deadLettered = 0
    for (const queue of workQueues) {
      const sends = this.#sent.filter((s) => s.command.queue === queue)
      const { counts } = await this.#ask(0, { type: 'DescribeQueue', queue })
      const messages = sends.reduce((sum, s) => sum + s.texts.length, 0)
      if (counts.sent !== messages) throw new Error(`${queue} has ${counts.sent} messages of ${messages}`)
      if (counts.committed + counts.deadLettered !== messages || counts.discarded !== 0)
        throw new Error(`${queue} ended ${JSON.stringify(counts)} of ${messages}`)
      deadLettered += counts.deadLettered
    }
    const { counts } = await this.#ask(1, { type: 'DescribeQueue', queue: 'dead' })
    if (counts.sent !== deadLettered)
      throw new Error(`${counts.sent} of ${deadLettered} dead letters arrived`)
    for (const [key, content] of this.#texts) {
      if (!key.startsWith('dead')) continue
      if (delivered.has(content)) throw new Error(`"${content}" is a dead letter twice`)
      delivered.set(content, key)
    }
  }

  /** The log says what the owner thinks, also without checkpoints and at every one of them. */
  async #checkReplay(partition: number): Promise<void> {
    const log = await this.#log.partition(partition)
    for (let tries = 0; ; tries++) {
      const [actor] = this.#actors(partition)
      const { lastSeq, firstSeq } = await log.state()
      const live = snapshot(actor!.state)
      // Time that went by without a fact is no part of the record.
      const hash = (state: PartitionState): string => stateHash({ ...snapshot(state), at: live.at })
      const loaded = await load(log, lastSeq)
      if (hash(loaded.state) === stateHash(live))
        return firstSeq > 1 ? undefined : this.#checkWhole(partition, hash, stateHash(live))
      if (tries === 20) throw new Error(`partition ${partition}: a replay differs from the owner's state`)
      // Perhaps a frame was under way, or an owner has not noticed yet that it is none any more.
      await this.#ask(partition, { type: 'CreateQueue', queue: `end-${tries}`, config: {}, by })
    }
  }

  async #checkWhole(partition: number, hash: (s: PartitionState) => string, live: string): Promise<void> {
    const log = await this.#log.partition(partition)
    const checkpoints = new Map<number, string>()
    for await (const entry of readChain(log, {}))
      if (entry.kind === 'ours' && entry.record.kind === 'frame')
        for (const e of entry.record.events)
          if (e.type === 'Checkpointed') checkpoints.set(e.seq, e.stateHash)
    const state = new PartitionState(partition)
    for await (const entry of readChain(log, {})) {
      if (entry.kind !== 'ours' || entry.record.kind === 'body') continue
      beginFrame(state, entry.seq, entry.record.at)
      for (const event of entry.record.events) evolve(state, event)
      const expected = checkpoints.get(entry.seq)
      if (expected !== undefined && stateHash(snapshot(state)) !== expected)
        throw new Error(`partition ${partition}: checkpoint ${entry.seq} is not the state of the log there`)
    }
    if (hash(state) !== live)
      throw new Error(`partition ${partition}: a replay of the whole log differs from the owner's state`)
  }

  async #close(): Promise<void> {
    const all = this.#cells.flatMap((cell) =>
      cell.log.isDead ? [] : [...cell.scopes.keys()].map((p) => this.#release(p, cell)),
    )
    await Promise.all(all)
  }

  // Tools.

  #start(task: Promise<void>): void {
    const running = task
      .catch((error: unknown) => void this.#failures.push(error as Error))
      .then(() => void this.#busy.delete(running))
    this.#busy.add(running)
  }

  #rethrow(): void {
    if (this.#failures.length > 0) throw this.#failures[0]!
  }

  async #until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let rounds = 0; rounds < 600; rounds++) {
      await this.#time.settle()
      this.#rethrow()
      let so = false
      try {
        so = await isSo()
      } catch {
        // Not yet.
      }
      if (so) return
      await this.#time.advance(250)
    }
    throw new Error(`never: ${what}`)
  }

  /** Moves time on until the task is done. */
  async #drive(what: string, task: Promise<void>): Promise<void> {
    let isDone = false
    this.#start(task.then(() => void (isDone = true)))
    await this.#until(what, () => isDone)
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }
  #below(n: number): number {
    return Math.floor(this.#random() * n)
  }
  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)]!
  }
  #of<T>(from: readonly T[]): T {
    return this.#pick(from)
  }
  #several<T>(from: readonly T[], max: number): T[] {
    return Array.from({ length: 1 + this.#below(max) }, () => this.#pick(from))
  }
}

const writeFaults: readonly WriteFault[] = ['none', 'none', 'requestLost', 'answerLost', 'late', 'full']

/** Chance by a seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let a = Math.imul(seed, 0x9e3779b1)
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
