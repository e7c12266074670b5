import { isSealed, type BodyRef, type KeyStore, type PartitionLog } from '@kiroku/log'
import {
  beginFrame,
  bringsLetters,
  decide,
  decideCreateSubscription,
  decideErase,
  decideResetSubscription,
  describeOutbox,
  endTurn,
  nextTimerAt,
  recordBytes,
  startOf,
  Times,
  Turn,
  type PartitionState,
  type Rest,
  type TurnAnswer,
} from '@kiroku/partition'
import {
  type Answer,
  clockTrouble,
  type Command,
  type CommandOf,
  KirokuError,
  type PartitionClock,
  type PartitionDescription,
  type Reply,
} from '@kiroku/protocol'
import { createActor, type Actor } from 'xstate'
import { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import { AppendPipeline, type Append } from '../append/AppendPipeline.ts'
import { lineageBytesMax, sizesFor, type Sizes } from '../append/Sizes.ts'
import { fence, isOver, otherOwnerBehind, sameRecord, type Fenced } from '../append/fence.ts'
import { asKirokuError } from '../asKirokuError.ts'
import { BodyCache } from '../bodies/BodyCache.ts'
import { BodyEditor } from '../bodies/BodyEditor.ts'
import { BodySchemas } from '../bodies/BodySchemas.ts'
import { LargeBodyWrite, LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import { openMessage } from '../bodies/openDelivery.ts'
import { refuseBodies } from '../bodies/refuseBodies.ts'
import { Checkpoints, type CheckpointPolicy } from '../checkpoint/Checkpoints.ts'
import type { TailNotes } from '../checkpoint/TailNotes.ts'
import { load, type Loaded } from '../checkpoint/load.ts'
import { BodyCipher } from '../keys/BodyCipher.ts'
import { Eraser } from '../keys/Eraser.ts'
import { KeyRing } from '../keys/KeyRing.ts'
import { LetterKeys } from '../keys/LetterKeys.ts'
import { limits } from '../limits.ts'
import { sha256 } from '../sha256.ts'
import type { RoomWatch } from '../store/RoomWatch.ts'
import { StorageWatch } from '../store/StorageWatch.ts'
import { Backfill } from '../tasks/Backfill.ts'
import { Forwarder, type Route } from '../tasks/Forwarder.ts'
import { Redriver } from '../tasks/Redriver.ts'
import { SpreadFollower } from '../tasks/SpreadFollower.ts'
import { Deliverer } from './Deliverer.ts'
import { bodyBytes, commandBytes, keyOf, Mailbox, type Act, type Bringing, type First } from './Mailbox.ts'
import { Request, type Slot } from './Request.ts'
import { judgeClocks } from './judgeClocks.ts'
import { lifecycle, type ActorState } from './lifecycle.ts'

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
  /** The store that the log shares. */
  readonly store: RoomWatch
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
  #sizes: Sizes
  readonly #slots = new Map<number, Slot>()
  readonly #cache: BodyCache
  readonly #checkpoints: Checkpoints
  readonly #forwarder: Forwarder
  readonly #homes: SpreadFollower
  readonly #ring: KeyRing
  readonly #sealer: BodyCipher
  readonly #deliverer: Deliverer
  readonly #eraser: Eraser
  readonly #letterKeys: LetterKeys
  readonly #redriver: Redriver
  readonly #backfill: Backfill
  readonly #editor: BodyEditor
  readonly #schemas = new BodySchemas()
  readonly #storage: StorageWatch
  #token = 0
  #state!: PartitionState
  #flights!: AppendPipeline
  #fenced!: Fenced
  /** Partition time at the fence, in ms. */
  #beganMs = 0
  /** The store's clock and this machine's, as they were read together last. */
  #clocks!: Pick<Fenced, 'timeMs' | 'wallMs' | 'monotonicMs'>
  #isDisputed = false
  /** A step of the time that is to be decided, ahead of everything else. */
  #step: ClockStep | undefined
  /** The frame of a step of the time that is not stored yet, and the step in ms: it may come to nothing. */
  #stepping: { readonly seq: number; readonly ms: number } | undefined
  /** Whether the next frame that is stored tells the store's time. */
  #isProbeDue = false
  #cancelProbe: () => void = () => {}
  /** Partition time up to which this owner certainly did its work, in ms. */
  #aliveUntilMs = 0
  #storedSeq = 0
  #storedHash!: Uint8Array
  #idle: TurnAnswer[] = []
  #awaitingLock = false
  #scheduled = false
  #cancelTimer: () => void = () => {}
  /** Partition time of the last frame that was sent off, in ms. */
  #framedAt = 0
  /** Whether the next turn writes a frame also when nothing happened. */
  #isNoteDue = false
  #cancelNote: () => void = () => {}
  readonly #spills = new LargeBodyWriter()
  #bodyNext = false
  /** A send found no room behind what went first, and goes ahead of it now. */
  #sendsFirst = false
  /** Commands took more than their share of the last turn. */
  #tookAll = false
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
    const act = (run: Act, bytes = 0): void => {
      this.#mailbox.put({ act: run, bytes })
      this.#wake()
    }
    this.#storage = new StorageWatch(options.log, options.time, options.store, () =>
      this.#checkpoints.press(this.now()),
    )
    this.#checkpoints = new Checkpoints(options.log, options.record, options.checkpoints, this.#cache, {
      storage: this.#storage,
      act,
      hasRoomToCarry: (bytes) => this.#storage.carries(bytes, this.#mailbox.bytes),
      carryBytesMax: () => this.#sizes.carryBytesMax,
      spill: (bodies) => this.#spillAside(bodies),
      trimmedEarly: () => void this.metrics.earlyTrims++,
      ended: (seq, error) => {
        if (error === undefined) return void this.metrics.checkpoints++
        this.metrics.checkpointFailures++
        options.onTrouble?.(`the checkpoint at ${seq} failed: ${error.message}`)
      },
    })
    this.#forwarder = new Forwarder(options, this.#cache, {
      act,
      now: () => this.now(),
      bytesMax: () => this.#sizes.forwardBytesMax,
      damaged: (error) => this.#fail(error),
    })
    this.#homes = new SpreadFollower(options, act)
    this.#ring = new KeyRing(options.keys, () => this.#storeMs(), options.lockFresh)
    this.#sealer = new BodyCipher(this.#ring, { spill: (mail, messages) => this.#spillLate(mail, messages) })
    this.#deliverer = new Deliverer(this.#ring, this.#cache, {
      state: () => this.#state,
      actLasting: (run) => {
        this.#mailbox.put({ act: run, bytes: 0, lasts: true })
        this.#wake()
      },
      answer: (slot, answer) => this.#answer(slot, answer),
      damaged: (error) => this.#fail(error),
      over: () => this.#checkDrained(),
    })
    this.#eraser = new Eraser(this.#ring, options.time, act)
    this.#letterKeys = new LetterKeys(options, this.#ring, this.#cache, () => this.now())
    this.#backfill = new Backfill(options, {
      act,
      bytesMax: () => this.#sizes.restoredBytesMax,
      restored: (pairs, seq) => this.#checkpoints.largeBodies.restored(pairs, seq),
      damaged: (error) => this.#fail(error),
    })
    this.#editor = new BodyEditor({ ...options, partition: this.partition }, this.#cache, this.#schemas, {
      act,
      spill: (bodies) => this.#spillAside(bodies),
      spilled: (spill) => this.#checkpoints.largeBodies.close(spill),
    })
    this.#redriver = new Redriver(options, this.#cache, this.#schemas, {
      act,
      open: (message) => openMessage(this.#ring, message),
      now: () => this.now(),
      messagesMax: () => this.#sizes.redriveMessagesMax,
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

  /**
   * Partition time in ms: the store's time at the fence, or the last frame's where that is later or the clocks disagree,
   * plus what went by since.
   */
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
    this.#take(loaded)
  }

  #take(loaded: Loaded, vouchedMs = 0): void {
    for (const { seq, why } of loaded.passedOver)
      this.#o.onTrouble?.(
        `checkpoint ${seq} is passed over: ${why}; an older state and the log took its place`,
      )
    this.#state = loaded.state
    this.#state.recordMs = this.#o.record.ms
    this.#state.partitions = this.#o.partitions
    this.#begin(loaded, vouchedMs)
  }

  /** Starts appending on top of the fence. */
  #begin(loaded: Loaded, vouchedMs: number): void {
    if (this.life !== 'Recovering') return
    const state = this.#state
    state.times = new Times()
    const dispute = this.#beginTime(Math.max(state.at, vouchedMs))
    this.#checkpoints.begin(loaded, this.#beganMs)
    this.#storedSeq = this.#fenced.seq
    this.#storedHash = this.#fenced.hash
    this.#cache.stored(this.#storedSeq)
    // What the store takes may be another by now.
    this.#sizes = sizesFor(this.#o.log.recordBytesMax)
    this.#mailbox.frameBytesMax = this.#sizes.frameBytesMax
    this.#flights = new AppendPipeline(this.#o.log, this.#fenced, this, this.metrics, this.#o.time)
    // Without an owner since the last frame, or since the one here had an append without an answer.
    const before = Math.max(state.at, this.#aliveUntilMs)
    this.#send('RECOVERED', `at sequence ${this.#fenced.seq}`)
    const resume = (turn: Turn<BodyRef>, now: number): void =>
      turn.emit({
        type: 'ClockResumed',
        now,
        gapMs: before === 0 ? 0 : Math.max(0, now - before),
        ...dispute,
      })
    const isAlone = state.dispute !== undefined
    this.#mailbox.put({
      act: (turn) => {
        if (!isAlone) resume(turn, turn.now)
        return skipForeign(turn, loaded.foreign)
      },
      bytes: 0,
    })
    this.#framedAt = this.now()
    this.#isNoteDue = false
    this.#watchIdleness()
    this.#storage.start()
    this.#forwarder.begin(state, this.#storedSeq)
    this.#homes.begin(state, this.#storedSeq)
    this.#ring.begin(state)
    this.#sealer.begin(state)
    this.#eraser.begin(state, this.#storedSeq)
    this.#letterKeys.begin(state)
    this.#redriver.begin(state)
    this.#backfill.begin(state, this.#storedSeq)
    // What came while the clocks disagreed moves with the time, ahead of everything that is decided by it.
    if (isAlone) this.#decideAlone((turn) => resume(turn, this.now()))
    this.#turn()
  }

  /**
   * Where partition time goes on, and what is recorded where the clocks disagree. A dispute on record ends by a step of
   * its own, also where they agree now: what came in it moves with the step.
   */
  #beginTime(lastMs: number): { dispute?: { storeMs: number; nodeMs: number } } {
    this.#clocks = this.#fenced
    const { timeMs: storeMs, wallMs: nodeMs } = this.#fenced
    const { isDisputed, heldMs, agreedMs } = judgeClocks(lastMs, storeMs, nodeMs)
    const isHeld = isDisputed || this.#state.dispute !== undefined
    this.#isDisputed = isDisputed
    this.#beganMs = isHeld ? heldMs : agreedMs
    this.#step = isHeld && !isDisputed ? {} : undefined
    this.#isProbeDue = false
    this.#probeLater()
    const trouble = clockTrouble(this.partition, this.#describeClock())
    if (trouble !== undefined) this.#o.onTrouble?.(`${trouble.what}. ${trouble.advice}`)
    return isHeld ? { dispute: { storeMs, nodeMs } } : {}
  }

  /** While the clocks disagree, has them read again with a frame. */
  #probeLater(): void {
    this.#cancelProbe()
    if (!this.#isDisputed) return
    this.#cancelProbe = this.#o.time.after(limits.clockCheckMs, () => {
      if (this.life !== 'Active') return
      if (!this.#storage.full) {
        this.#isProbeDue = true
        this.#isNoteDue = true
        this.#wake()
      }
      this.#probeLater()
    })
  }

  /** Reads the clocks with a frame that was stored just now; where they agree again, time is what they say. */
  async #probe(seq: number): Promise<void> {
    const { log, time } = this.#o
    const state = this.#state
    const [monotonicMs, wallMs] = [time.monotonicMs(), time.wallMs()]
    const stored = await log.get(seq).catch(() => undefined)
    if (stored === undefined || this.#state !== state || this.life !== 'Active' || !this.#isDisputed) return
    this.#clocks = { timeMs: stored.timeMs, wallMs, monotonicMs }
    if (judgeClocks(this.now(), stored.timeMs, wallMs).isDisputed) return
    this.#step ??= {}
    this.#wake()
  }

  #readClocks(partitionMs: number): Omit<PartitionClock, 'state'> {
    return { partitionMs, storeMs: this.#storeMs(), nodeMs: Math.floor(this.#o.time.wallMs()) }
  }

  /** The store's clock, by when it was read last. */
  #storeMs(): number {
    return this.#clocks.timeMs + Math.floor(this.#o.time.monotonicMs() - this.#clocks.monotonicMs)
  }

  #confirmClock({ clock, by }: CommandOf<'ConfirmClock'>, token: number): void {
    if (clock !== 'store' && clock !== 'node')
      return this.#refuse(token, new KirokuError('InvalidArgument', 'clock: "store" or "node"'))
    if (this.#isDisputed && this.#step?.token === undefined) this.#step = { clock, by, token }
    else this.#mailbox.put({ act: (turn) => turn.ok(token, { steppedMs: 0 }), bytes: 0 })
    this.#wake()
  }

  /** Moves partition time on. */
  #decideStep({ clock, by, token }: ClockStep): void {
    this.#step = undefined
    this.#isDisputed = false
    this.#cancelProbe()
    const now = this.now()
    const { storeMs, nodeMs } = this.#readClocks(now)
    const to = Math.max(now, clock === 'node' ? nodeMs : storeMs)
    this.#beganMs += to - now
    this.#stepping = { seq: this.#flights.nextSeq, ms: to - now }
    this.#decideAlone((turn) => {
      turn.emit({
        type: 'ClockResumed',
        now: to,
        gapMs: to - now,
        ...(clock === undefined || by === undefined ? {} : { clock, by }),
      })
      if (token !== undefined) turn.ok(token, { steppedMs: to - now })
    }, now)
  }

  /** Decides a step of the time in a frame of its own, of the time before it: nothing else is decided between two times. */
  #decideAlone(decide: (turn: Turn<BodyRef>) => void, at = this.#state.at): void {
    const turn = new Turn<BodyRef>(this.#state, at, this.#o.random, sha256)
    beginFrame(this.#state, this.#flights.nextSeq, at)
    decide(turn)
    this.#append(turn, at)
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
    const plainBytes = commandBytes(command)
    if (!this.#hasRoomFor(command, plainBytes)) {
      const reason = `partition ${this.partition}: ${this.#storage.reason(this.#mailbox.bytes + plainBytes)}`
      return this.#refuse(token, new KirokuError('StorageFull', reason, { retryAfterMs: 1_000 }))
    }
    const tooLarge = this.#sizes.refuse(command) ?? this.#refuseLong(command)
    if (tooLarge !== undefined) return this.#refuse(token, tooLarge)
    const unfit = command.type === 'Enqueue' ? refuseBodies(this.#schemas, this.#state, command) : undefined
    if (unfit !== undefined) return this.#refuse(token, unfit)
    if (command.type === 'Erase') return this.#erase(command, token)
    if (command.type === 'ConfirmClock') return this.#confirmClock(command, token)
    const bytes = plainBytes + this.#sealedBytes(command)
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
    const needsSpill = this.#sizes.needsSpill(command, bytes) && this.#bringsBodies(command)
    // Others are refused when they are decided; these would be references by then.
    if (needsSpill && command.type === 'Enqueue' && command.messages.some(isSealed))
      return this.#refuse(token, new KirokuError('MalformedRequest', 'a message is not an envelope'))
    const isLate = needsSpill && this.#sealer.isLate({ command })
    const spill =
      needsSpill && !isLate ? new LargeBodyWrite(command.messages, this.#sizes.spillBytes(bytes)) : undefined
    const mail: Bringing = { command, token, bytes, bodyBytes: bodyBytes(command), spill, isLate }
    if (!this.#mailbox.put(mail)) return busy()
    if (spill === undefined || spill.isDone) return
    this.#checkpoints.largeBodies.open(spill)
    this.#spills.add(
      spill,
      () => this.#mailbox.spilled(mail),
      () => {},
    )
  }

  /** Whether the store has room for a command behind those that wait, which are not stored yet and take room all the same. */
  #hasRoomFor(command: Command, bytes: number): boolean {
    const waiting = this.#mailbox.bytes
    if (command.type === 'Enqueue') return this.#storage.takes(bytes, waiting)
    if (command.type === 'Receive') return this.#storage.delivers
    // Letters may take the reserve, since where they come from is let go of then, but not the room for a fence.
    return command.type !== 'Forward' || !this.#bringsBodies(command) || this.#storage.carries(bytes, waiting)
  }

  /** Letters that came before are confirmed and not stored again. */
  #bringsBodies(command: CommandOf<'Enqueue' | 'Forward'>): boolean {
    return command.type === 'Enqueue' || bringsLetters(this.#state, command)
  }

  /** Refuses an administrative command whose texts no record can hold; sends are looked at when it is their turn. */
  #refuseLong(command: Exclude<Command, { type: 'DescribePartition' }>): KirokuError | undefined {
    switch (command.type) {
      case 'Enqueue':
      case 'Forward':
      case 'Receive':
      case 'Ack':
      case 'Extend':
      case 'Retry':
      case 'Release':
      case 'DeadLetter':
        return undefined
      default: {
        const plain = command.type === 'EditBody' ? { ...command, body: new Uint8Array(0) } : command
        return this.#tooLarge(recordBytes(this.#state, plain), command)
      }
    }
  }

  /** The error for a command that takes more bytes on record than one turn has room for, if it does. */
  #tooLarge(bytes: number, command: Command): KirokuError | undefined {
    const bytesMax = this.#sizes.turnBytesMax
    if (bytes <= bytesMax) return undefined
    const what =
      'messages' in command
        ? `${command.messages.length} messages with their tags and groups take`
        : `this ${command.type} takes`
    const advice = 'messages' in command ? 'send fewer messages at once' : 'shorten its texts'
    return new KirokuError(
      'BodyTooLarge',
      `${what} up to ${bytes} bytes on record, and this log takes ${bytesMax} at once: ${advice}`,
    )
  }

  /** By how much bodies grow that are sealed. */
  #sealedBytes(command: Command): number {
    if (command.type !== 'Enqueue' && command.type !== 'Forward') return 0
    if (!this.#sealer.isLate({ command })) return 0
    let bytes = command.messages.length * limits.sealedBytes
    // What comes from elsewhere keeps its lineage readable beside the sealed copy of it.
    if (command.type === 'Forward')
      for (const { length } of command.messages) bytes += Math.min(length, lineageBytesMax)
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
          if (key !== undefined && !this.#ring.claim(key)) return void this.#erase(command, token)
          return this.#endErasing(turn, key, (first) => decideErase(first, command, token, key))
        },
        bytes: recordBytes(state, command),
      })
      this.#wake()
    }
    if (!isByGroup) return decideIt(undefined)
    this.#ring
      .addGroupKey(queue.id, command.group!)
      .then(decideIt, (e: unknown) => this.#refuse(token, asKirokuError(e)))
  }

  /** Lets nothing be sealed with the keys of an erasure any more, once the last part of it is decided. */
  #endErasing(
    turn: Turn<BodyRef>,
    key: string | undefined,
    decideIt: Rest<BodyRef>,
  ): Rest<BodyRef> | undefined {
    const rest = decideIt(turn)
    if (rest !== undefined) return (next) => this.#endErasing(next, key, rest)
    this.#ring.decided(key)
    return undefined
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
        this.#mailbox.put({ act, bytes: recordBytes(state, command) })
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
  #spillAside(
    bodies: readonly Uint8Array[],
    bytes = bodyBytes({ messages: bodies }),
    plain = bodies,
  ): Promise<LargeBodyWrite> {
    const tooLarge = bodies.find((b) => b.length > this.#sizes.turnBytesMax)
    if (tooLarge !== undefined)
      return Promise.reject(
        new KirokuError(
          'RecordTooLarge',
          `a body of ${tooLarge.length} bytes was stored when the log took more than ${this.#sizes.turnBytesMax}`,
        ),
      )
    const spill = new LargeBodyWrite(bodies, this.#sizes.spillBytes(bytes), plain)
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
    if (this.#mailbox.isReady || this.#isNoteDue || this.#step !== undefined) return true
    return nextTimerAt(this.#state) <= this.now()
  }

  #appendBody(): void {
    this.#bodyNext = false
    this.#spills.step((body) => {
      const flight = this.#flights.body(body)
      this.#cache.putBody(flight.seq, body)
      this.#storage.stored(flight.record.length)
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
    // Ahead of it comes what says that the time was disputed.
    if (this.#step !== undefined && this.#flights.nextSeq > this.#fenced.seq + 1) {
      this.#decideStep(this.#step)
      return this.#goOn()
    }
    const state = this.#state
    const now = this.now()
    const { first, sends } = this.#mailbox.gather()
    const turn = new Turn<BodyRef>(state, now, this.#o.random, sha256, this.#sizes.turnBytesMax)
    beginFrame(state, this.#flights.nextSeq, now)
    const early: Bringing[] = []
    const returned: Bringing[] = []
    if (!this.#sendsFirst) this.#decideFirst(turn, first)
    this.#decideSends(turn, sends, early, returned)
    if (this.#sendsFirst) this.#decideFirst(turn, first)
    if (early.length > 0) this.#mailbox.putBack(early)
    this.#mailbox.returnSends(returned)
    // Neither starves the other.
    this.#sendsFirst = returned.length > 0 && !this.#sendsFirst
    this.#tookAll = turn.commandRoom < 0
    endTurn(turn)
    this.metrics.busy += turn.busy
    const waiting = returned.length === 0 ? early : [...early, ...returned]
    if (turn.events.length > 0 || this.#isNoteDue) {
      this.#sealer.seal(turn)
      this.#append(turn, now, () => this.#closeSpills(sends, waiting))
    } else {
      this.#closeSpills(sends, waiting)
      this.#hold(turn.answers)
    }
    if (state.redrives.size > 0) this.#redriver.look()
    this.#goOn()
  }

  /** Sends a turn's frame off. */
  #append(turn: Turn<BodyRef>, now: number, decided = (): void => {}): void {
    this.#isNoteDue = false
    this.#framedAt = this.now()
    const { nextSeq } = this.#flights
    const sections = [...turn.sections.values()]
    const flight = this.#flights.frame({ at: now, events: turn.events, sections }, turn.answers)
    this.#storage.stored(flight.record.length)
    this.#cache.putFrame(nextSeq, flight.record)
    this.#checkpoints.largeBodies.frame(nextSeq, sections)
    decided()
    this.#checkpoints.decided(this.#state, flight, now)
  }

  /** Room for one more: what fits into no command's share has every other turn for itself. */
  #roomFor(turn: Turn<BodyRef>): number {
    return turn.bytes === 0 && !this.#tookAll ? turn.room : turn.commandRoom
  }

  /** Decides what goes first, as long as the turn has room; the rest begins the next. */
  #decideFirst(turn: Turn<BodyRef>, first: readonly First[]): void {
    for (let i = 0; i < first.length; i++) {
      const mail = first[i]!
      const bytes = mail.command === undefined ? mail.bytes + actBytes : recordBytes(turn.state, mail.command)
      if (mail.command !== undefined) {
        const tooLarge = this.#tooLarge(bytes, mail.command)
        if (tooLarge !== undefined) {
          turn.refuse(mail.token, tooLarge)
          continue
        }
      }
      if (Math.min(bytes, turn.bytesMax) > this.#roomFor(turn))
        return this.#mailbox.returnFirst(first.slice(i))
      const rest = mail.command === undefined ? mail.act(turn) : decide(turn, mail.command, mail.token)
      if (typeof rest !== 'function') continue
      const lasts = mail.command === undefined && mail.lasts === true
      return this.#mailbox.returnFirst([{ act: rest, bytes: 0, lasts }, ...first.slice(i + 1)])
    }
  }

  /** Decides what brings bodies: what cannot be decided yet is put to `early`, what finds no room to `returned`. */
  #decideSends(
    turn: Turn<BodyRef>,
    sends: readonly Bringing[],
    early: Bringing[],
    returned: Bringing[],
  ): void {
    for (const mail of sends) {
      if (returned.length > 0) {
        const key = keyOf(mail)
        if (early.some((e) => keyOf(e) === key)) early.push(mail)
        else returned.push(mail)
        continue
      }
      if (this.#isEarly(mail, early, turn.now)) continue
      const { command, token, spill } = mail
      const sealedBytes = this.#sealedBytes(command)
      // Large bodies that still have no records of their own are for a queue that is not there.
      const inlineBytes = spill?.inlineBytes ?? (mail.isLate === true ? 0 : mail.bodyBytes)
      const bytes = recordBytes(turn.state, command) + inlineBytes + sealedBytes
      const tooLarge = this.#tooLarge(bytes, command)
      if (tooLarge !== undefined) turn.refuse(token, tooLarge)
      else if (bytes > this.#roomFor(turn)) returned.push(mail)
      else {
        if (spill === undefined) decide(turn, command, token)
        else decide<BodyRef>(turn, { ...command, messages: spill.messages }, token)
        turn.bytes += sealedBytes
      }
    }
  }

  /** The frames of these commands were decided, unless they wait. */
  #closeSpills(sends: readonly Bringing[], waiting: readonly Bringing[]): void {
    for (const mail of sends)
      if (mail.spill !== undefined && !waiting.includes(mail)) this.#checkpoints.largeBodies.close(mail.spill)
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

  /**
   * Has an idle owner that holds leases write an empty frame now and then: the next owner takes the
   * time since the last frame for time without an owner, and lengthens leases by it (ADR 8).
   */
  #watchIdleness(): void {
    this.#cancelNote()
    const now = this.now()
    const idleMs = now - this.#framedAt
    const pauseMs = this.#notePauseMs(now)
    if (idleMs >= pauseMs && this.life === 'Active' && !this.#storage.full && holdsLeases(this.#state)) {
      this.#isNoteDue = true
      this.#wake()
    }
    const againMs = idleMs < pauseMs ? pauseMs - idleMs : limits.aliveNoteMsMin
    this.#cancelNote = this.#o.time.after(Math.min(againMs, limits.aliveNoteMsMin), () =>
      this.#watchIdleness(),
    )
  }

  #notePauseMs(now: number): number {
    const { live } = this.#state
    const leftMs = live.earliest < 0 ? 0 : live.deadline[live.earliest]! - now
    return Math.max(limits.aliveNoteMsMin, Math.ceil(leftMs * limits.aliveNoteShare))
  }

  /** An append is stored, and so is everything before it. */
  landed(flight: Append): void {
    this.#storedSeq = flight.seq
    this.#storedHash = flight.hash
    if (this.#stepping?.seq === flight.seq) this.#stepping = undefined
    this.#cache.stored(flight.seq)
    for (const a of flight.answers) this.#resolve(a)
    for (const a of flight.held) this.#idle.push(a)
    this.#answerIdle()
    if (this.#isProbeDue) {
      this.#isProbeDue = false
      void this.#probe(flight.seq)
    }
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
  failed(flights: readonly Append[]): void {
    const { error } = flights[0]!
    if (error?.id === 'StorageFull') this.#storage.refused()
    if (this.life !== 'Active') return this.#end(error)
    this.#send('APPEND_FAILED', error?.message ?? 'an append failed')
    this.#cancelTimer()
    this.#cancelNote()
    // Until its first frame is stored an ownership has lengthened no lease: what came before it is still to be counted.
    if (this.#storedSeq > this.#fenced.seq)
      this.#aliveUntilMs = Math.floor(
        this.#beganMs - (this.#stepping?.ms ?? 0) + flights[0]!.begunMs - this.#fenced.monotonicMs,
      )
    this.#recover(flights, error!).catch((e: unknown) => this.#fail(e))
  }

  async #recover(flights: readonly Append[], error: KirokuError): Promise<void> {
    const { log, node, time, lockFresh } = this.#o
    const { epoch, monotonicMs } = this.#fenced
    const from = flights[0]!.seq
    const storedSeq = this.#storedSeq
    const storedHash = this.#storedHash
    this.#fenced = await fence(
      log,
      node,
      time,
      lockFresh,
      async () => this.#stopped() ?? (await this.#overtaken(from, epoch)),
      0,
      error.message.slice(0, limits.fenceReasonCharactersMax),
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
    const stepping = this.#stepping
    this.#stepping = undefined
    // Time did not take a step of which the log does not know.
    if (stepping !== undefined && !flights.slice(0, found).some(({ seq }) => seq === stepping.seq))
      this.#beganMs -= stepping.ms
    for (let i = 0; i < flights.length; i++) {
      const flight = flights[i]!
      for (const a of flight.answers)
        if (i < found) this.#resolve(a)
        // Asked again it would make the same record.
        else this.#refuse(a.token, flight.error?.id === 'RecordTooLarge' ? flight.error : answer)
      for (const a of flight.held)
        if (i < found) this.#resolve(a)
        else this.#refuse(a.token, answer)
    }
    this.#abandon(answer)
    const loaded = await load(log, this.#fenced.seq)
    // The monotonic clock went on: what it counted is no step.
    this.#take(loaded, Math.floor(this.#beganMs + this.#fenced.monotonicMs - monotonicMs))
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

  async #findStored(flights: readonly Append[]): Promise<number> {
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
    this.#step = undefined
    this.#cancelProbe()
    this.#spills.clear()
    this.#mailbox.clear()
    this.#idle = []
    this.#checkpoints.end()
    this.#forwarder.end()
    this.#homes.end()
    this.#ring.begin(undefined)
    this.#eraser.end()
    this.#letterKeys.end()
    this.#redriver.end()
    this.#backfill.end()
    for (const token of [...this.#slots.keys()]) this.#refuse(token, error)
  }

  #refuse(token: number, error: KirokuError): void {
    if (error.id === 'Busy') this.metrics.busy++
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
      // The last that the log hears of this owner: what follows is time without one.
      this.#isNoteDue = !this.#storage.full && holdsLeases(this.#state)
      this.#wake()
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
    if (this.#isNoteDue || this.#flights.count > 0 || this.#mailbox.size > 0) return
    if (this.#deliverer.isIdle) this.#drained()
  }

  #end(error: KirokuError | undefined): void {
    this.#cancelTimer()
    this.#cancelNote()
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
    const checkpoints = this.#checkpoints.describe()
    let outbox = 0
    for (const lane of state?.outbox.values() ?? []) outbox += lane.entries.length
    const held =
      state === undefined || state.held.size === 0
        ? []
        : [...describeOutbox(state).values()].flat().filter((lane) => lane.held !== undefined)
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
      ...(held.length === 0 ? {} : { held }),
      checkpointSeq: this.#checkpoints.lastSeq,
      ...(this.life === 'Active' ? { clock: this.#describeClock() } : {}),
      storage: { ...this.#storage.describe(), earlyTrims: this.metrics.earlyTrims },
      ...(checkpoints === undefined ? {} : { checkpoints }),
    }
  }

  #describeClock(): PartitionClock {
    const clocks = this.#readClocks(this.now())
    const isAhead = clocks.partitionMs - Math.max(clocks.storeMs, clocks.nodeMs) > limits.clockDisputeMs
    return { state: this.#isDisputed ? 'disputed' : isAhead ? 'ahead' : 'agreed', ...clocks }
  }
}

/** A step of partition time: an operator's word with the token of its answer, or nothing where the clocks agree again. */
interface ClockStep {
  readonly clock?: 'store' | 'node'
  readonly by?: CommandOf<'ConfirmClock'>['by']
  readonly token?: number
}

const holdsLeases = (state: PartitionState): boolean =>
  state.subscriptions.some((sub) => sub !== undefined && sub.inflight > 0)

/** Puts stray records on record that a replay passed over, as many as there is room for. */
const skipForeign = (turn: Turn<BodyRef>, foreign: readonly number[]): Rest<BodyRef> | undefined => {
  for (let i = 0; i < foreign.length; i++) {
    if (turn.commandRoom < actBytes) return (next) => skipForeign(next, foreign.slice(i))
    turn.emit({ type: 'ForeignRecordSkipped', seq: foreign[i]! })
  }
  return undefined
}

/** Room for the few small facts of what the engine does itself. */
const actBytes = 2 * 1024

const isDamage = ({ id }: KirokuError): boolean =>
  id === 'LogDamaged' || id === 'LogShortened' || id === 'FutureVersion'
