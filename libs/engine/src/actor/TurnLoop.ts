import type { BodyRef } from '@kiroku/log'
import { decide, endTurn, nextTimerAt, recordBytes, Turn, type Ownership } from '@kiroku/partition'
import { KirokuError } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import type { AppendPipeline } from '../append/AppendPipeline.ts'
import type { Sizes } from '../append/Sizes.ts'
import { asKirokuError } from '../asKirokuError.ts'
import type { BodyCache } from '../bodies/BodyCache.ts'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import type { Checkpoints } from '../checkpoint/Checkpoints.ts'
import type { BodyCipher } from '../keys/BodyCipher.ts'
import { limits } from '../limits.ts'
import { sha256 } from '../sha256.ts'
import type { StorageWatch } from '../store/StorageWatch.ts'
import type { AliveNotes } from './AliveNotes.ts'
import type { AnswerGate } from './AnswerGate.ts'
import type { Life } from './Life.ts'
import { laneOf, type Act, type Bringing, type First, type Mailbox } from './Mailbox.ts'
import type { PartitionTime } from './PartitionTime.ts'

/** What turns are made with, and whom they tell. */
interface TurnParts {
  readonly life: Life
  readonly partitionTime: PartitionTime
  readonly notes: AliveNotes
  readonly mailbox: Mailbox
  readonly gate: AnswerGate
  readonly sizes: Sizes
  readonly cache: BodyCache
  readonly writer: LargeBodyWriter
  readonly cipher: BodyCipher
  readonly checkpoints: Checkpoints
  readonly storage: StorageWatch
  /** What the messages of the whole node take. */
  readonly stateMemory: { readonly holdsUntouched: boolean }
  readonly metrics: Metrics
  readonly time: Time
  /** Chance, 0 to 1. */
  readonly random: () => number
  /** A turn was decided; its frame, if there is one, is on its way. */
  decided(): void
  /** The loop did what there was to do for now. */
  turned(): void
  /** A turn threw: the state is not what the log says. */
  failed(error: KirokuError): void
}

/**
 * Decides what waits, a frame at a time. Everything here runs synchronously within one turn, on the one thread that
 * changes the partition's state; between turns the tasks, doors and timers put mail into the box and call `wake`.
 */
export class TurnLoop {
  readonly #p: TurnParts
  #own!: Ownership
  #pipeline!: AppendPipeline
  /** The record behind the fence: what says that the time was disputed, where it was. */
  #firstSeq = 0
  #isScheduled = false
  #cancelTimer: () => void = () => {}
  /** Frames and large bodies take turns. */
  #isBodyNext = false
  /** A send found no room behind what went first, and goes ahead of it now. */
  #sendsFirst = false
  /** Commands took more than their share of the last turn. */
  #tookAll = false
  /** Ends the timer that wakes the loop where the append under way takes long; undefined: none runs. */
  #cancelPatience: (() => void) | undefined

  constructor(parts: TurnParts) {
    this.#p = parts
  }

  /** Goes on with the state of a new ownership, or of one that recovered. */
  begin(own: Ownership, pipeline: AppendPipeline): void {
    this.#own = own
    this.#pipeline = pipeline
    this.#firstSeq = pipeline.nextSeq
  }

  /** No timer wakes the loop any more. */
  end(): void {
    this.#cancelTimer()
    this.#cancelPatience?.()
    this.#cancelPatience = undefined
  }

  /** The record that was sent off last. */
  get lastSeq(): number {
    return this.#pipeline.nextSeq - 1
  }
  /** Whether nothing waits and nothing is under way. */
  get isIdle(): boolean {
    return !this.#p.notes.isDue && this.#pipeline.count === 0 && this.#p.mailbox.size === 0
  }

  /** Has work of the engine's own decided, which takes up to `bytes` on record in addition to a few small facts. */
  act(run: Act, bytes = 0, lasts = false): void {
    this.#p.mailbox.put({ act: run, bytes, lasts })
    this.wake()
  }

  /** Has a turn begin when the thread is free. */
  wake(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.turn)
  }

  readonly #losePatience = (): void => {
    this.#cancelPatience = undefined
    this.wake()
  }

  /** One turn. */
  readonly turn = (): void => {
    this.#isScheduled = false
    const { state: life } = this.#p.life
    if (life !== 'Active' && life !== 'Draining') return
    if (this.#gathers()) return
    try {
      if (this.#p.writer.areWaiting && (this.#isBodyNext || !this.#hasWork)) this.#appendBody()
      else this.#decideTurn()
    } catch (e) {
      // Whatever it was, the log did not say it: the next ownership rebuilds the state and goes on.
      const what = e instanceof Error ? (e.stack ?? e.message) : String(e)
      this.#p.failed(new KirokuError('Internal', `a turn failed: ${what}`, { cause: e }))
    }
  }

  /**
   * Whether what waits is to wait for the append under way, and share the next record with what comes until then: each
   * record costs the log a write and a sync, however little it holds. A landing wakes the loop.
   */
  #gathers(): boolean {
    const { first, count } = this.#pipeline
    if (first === undefined) return false
    if (count >= limits.appendsInFlight) return true
    const { mailbox, writer, time } = this.#p
    if (writer.areWaiting || mailbox.bytes >= limits.gatheredBytesMax) return false
    const leftMs = first.begunMs + limits.gatherMsMax - time.monotonicMs()
    if (leftMs <= 0) return false
    this.#cancelPatience ??= time.after(leftMs, this.#losePatience)
    return true
  }

  /** Decides something in a frame of its own: nothing else is decided between two times. */
  decideAlone(decideIt: (turn: Turn<BodyRef>) => void, at = this.#own.state.at): void {
    const turn = new Turn<BodyRef>(this.#own, at, this.#p.random, sha256)
    this.#own.state.beginFrame(this.#pipeline.nextSeq, at)
    decideIt(turn)
    this.#append(turn, at)
  }

  get #hasWork(): boolean {
    const { mailbox, notes, partitionTime } = this.#p
    if (mailbox.isReady || notes.isDue || partitionTime.isStepDue) return true
    return nextTimerAt(this.#own) <= partitionTime.now()
  }

  #appendBody(): void {
    const { writer, cache, storage, checkpoints } = this.#p
    this.#isBodyNext = false
    writer.step((body) => {
      const append = this.#pipeline.body(body)
      cache.putBody(append.seq, body)
      storage.stored(append.record.length)
      checkpoints.grew(append.record.length)
      return append.seq
    })
    this.#goOn()
  }

  /** Another turn at once when there is something to do, or when the next timer is due. */
  #goOn(): void {
    this.#p.turned()
    if (this.#p.writer.areWaiting || this.#hasWork) this.wake()
    else this.#armTimer()
  }

  #armTimer(): void {
    this.#cancelTimer()
    const at = nextTimerAt(this.#own)
    if (at === Number.POSITIVE_INFINITY) return
    const { time, partitionTime } = this.#p
    this.#cancelTimer = time.after(Math.max(0, at - partitionTime.now()), () => this.wake())
  }

  #decideTurn(): void {
    if (!this.#hasWork) return this.#armTimer()
    const { mailbox, cipher, metrics, notes, gate, partitionTime } = this.#p
    this.#isBodyNext = true
    if (partitionTime.isStepDue && this.#pipeline.nextSeq > this.#firstSeq) {
      const { at, decide: decideStep } = partitionTime.takeStep(this.#pipeline.nextSeq)
      this.decideAlone(decideStep, at)
      return this.#goOn()
    }
    const own = this.#own
    own.holdUntouched(this.#p.stateMemory.holdsUntouched)
    const now = partitionTime.now()
    const { first, sends } = mailbox.gather(own.state.queues.size)
    const turn = new Turn<BodyRef>(own, now, this.#p.random, sha256, this.#p.sizes.turnBytesMax)
    own.state.beginFrame(this.#pipeline.nextSeq, now)
    const early: Bringing[] = []
    const returned: Bringing[] = []
    if (!this.#sendsFirst) this.#decideFirst(turn, first)
    this.#decideSends(turn, sends, early, returned)
    if (this.#sendsFirst) this.#decideFirst(turn, first)
    if (early.length > 0) mailbox.putBack(early)
    mailbox.returnSends(returned)
    // Neither starves the other.
    this.#sendsFirst = returned.length > 0 && !this.#sendsFirst
    this.#tookAll = turn.commandRoom < 0
    endTurn(turn)
    metrics.busy += turn.busy
    const waiting = returned.length === 0 ? early : [...early, ...returned]
    if (turn.events.length > 0 || notes.isDue) {
      cipher.encrypt(turn)
      this.#append(turn, now, () => this.#closeWrites(sends, waiting))
    } else {
      this.#closeWrites(sends, waiting)
      gate.hold(turn.answers, this.#pipeline.last)
    }
    this.#p.decided()
    this.#goOn()
  }

  /** Sends a turn's frame off. */
  #append(turn: Turn<BodyRef>, now: number, decided = (): void => {}): void {
    const { notes, storage, cache, writer, checkpoints } = this.#p
    notes.framed()
    const sections = [...turn.sections.values()]
    const append = this.#pipeline.frame({ at: now, events: turn.events, sections }, turn.answers)
    storage.stored(append.record.length)
    cache.putFrame(append.seq, append.record)
    writer.largeBodies.frame(append.seq, sections)
    decided()
    checkpoints.decided(this.#own.state, append, now)
  }

  /** Room for one more command: what fits into no command's share has every other turn for itself. */
  #roomFor(turn: Turn<BodyRef>): number {
    return turn.bytes === 0 && !this.#tookAll ? turn.room : turn.commandRoom
  }

  /** Decides what goes first, as long as the turn has room; the rest begins the next. */
  #decideFirst(turn: Turn<BodyRef>, first: readonly First[]): void {
    const { mailbox, sizes } = this.#p
    for (let i = 0; i < first.length; i++) {
      const mail = first[i]!
      const bytes =
        mail.command === undefined ? mail.bytes + limits.actBytes : recordBytes(turn.state, mail.command)
      if (mail.command !== undefined) {
        const tooLarge = sizes.refuseRecord(bytes, mail.command)
        if (tooLarge !== undefined) {
          turn.refuse(mail.token, tooLarge)
          continue
        }
      }
      if (Math.min(bytes, turn.bytesMax) > this.#roomFor(turn)) return mailbox.returnFirst(first.slice(i))
      const rest = mail.command === undefined ? mail.act(turn) : decide(turn, mail.command, mail.token)
      if (typeof rest !== 'function') continue
      const lasts = mail.command === undefined && mail.lasts === true
      return mailbox.returnFirst([{ act: rest, bytes: 0, lasts }, ...first.slice(i + 1)])
    }
  }

  /** Decides what brings bodies: what cannot be decided yet is put to `early`, what finds no room to `returned`. */
  #decideSends(
    turn: Turn<BodyRef>,
    sends: readonly Bringing[],
    early: Bringing[],
    returned: Bringing[],
  ): void {
    const { cipher, sizes } = this.#p
    for (const mail of sends) {
      if (returned.length > 0) {
        const lane = laneOf(mail)
        if (early.some((e) => laneOf(e) === lane)) early.push(mail)
        else returned.push(mail)
        continue
      }
      if (this.#isEarly(mail, early, turn.now)) continue
      const { command, token, write } = mail
      const grownBytes = cipher.growth(command)
      // Large bodies that still have no records of their own are for a queue that does not exist.
      const inlineBytes = write?.inlineBytes ?? (mail.writesLate === true ? 0 : mail.bodyBytes)
      const bytes = recordBytes(turn.state, command) + inlineBytes + grownBytes
      const tooLarge = sizes.refuseRecord(bytes, command)
      if (tooLarge !== undefined) turn.refuse(token, tooLarge)
      else if (bytes > this.#roomFor(turn)) returned.push(mail)
      else {
        if (write === undefined) decide(turn, command, token)
        else decide<BodyRef>(turn, { ...command, messages: write.messages }, token)
        turn.bytes += grownBytes
      }
    }
  }

  /** The frames of these commands were decided, unless they wait. */
  #closeWrites(sends: readonly Bringing[], waiting: readonly Bringing[]): void {
    for (const mail of sends)
      if (mail.write !== undefined && !waiting.includes(mail)) this.#p.writer.close(mail.write)
  }

  /** Whether a command lacks keys, or waits behind one of its queue that does; it is put to `early` then. */
  #isEarly(mail: Bringing, early: Bringing[], now: number): boolean {
    if (early.length > 0) {
      const lane = laneOf(mail)
      if (early.some((e) => laneOf(e) === lane)) return early.push(mail) > 0
    }
    const { cipher, mailbox, writer, gate } = this.#p
    const missing = cipher.look(mail, now)
    if (missing === undefined) return false
    const own = this.#own
    missing.then(
      () => {
        mailbox.ready(mail)
        this.wake()
      },
      (e: unknown) => {
        if (this.#own !== own) return
        for (const { token, write } of mailbox.drop(mail)) {
          if (write !== undefined) writer.close(write)
          gate.refuse(token, asKirokuError(e))
        }
        this.wake()
      },
    )
    return early.push(mail) > 0
  }
}
