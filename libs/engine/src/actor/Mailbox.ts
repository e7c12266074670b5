import type { BodyRef } from '@kiroku/log'
import type { Rest, Turn } from '@kiroku/partition'
import { ChurnMap, type Command, type CommandOf, type EngineCommand } from '@kiroku/protocol'
import type { Sizes } from '../append/Sizes.ts'
import type { LargeBodyWrite } from '../bodies/LargeBodyWrite.ts'
import { limits } from '../limits.ts'
import { Fifo } from './Fifo.ts'
import { turnShare } from './turnShare.ts'

/** What the core decides; the rest the engine answers itself. */
type PartitionCommand = Exclude<Command, { type: EngineCommand }>

/** A command that brings bodies. While its large ones are written, it holds up those behind it in its queue. */
export interface Bringing {
  readonly command: CommandOf<'Enqueue' | 'Forward'>
  readonly token: number
  readonly bytes: number
  /** Of these, bytes of bodies. */
  readonly bodyBytes: number
  write?: LargeBodyWrite | undefined
  /** Its large bodies get records of their own only when it is its turn: until then their keys are not known. */
  readonly writesLate?: boolean
  /** Names of the keys that its large bodies were encrypted with, by their places. */
  encryptedWith?: readonly (string | undefined)[] | undefined
  /** It waits for keys. */
  waits?: boolean
}

/** Work of the engine's own that is decided in a turn; what it returns found no room there. */
export type Act = (turn: Turn<BodyRef>) => Rest<BodyRef> | undefined | void

/** What goes first in a turn: a command with the token of its answer, or work of the engine's own. */
export type First =
  | {
      readonly command: Exclude<PartitionCommand, { type: 'Enqueue' | 'Forward' }>
      readonly token: number
      readonly bytes: number
      readonly act?: undefined
    }
  | {
      readonly act: Act
      /** The most that it takes on record, in addition to a few small facts. */
      readonly bytes: number
      /** Whether it rests on nothing but what is stored, and so outlives a recovery. */
      readonly lasts?: boolean
      readonly command?: undefined
    }

/** Work for one turn. */
export type Mail = First | Bringing

/**
 * What waits for a turn. Settling, receives and acts of the engine go first; commands that bring bodies share
 * the rest of the frame, one command per queue in turn, so that one flood does not hold up its neighbours.
 */
export class Mailbox {
  readonly #sizes: Pick<Sizes, 'frameBytesMax'>
  readonly #bytesMax: number
  readonly #first = new Fifo<First>()
  /** By queue; those whose next command waits for its large bodies, or for keys, are apart. */
  #sends = new ChurnMap<string, Fifo<Bringing>>()
  readonly #blocked = new ChurnMap<string, Fifo<Bringing>>()
  #size = 0
  #bytes = 0

  /** @param bytesMax what may wait */
  constructor(sizes: Pick<Sizes, 'frameBytesMax'>, bytesMax: number = limits.mailboxBytesMax) {
    this.#sizes = sizes
    this.#bytesMax = bytesMax
  }

  /** What waits, also behind a command that cannot be decided yet. */
  get size(): number {
    return this.#size
  }

  /** Bytes that it adds to the log, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether a turn would find something. */
  get isReady(): boolean {
    return this.#first.size > 0 || this.#sends.size > 0
  }

  /** False: the mailbox is full, and took nothing in. Work of the engine itself is always taken. */
  put(mail: Mail): boolean {
    if (mail.command === undefined) {
      this.#size++
      this.#first.push(mail)
      return true
    }
    if (this.#size >= limits.mailboxCommandsMax || this.#bytes + mail.bytes > this.#bytesMax) return false
    this.#size++
    this.#bytes += mail.bytes
    if (isBringing(mail)) this.#putSend(mail)
    else this.#first.push(mail)
    return true
  }

  #putSend(mail: Bringing): void {
    const key = laneOf(mail)
    const lane = this.#blocked.get(key) ?? this.#sends.get(key)
    if (lane !== undefined) return lane.push(mail)
    const fresh = new Fifo<Bringing>()
    fresh.push(mail)
    this.#lanesFor(fresh).set(key, fresh)
  }

  /** The large bodies of a command are written, or the keys that it waited for are at hand. */
  ready(mail: Bringing): void {
    mail.waits = false
    const key = laneOf(mail)
    const lane = this.#blocked.get(key)
    if (lane?.peek() !== mail) return
    this.#blocked.delete(key)
    this.#sends.set(key, lane)
  }

  /** Takes commands back that cannot be decided yet: the first of each queue waits, and those behind it with it. */
  putBack(mails: readonly Bringing[]): void {
    for (const [key, own] of Map.groupBy(mails, laneOf)) {
      const lane = this.#sends.get(key) ?? this.#blocked.get(key) ?? new Fifo<Bringing>()
      this.#sends.delete(key)
      this.#blocked.set(key, lane)
      lane.putBack(own)
      own[0]!.waits = true
      this.#size += own.length
      for (const { bytes } of own) this.#bytes += bytes
    }
  }

  /** Takes back what found no room in a turn: it begins the next. */
  returnFirst(mails: readonly First[]): void {
    this.#first.putBack(mails)
    this.#size += mails.length
    for (const mail of mails) if (mail.command !== undefined) this.#bytes += mail.bytes
  }

  /** Takes commands back that found no room in a turn: their queues begin the next. */
  returnSends(mails: readonly Bringing[]): void {
    if (mails.length === 0) return
    const lanes = new ChurnMap<string, Fifo<Bringing>>()
    for (const [key, own] of Map.groupBy(mails, laneOf)) {
      const lane = this.#sends.get(key) ?? this.#blocked.get(key) ?? new Fifo<Bringing>()
      this.#sends.delete(key)
      this.#blocked.delete(key)
      lane.putBack(own)
      lanes.set(key, lane)
      this.#size += own.length
      for (const { bytes } of own) this.#bytes += bytes
    }
    for (const [key, lane] of this.#sends) lanes.set(key, lane)
    this.#sends = lanes
  }

  /** Takes out a command that waits, with those behind it in its queue. */
  drop(mail: Bringing): Bringing[] {
    const lane = this.#blocked.get(laneOf(mail))
    if (lane?.peek() !== mail) return []
    this.#blocked.delete(laneOf(mail))
    const dropped: Bringing[] = []
    while (lane.size > 0) {
      const next = lane.take()
      dropped.push(next)
      this.#size--
      this.#bytes -= next.bytes
    }
    return dropped
  }

  #lanesFor(lane: Fifo<Bringing>): ChurnMap<string, Fifo<Bringing>> {
    const head = lane.peek()!
    return head.waits === true || head.write?.isDone === false ? this.#blocked : this.#sends
  }

  /**
   * Takes what goes into one turn.
   * @param queues how many the partition has
   */
  gather(queues: number): { first: First[]; sends: Bringing[] } {
    const first: First[] = []
    let bytes = 0
    let settled = 0
    while (this.#first.size > 0 && bytes < this.#sizes.frameBytesMax && settled < limits.turnSettledMax) {
      const mail = this.#first.take()
      this.#size--
      if (mail.command !== undefined) {
        this.#bytes -= mail.bytes
        settled += turnShare(mail.command, queues)
      }
      bytes += mail.bytes
      first.push(mail)
    }
    return { first, sends: this.#gatherSends(bytes) }
  }

  #gatherSends(bytesBefore: number): Bringing[] {
    const taken: Bringing[] = []
    let bytes = bytesBefore
    let messages = 0
    while (this.#sends.size > 0) {
      for (const [key, lane] of this.#sends) {
        const mail = lane.peek()!
        const count = mail.command.messages.length
        const frameBytes = mail.write?.inlineBytes ?? mail.bytes
        // One send goes with every frame, unless what goes first fills the record.
        const bytesMax = this.#sizes.frameBytesMax * (taken.length === 0 ? roomFrames : 1)
        if (
          bytes > 0 &&
          (bytes + frameBytes > bytesMax || (taken.length > 0 && messages + count > limits.frameMessagesMax))
        )
          // The queue that found no room begins the next frame.
          return taken
        bytes += frameBytes
        messages += count
        taken.push(lane.take())
        this.#size--
        this.#bytes -= mail.bytes
        // To the back of the round: a map keeps the order in which keys were set.
        this.#sends.delete(key)
        if (lane.size > 0) this.#lanesFor(lane).set(key, lane)
      }
    }
    return taken
  }

  /** Empties the box of all that rests on a state which is given up. */
  clear(): void {
    const lasting: First[] = []
    while (this.#first.size > 0) {
      const mail = this.#first.take()
      if (mail.command === undefined && mail.lasts === true) lasting.push(mail)
    }
    this.#sends.clear()
    this.#blocked.clear()
    this.#size = 0
    this.#bytes = 0
    for (const mail of lasting) this.put(mail)
  }
}

/** Frames whose bodies fit into one record, with room for what is not bodies. */
const roomFrames = 2.5

const isBringing = (mail: Exclude<Mail, { command?: undefined }>): mail is Bringing =>
  mail.command.type === 'Enqueue' || mail.command.type === 'Forward'

/** The lane of a command: its queue's, or that of the queue to which it forwards. */
export const laneOf = ({ command }: Bringing): string =>
  command.type === 'Enqueue' ? command.queue : `>${command.target}`
