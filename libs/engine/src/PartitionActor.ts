import { createActor, type Actor } from 'xstate'
import { KirokuError } from '@kiroku/message'
import { isSealed, type BodyRef, type KeyStore, type PartitionLog } from '@kiroku/log'
import {
  beginFrame,
  decide,
  decideCreateSubscription,
  decideErase,
  decideResetSubscription,
  endTurn,
  nextTimerAt,
  startOf,
  Times,
  Turn,
  type Answer,
  type Command,
  type CommandOf,
  type PartitionDescription,
  type PartitionState,
  type Reply,
  type TurnAnswer,
} from '@kiroku/partition'
import { asKirokuError } from './asKirokuError.ts'
import { Backfill } from './Backfill.ts'
import { BodyEditor } from './BodyEditor.ts'
import { BodySchemas } from './BodySchemas.ts'
import { BodyCache } from './BodyCache.ts'
import { Checkpoints, type CheckpointPolicy } from './Checkpoints.ts'
import { Deliverer } from './Deliverer.ts'
import { Eraser } from './Eraser.ts'
import { fence, isOver, otherOwnerBehind, sameRecord, type Fenced } from './fence.ts'
import { Flights, type Flight } from './Flights.ts'
import { Forwarder, type Route } from './Forwarder.ts'
import { Homes } from './Homes.ts'
import { KeyRing } from './KeyRing.ts'
import { lifecycle, type ActorState } from './lifecycle.ts'
import { limits } from './limits.ts'
import { load } from './load.ts'
import { commandBytes, keyOf, Mailbox, type Bringing } from './Mailbox.ts'
import { Metrics } from './Metrics.ts'
import { Redriver } from './Redriver.ts'
import { Request, type Slot } from './Request.ts'
import { openMessage } from './openDelivery.ts'
import { Sealer } from './Sealer.ts'
import { sha256 } from './sha256.ts'
import { sizesFor, type Sizes } from './Sizes.ts'
import { Spill, Spills } from './Spills.ts'
import { StorageWatch } from './StorageWatch.ts'
import type { TailNotes } from './TailNotes.ts'
import type { Time } from './Time.ts'

/** What an actor needs to run a partition. */
export interface ActorOptions {
  readonly log: PartitionLog
  /** The keys of erasable queues. */
  readonly keys: KeyStore
  /** Incarnation of the log, for message ids. */
  readonly incarnation: string
  /** How long and how much of the record is kept. */
  readonly record: { readonly ms: number; readonly bytes: number }
  readonly checkpoints: CheckpointPolicy
  /** Name of this node, for the record. */
  readonly node: string
  readonly time: Time
  /** Chance, 0 to 1; used for jitter only. */
  readonly random: () => number
  /** Whether the lock on the partition was confirmed recently enough to answer from memory. */
  readonly lockFresh: () => boolean
  /** Partitions of the log. */
  readonly partitions: number
  /** The way to other partitions. */
  readonly route: Route
  readonly tailNotes?: TailNotes | undefined
  readonly onState?: (state: ActorState, reason: string) => void
  /** Told of what failed and is tried again, in a sentence. */
  readonly onTrouble?: (what: string) => void
}

/**
 * The owner of one partition: gathers commands, decides them all at once, appends one frame, answers when it is
 * stored. Nothing it says rests on anything that is not in the log.
 */
export class PartitionActor {
  readonly partition: number
  readonly metrics = new Metrics()
  readonly #o: ActorOptions
  readonly #life: Actor<typeof lifecycle>
  readonly #mailbox: Mailbox
  readonly #sizes: Sizes
  readonly #slots = new Map<number, Slot>()
  readonly #cache: BodyCache
  readonly #checkpoints: Checkpoints
  readonly #forwarder: Forwarder
  readonly #homes: Homes
  readonly #ring: KeyRing
  readonly #sealer: Sealer
  readonly #deliverer: Deliverer
  readonly #eraser: Eraser
  readonly #redriver: Redriver
  readonly #backfill: Backfill
  readonly #editor: BodyEditor
  readonly #schemas = new BodySchemas()
  readonly #storage: StorageWatch
  #token = 0
  #state!: PartitionState
  #flights!: Flights
  #fenced!: Fenced
  /** Partition time at the fence, in ms. */
  #beganMs = 0
  /** Partition time up to which this owner certainly did its work, in ms. */
  #aliveUntilMs = 0
  #storedSeq = 0
  #storedHash!: Uint8Array
  #idle: TurnAnswer[] = []
  #awaitingLock = false
  #scheduled = false
  #cancelTimer: () => void = () => {}
  readonly #spills = new Spills()
  #bodyNext = false
  #drained: () => void = () => {}
  #cancelDrain: () => void = () => {}
  #ended: (error: KirokuError | undefined) => void = () => {}
  /** Resolves when this ownership is over: without an error after a hand-over. */
  readonly ended: Promise<KirokuError | undefined>

  constructor(options: ActorOptions) {
    this.#o = options
    this.partition = options.log.partition
    this.ended = new Promise((resolve) => (this.#ended = resolve))
    this.#life = createActor(lifecycle)
    this.#life.start()
    this.#sizes = sizesFor(options.log.recordBytesMax)
    this.#mailbox = new Mailbox(this.#sizes.frameBytesMax)
    this.#cache = new BodyCache(options.log)
    const act = (run: (turn: Turn<BodyRef>) => void, bytes = 0): void => {
      this.#mailbox.put({ act: run, bytes })
      this.#wake()
    }
    this.#checkpoints = new Checkpoints(options.log, options.record, options.checkpoints, this.#cache, {
      act,
      spill: (bodies) => this.#spillAside(bodies),
      ended: (seq, error) => {
        if (error === undefined) return void this.metrics.checkpoints++
        this.metrics.checkpointFailures++
        options.onTrouble?.(`the checkpoint at ${seq} failed: ${error.message}`)
      },
    })
    this.#forwarder = new Forwarder(options, this.#cache, {
      act,
      bytesMax: this.#sizes.forwardBytesMax,
      damaged: (error) => this.#fail(error),
    })
    this.#homes = new Homes(options, act)
    this.#ring = new KeyRing(options.keys, () => this.now())
    this.#sealer = new Sealer(this.#ring, { spill: (mail, messages) => this.#spillLate(mail, messages) })
    this.#deliverer = new Deliverer(this.#ring, this.#cache, {
      actLasting: (run) => {
        this.#mailbox.put({ act: run, bytes: 0, lasts: true })
        this.#wake()
      },
      answer: (slot, answer) => this.#answer(slot, answer),
      damaged: (error) => this.#fail(error),
      over: () => this.#checkDrained(),
    })
    this.#eraser = new Eraser(this.#ring, options.time, act)
    this.#backfill = new Backfill(options, {
      act,
      restored: (pairs, seq) => this.#checkpoints.largeBodies.restored(pairs, seq),
      damaged: (error) => this.#fail(error),
    })
    this.#storage = new StorageWatch(options.log, options.time)
    this.#editor = new BodyEditor({ ...options, partition: this.partition }, this.#cache, this.#schemas, {
      act,
      spill: (bodies) => this.#spillAside(bodies),
      spilled: (spill) => this.#checkpoints.largeBodies.close(spill),
    })
    this.#redriver = new Redriver(options, this.#cache, this.#schemas, {
      act,
      open: (message) => openMessage(this.#ring, message),
      now: () => this.now(),
      hasRoom: () => !this.#storage.full,
      damaged: (error) => this.#end(error),
    })
  }

  /** State of the actor's life. */
  get life(): ActorState {
    return this.#life.getSnapshot().value as ActorState
  }
  /** Epoch of this ownership; 0 before it began. */
  get epoch(): number {
    return this.#state?.epoch ?? 0
  }
  /** The state as it was decided so far, for metrics and checks; never change it. */
  get state(): PartitionState {
    return this.#state
  }

  /** Partition time in ms: the store's time at the fence, or the last frame's where that is later, plus what went by since. */
  now(): number {
    const now = Math.floor(this.#beganMs + (this.#o.time.monotonicMs() - this.#fenced.monotonicMs))
    return Math.max(now, this.#state.at)
  }

  /** Takes the partition over and rebuilds its state. Errors: what makes the ownership impossible; `Quarantined` states stay to be asked. */
  async start(): Promise<void> {
    this.#send('LOCKED', 'the lock is ours')
    try {
      await this.#takeOver()
    } catch (e) {
      const error = await this.#verdict(e)
      this.#end(error)
      throw error
    }
  }

  async #takeOver(): Promise<void> {
    const { log, node, time, lockFresh, tailNotes } = this.#o
    const epochBefore = tailNotes?.epoch(this.partition)
    this.#fenced = await fence(log, node, time, lockFresh, () => this.#stopped(), epochBefore)
    this.#send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    const begun = time.monotonicMs()
    const loaded = await load(log, this.#fenced.seq)
    await tailNotes?.check(log, loaded.state.repairedEpoch)
    this.metrics.replayEvents = loaded.events
    this.metrics.replaySeconds = (time.monotonicMs() - begun) / 1_000
    this.#state = loaded.state
    this.#state.recordMs = this.#o.record.ms
    this.#checkpoints.begin(loaded, this.#fenced.timeMs)
    this.#begin(loaded.foreign)
  }

  /** Starts appending on top of the fence. */
  #begin(foreign: readonly number[]): void {
    if (this.life !== 'Recovering') return
    const state = this.#state
    state.times = new Times()
    this.#beganMs = Math.max(this.#fenced.timeMs, state.at)
    this.#storedSeq = this.#fenced.seq
    this.#storedHash = this.#fenced.hash
    this.#cache.stored(this.#storedSeq)
    this.#flights = new Flights(this.#o.log, this.#fenced, this, this.metrics, this.#o.time)
    // Without an owner since the last frame, or since the one here had an append without an answer.
    const before = Math.max(state.at, this.#aliveUntilMs)
    this.#send('RECOVERED', `at sequence ${this.#fenced.seq}`)
    this.#mailbox.put({
      act: (turn) => {
        for (const seq of foreign) turn.emit({ type: 'ForeignRecordSkipped', seq })
        turn.emit({
          type: 'ClockResumed',
          now: turn.now,
          gapMs: before === 0 ? 0 : Math.max(0, turn.now - before),
        })
      },
      bytes: 0,
    })
    this.#storage.start()
    this.#forwarder.begin(state, this.#storedSeq)
    this.#homes.begin(state, this.#storedSeq)
    this.#ring.begin(state)
    this.#sealer.begin(state)
    this.#eraser.begin(state, this.#storedSeq)
    this.#redriver.begin(state)
    this.#backfill.begin(state, this.#storedSeq)
    this.#turn()
  }

  /** Hands commands in; resolves when all of them are answered. */
  request(commands: readonly Command[]): Promise<Reply> {
    const request = new Request(commands.length)
    const life = this.life
    if (life !== 'Active') {
      const error =
        life === 'Quarantined'
          ? this.#quarantine
          : new KirokuError('NotOwner', `partition ${this.partition} is ${life} here`)
      for (let i = 0; i < commands.length; i++) request.answer(i, this.#describeOr(commands[i]!, error), 0, 0)
      return request.reply
    }
    for (let i = 0; i < commands.length; i++) this.#accept(commands[i]!, { request, index: i })
    this.#wake()
    return request.reply
  }

  #quarantine = new KirokuError('Quarantined', 'the partition is closed')

  #describeOr(command: Command, error: KirokuError): Answer {
    const known = this.#state !== undefined || this.life === 'Quarantined'
    return command.type === 'DescribePartition' && known ? { ok: this.describe() } : { error: error.toWire() }
  }

  #accept(command: Command, slot: Slot): void {
    const token = ++this.#token
    this.#slots.set(token, slot)
    if (command.type === 'DescribePartition') return this.#resolve({ token, answer: { ok: this.describe() } })
    if (command.type === 'Enqueue' && this.#storage.full)
      return this.#refuse(
        token,
        new KirokuError('StorageFull', 'the log has no room for sends', { retryAfterMs: 1_000 }),
      )
    if (command.type === 'Erase') return this.#erase(command, token)
    const bytes = commandBytes(command) + this.#sealedBytes(command)
    const tooLarge = this.#sizes.refuse(command)
    if (tooLarge !== undefined) return this.#refuse(token, tooLarge)
    const busy = (): void =>
      this.#refuse(
        token,
        new KirokuError('Busy', `partition ${this.partition} has too much waiting`, { retryAfterMs: 100 }),
      )
    if (command.type !== 'Enqueue' && command.type !== 'Forward') {
      if (this.#isLocating(command, token) || this.#isPrepared(command, token, bytes)) return
      if (!this.#mailbox.put({ command, token, bytes })) busy()
      return
    }
    const needsSpill = this.#sizes.needsSpill(command, bytes)
    // Others are refused when they are decided; these would be references by then.
    if (needsSpill && command.type === 'Enqueue' && command.messages.some(isSealed))
      return this.#refuse(token, new KirokuError('MalformedRequest', 'a message is not an envelope'))
    const isLate = needsSpill && this.#sealer.isLate({ command })
    const spill =
      needsSpill && !isLate ? new Spill(command.messages, this.#sizes.spillBytes(bytes)) : undefined
    const mail: Bringing = { command, token, bytes, spill, isLate }
    if (!this.#mailbox.put(mail)) return busy()
    if (spill === undefined || spill.isDone) return
    this.#checkpoints.largeBodies.open(spill)
    this.#spills.add(
      spill,
      () => this.#mailbox.spilled(mail),
      () => {},
    )
  }

  /** By how much bodies grow that are sealed. */
  #sealedBytes(command: Command): number {
    if (command.type !== 'Enqueue' && command.type !== 'Forward') return 0
    if (!this.#sealer.isLate({ command })) return 0
    let bytes = command.messages.length * limits.sealedBytes
    for (const group of command.groups ?? []) bytes += 3 * group.length
    for (const tag of command.tags ?? []) bytes += 3 * tag.length
    return bytes
  }

  /** Gives a command's large bodies records of their own when it is its turn, under its keys. */
  async #spillLate(mail: Bringing, messages: readonly Uint8Array[]): Promise<void> {
    const { command, bytes } = mail
    // Small ones stay as they came: they are sealed with the frame.
    const inlineBytesMax = this.#sizes.spillBytes(bytes)
    const bodies = command.messages.map((plain, i) =>
      plain.length > inlineBytesMax || messages[i]!.length > inlineBytesMax ? messages[i]! : plain,
    )
    if (mail.spill !== undefined) this.#checkpoints.largeBodies.close(mail.spill)
    mail.spill = await this.#spillAside(bodies, bytes, command.messages)
  }

  /** Stores the key with which a group goes on, then has the erasure decided. */
  #erase(command: CommandOf<'Erase'>, token: number): void {
    const state = this.#state
    const queue = state.names.get(command.queue)
    const isByGroup = command.group !== undefined && queue?.config.erasable === 'group'
    const decideIt = (key: string | undefined): void => {
      if (this.#state !== state || this.life !== 'Active') return
      this.#mailbox.put({
        act: (turn) => {
          decideErase(turn, command, token, key)
          this.#ring.decided(key)
        },
        bytes: 0,
      })
      this.#wake()
    }
    if (!isByGroup) return decideIt(undefined)
    this.#ring
      .addGroupKey(queue.id, command.group!)
      .then(decideIt, (e: unknown) => this.#refuse(token, asKirokuError(e)))
  }

  /** Asks the log where a subscription begins, before that is decided; false when there is nothing to ask. */
  #isLocating(command: Command, token: number): boolean {
    if (command.type !== 'CreateSubscription' && command.type !== 'ResetSubscription') return false
    const state = this.#state
    const asked = startOf(state, this.now(), command)
    if (asked === undefined) return false
    void this.#backfill.locate(asked.queue, asked.start, this.#flights.nextSeq - 1).then(
      (located) => {
        const act = (turn: Turn<BodyRef>): void => {
          if (command.type === 'CreateSubscription') decideCreateSubscription(turn, command, token, located)
          else decideResetSubscription(turn, command, token, located)
        }
        if (this.#state !== state || this.life !== 'Active') return
        this.#mailbox.put({ act, bytes: 0 })
        this.#wake()
      },
      (e: unknown) => this.#refuse(token, asKirokuError(e)),
    )
    return true
  }

  /** Does what must come before a command is decided; false when there is nothing. */
  #isPrepared(command: Command, token: number, bytes: number): boolean {
    if (command.type === 'EditBody') {
      void this.#editor.edit(this.#state, command, token)
      return true
    }
    if (command.type !== 'CreateQueue' && command.type !== 'ConfigureQueue') return false
    const { bodySchema } = command.config
    if (typeof bodySchema !== 'object' || bodySchema === null) return false
    void this.#schemas.check(bodySchema).then(
      () => {
        if (this.life !== 'Active') return
        this.#mailbox.put({ command, token, bytes })
        this.#wake()
      },
      (e: unknown) => this.#refuse(token, asKirokuError(e)),
    )
    return true
  }

  /** Puts large bodies of the engine's own doing in records of their own. */
  #spillAside(bodies: readonly Uint8Array[], bytes = 0, plain = bodies): Promise<Spill> {
    const spill = new Spill(bodies, this.#sizes.spillBytes(bytes), plain)
    if (spill.isDone) return Promise.resolve(spill)
    return new Promise((resolve, reject) => {
      const over = (): void =>
        reject(new KirokuError('NotOwner', `partition ${this.partition} changed hands`))
      if (this.life !== 'Active') return over()
      this.#checkpoints.largeBodies.open(spill)
      this.#spills.add(spill, () => resolve(spill), over)
      this.#wake()
    })
  }

  /** Gives back a delivery that reached nobody; it costs no attempt. */
  undelivered(delivery: { queue: number; sub: number; delivery: number; numbers: number[] }): void {
    this.#deliverer.giveBack(delivery)
  }

  #wake(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#scheduled = false
    if (this.life !== 'Active' && this.life !== 'Draining') return
    if (this.#flights.count >= limits.appendsInFlight) return
    try {
      // Frames and large bodies take turns, so that neither waits for ever.
      if (this.#spills.areWaiting && (this.#bodyNext || !this.#hasWork)) this.#appendBody()
      else this.#decideTurn()
    } catch (e) {
      // Whatever it was, the log did not say it: the next ownership rebuilds the state and goes on.
      this.#end(
        new KirokuError(
          'Internal',
          `a turn failed: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}`,
          { cause: e },
        ),
      )
    }
  }

  get #hasWork(): boolean {
    return this.#mailbox.isReady || nextTimerAt(this.#state) <= this.now()
  }

  #appendBody(): void {
    this.#bodyNext = false
    this.#spills.step((body) => {
      const flight = this.#flights.body(body)
      this.#cache.putBody(flight.seq, body)
      this.#checkpoints.grew(flight.record.length)
      return flight.seq
    })
    this.#goOn()
  }

  /** Another turn at once when there is something to do, or when the next timer is due. */
  #goOn(): void {
    this.#checkDrained()
    if (this.#spills.areWaiting || this.#hasWork) this.#wake()
    else this.#armTimer()
  }

  #decideTurn(): void {
    if (!this.#hasWork) return this.#armTimer()
    this.#bodyNext = true
    const state = this.#state
    const now = this.now()
    const { first, sends } = this.#mailbox.gather()
    const seq = this.#flights.nextSeq
    const turn = new Turn<BodyRef>(state, now, this.#o.random, sha256)
    beginFrame(state, seq, now)
    for (const mail of first) {
      if (mail.command !== undefined) decide(turn, mail.command, mail.token)
      else mail.act(turn)
    }
    const early: Bringing[] = []
    for (const mail of sends) {
      if (this.#isEarly(mail, early, now)) continue
      const { command, token, spill } = mail
      if (spill === undefined) decide(turn, command, token)
      else decide<BodyRef>(turn, { ...command, messages: spill.messages }, token)
    }
    if (early.length > 0) this.#mailbox.putBack(early)
    endTurn(turn)
    if (turn.events.length > 0) {
      this.#sealer.seal(turn)
      const sections = [...turn.sections.values()]
      const flight = this.#flights.frame({ at: now, events: turn.events, sections }, turn.answers)
      this.#cache.putFrame(seq, flight.record)
      this.#checkpoints.largeBodies.frame(seq, sections)
      this.#closeSpills(sends, early)
      this.#checkpoints.decided(state, flight, now)
    } else {
      this.#closeSpills(sends, early)
      this.#hold(turn.answers)
    }
    if (state.redrives.size > 0) this.#redriver.look()
    this.#goOn()
  }

  /** The frames of these commands were decided, unless they wait. */
  #closeSpills(sends: readonly Bringing[], early: readonly Bringing[]): void {
    for (const mail of sends)
      if (mail.spill !== undefined && !early.includes(mail)) this.#checkpoints.largeBodies.close(mail.spill)
  }

  /** Whether a command cannot be decided yet, for want of keys or because one before it in its queue cannot; it is put to `early` then. */
  #isEarly(mail: Bringing, early: Bringing[], now: number): boolean {
    if (early.length > 0) {
      const key = keyOf(mail)
      if (early.some((e) => keyOf(e) === key)) return early.push(mail) > 0
    }
    const missing = this.#sealer.look(mail, now)
    if (missing === undefined) return false
    const state = this.#state
    missing.then(
      () => {
        this.#mailbox.spilled(mail)
        this.#wake()
      },
      (e: unknown) => {
        if (this.#state !== state) return
        for (const { token, spill } of this.#mailbox.drop(mail)) {
          if (spill !== undefined) this.#checkpoints.largeBodies.close(spill)
          this.#refuse(token, asKirokuError(e))
        }
        this.#wake()
      },
    )
    return early.push(mail) > 0
  }

  /**
   * Answers that come with no fact of their own rest on the last frame sent off, and on the lock: that a frame is
   * stored which left before the question came does not say who owns the partition since.
   */
  #hold(answers: TurnAnswer[]): void {
    const waiting = this.#flights.last?.held ?? this.#idle
    for (const a of answers) waiting.push(a)
    if (waiting === this.#idle) this.#answerIdle()
  }

  #answerIdle(): void {
    if (this.#idle.length === 0 || this.#awaitingLock) return
    if (this.#o.lockFresh()) {
      const idle = this.#idle
      this.#idle = []
      for (const a of idle) this.#resolve(a)
      return
    }
    this.#awaitingLock = true
    this.#o.time.after(limits.lockPollMs, () => {
      this.#awaitingLock = false
      this.#answerIdle()
    })
  }

  #armTimer(): void {
    this.#cancelTimer()
    const at = nextTimerAt(this.#state)
    if (at === Number.POSITIVE_INFINITY) return
    this.#cancelTimer = this.#o.time.after(Math.max(0, at - this.now()), () => this.#wake())
  }

  /** An append is stored, and so is everything before it. */
  landed(flight: Flight): void {
    this.#storedSeq = flight.seq
    this.#storedHash = flight.hash
    this.#cache.stored(flight.seq)
    for (const a of flight.answers) this.#resolve(a)
    for (const a of flight.held) this.#idle.push(a)
    this.#answerIdle()
    this.#checkpoints.stored(flight.seq)
    this.#forwarder.stored(flight.seq)
    this.#eraser.stored(flight.seq)
    this.#homes.stored(flight.seq)
    this.#redriver.stored()
    this.#backfill.stored(flight.seq)
    this.#o.tailNotes?.note(this.partition, flight, this.epoch, this.#o.time.monotonicMs())
    this.#checkDrained()
    this.#wake()
  }

  /** Appends failed: nobody knows yet what of them is in the log. Fence, then read. */
  failed(flights: readonly Flight[]): void {
    const { error } = flights[0]!
    if (error?.id === 'StorageFull') this.#storage.refused()
    if (this.life !== 'Active') return this.#end(error)
    this.#send('APPEND_FAILED', error?.message ?? 'an append failed')
    this.#cancelTimer()
    // Until its first frame is stored an ownership has lengthened no lease: what came before it is still to be counted.
    if (this.#storedSeq > this.#fenced.seq)
      this.#aliveUntilMs = Math.floor(this.#beganMs + flights[0]!.begunMs - this.#fenced.monotonicMs)
    this.#recover(flights, error!).catch((e: unknown) => this.#fail(e))
  }

  async #recover(flights: readonly Flight[], error: KirokuError): Promise<void> {
    const { log, node, time, lockFresh } = this.#o
    const { epoch } = this.#fenced
    const from = flights[0]!.seq
    const storedSeq = this.#storedSeq
    const storedHash = this.#storedHash
    this.#fenced = await fence(
      log,
      node,
      time,
      lockFresh,
      async () => this.#stopped() ?? (await this.#overtaken(from, epoch)),
    )
    if (this.life !== 'Fencing') return
    this.#send('FENCE_STORED', `epoch ${this.#fenced.epoch}`)
    await this.#checkEnd(storedSeq, storedHash)
    // What the log holds of our own frames is stored and may be answered; the rest never happened.
    const answer =
      error.id === 'StorageFull'
        ? error
        : new KirokuError('Unavailable', 'the log did not confirm in time; nothing was lost')
    const found = await this.#findStored(flights)
    for (let i = 0; i < flights.length; i++)
      for (const a of [...flights[i]!.answers, ...flights[i]!.held]) {
        if (i < found) this.#resolve(a)
        else this.#refuse(a.token, answer)
      }
    this.#abandon(answer)
    const loaded = await load(log, this.#fenced.seq)
    this.#state = loaded.state
    this.#state.recordMs = this.#o.record.ms
    this.#checkpoints.begin(loaded, this.#fenced.timeMs)
    this.#begin(loaded.foreign)
  }

  /** What was confirmed must still be there. Errors: `LogShortened`, `LogDamaged`. */
  async #checkEnd(seq: number, hash: Uint8Array): Promise<void> {
    const stored = await this.#o.log.get(seq)
    if (stored === undefined || stored.foreign || !sameRecord(stored.data, hash))
      throw new KirokuError(
        'LogShortened',
        `partition ${this.partition}: record ${seq} was stored, and the log has lost it`,
      )
  }

  async #findStored(flights: readonly Flight[]): Promise<number> {
    let found = 0
    for (const flight of flights) {
      const stored = await this.#o.log.get(flight.seq)
      if (stored === undefined || stored.foreign || !sameRecord(stored.data, flight.hash)) break
      found++
    }
    return found
  }

  /** Whoever was told to stop must not take the partition from the next owner. */
  #stopped(): KirokuError | undefined {
    return this.life === 'Fencing'
      ? undefined
      : new KirokuError('NotOwner', `partition ${this.partition} is ${this.life} here`)
  }

  /** Another owner's fence behind our frames means that the partition is no longer ours. */
  async #overtaken(fromSeq: number, epoch: number): Promise<KirokuError | undefined> {
    const { log, node } = this.#o
    const other = await otherOwnerBehind(log, fromSeq, epoch, node)
    return other === undefined
      ? undefined
      : new KirokuError('Fenced', `partition ${this.partition} is owned by ${other} now`)
  }

  /** Lets go of everything that waits: answers that never left, receives, mail. */
  #abandon(error: KirokuError): void {
    this.#spills.clear()
    this.#mailbox.clear()
    this.#idle = []
    this.#forwarder.end()
    this.#homes.end()
    this.#ring.begin(undefined)
    this.#eraser.end()
    this.#redriver.end()
    this.#backfill.end()
    for (const token of [...this.#slots.keys()]) this.#refuse(token, error)
  }

  #refuse(token: number, error: KirokuError): void {
    this.#resolve({ token, answer: { error: error.toWire() } })
  }

  #resolve(a: TurnAnswer): void {
    const slot = this.#slots.get(a.token)
    if (slot === undefined) return
    this.#slots.delete(a.token)
    if (a.delivery === undefined) this.#answer(slot, a.answer)
    else this.#deliverer.deliver(a.delivery, slot)
  }

  #answer(slot: Slot, answer: Answer): void {
    slot.request.answer(slot.index, answer, this.epoch, this.#storedSeq)
  }

  /** Hands the partition over: what is under way finishes, waiting receives are told, nothing new is taken. */
  async drain(): Promise<void> {
    if (this.life === 'Active') {
      this.#send('DRAIN', 'handing over')
      this.#backfill.end()
      const error = new KirokuError('NotOwner', `partition ${this.partition} is handed over`)
      for (const poll of this.#state.polls.values()) {
        poll.done = true
        this.#refuse(poll.token, error)
      }
      this.#state.polls.clear()
      this.#redriver.end()
      await new Promise<void>((resolve) => {
        this.#drained = resolve
        this.#cancelDrain = this.#o.time.after(limits.drainMs, resolve)
        this.#checkDrained()
      })
      this.#send('DRAINED', 'handed over')
    } else this.#send('DRAIN', 'stopped')
    this.#end(undefined)
    await this.#o.tailNotes?.flush(this.partition)
  }

  #fail(e: unknown): void {
    void this.#verdict(e).then((error) => this.#end(error))
  }

  /** What ended this ownership: damage that an owner finds who was overtaken is none. */
  async #verdict(e: unknown): Promise<KirokuError> {
    const error = asKirokuError(e)
    const fenced = this.#fenced as Fenced | undefined
    if (!isDamage(error) || fenced === undefined) return error
    const overtaken = await isOver(this.#o.log, fenced).catch(() => false)
    if (!overtaken) return error
    return new KirokuError('Fenced', `partition ${this.partition} is owned by another node now`, {
      cause: error,
    })
  }

  #checkDrained(): void {
    if (this.life !== 'Draining') return
    if (this.#flights.count === 0 && this.#mailbox.size === 0 && this.#deliverer.isIdle) this.#drained()
  }

  #end(error: KirokuError | undefined): void {
    this.#cancelTimer()
    this.#cancelDrain()
    this.#drained()
    this.#storage.stop()
    if (error !== undefined) {
      this.#quarantine = new KirokuError(
        'Quarantined',
        `partition ${this.partition} is closed: ${error.message}`,
        { cause: error },
      )
      this.#send(isDamage(error) ? 'DAMAGED' : 'OVERTAKEN', error.message)
    }
    this.#abandon(new KirokuError('NotOwner', `partition ${this.partition} is ${this.life} here`))
    this.#ended(error)
  }

  #send(type: Parameters<Actor<typeof lifecycle>['send']>[0]['type'], reason: string): void {
    if (this.#life.getSnapshot().status === 'done') return
    const before = this.life
    this.#life.send({ type })
    if (this.life !== before) this.#o.onState?.(this.life, reason)
  }

  /** The partition as status commands show it. */
  describe(): PartitionDescription {
    // A damaged log may never have become a state.
    const state = this.#state as PartitionState | undefined
    let outbox = 0
    for (const lane of state?.outbox.values() ?? []) outbox += lane.entries.length
    return {
      partition: this.partition,
      epoch: this.epoch,
      epochAt: (this.#fenced as Fenced | undefined)?.timeMs ?? 0,
      node: this.#o.node,
      state: this.life,
      firstSeq: (state?.trimmedTo ?? 0) + 1,
      lastSeq: this.#storedSeq,
      bytes: this.#storage.bytes,
      queues: state?.queues.size ?? 0,
      outbox,
      checkpointSeq: this.#checkpoints.lastSeq,
    }
  }
}

const isDamage = ({ id }: KirokuError): boolean =>
  id === 'LogDamaged' || id === 'LogShortened' || id === 'FutureVersion'
