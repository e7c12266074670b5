import type { BodyRef } from '@kiroku/log'
import type { EngineCommand, Rest, Turn } from '@kiroku/partition'
import type { Command, CommandOf } from '@kiroku/protocol'
import type { LargeBodyWrite } from '../bodies/LargeBodyWriter.ts'
import { limits } from '../limits.ts'
import { Fifo } from './Fifo.ts'

/** What the core decides; the rest the engine answers itself. */
type PartitionCommand = Exclude<Command, { type: EngineCommand }>

/** A command that brings bodies. While it spills, it holds up those behind it in its queue. */
export interface Bringing {
  readonly command: CommandOf<'Enqueue' | 'Forward'>
  readonly token: number
  readonly bytes: number
  /** Of these, bytes of bodies. */
  readonly bodyBytes: number
  spill?: LargeBodyWrite | undefined
  /** Its large bodies cannot have records of their own before it is its turn. */
  readonly isLate?: boolean
  /** Names of the keys that its large bodies were sealed with, by their places. */
  sealedWith?: readonly (string | undefined)[] | undefined
  /** It waits for keys. */
  waits?: boolean
}

/** Something of the engine's own that is decided in a turn; what it returns found no room there. */
export type Act = (turn: Turn<BodyRef>) => Rest<BodyRef> | undefined | void

/** What goes first in a turn: a command with the token of its answer, or something of the engine's own. */
export type First =
  | {
      readonly command: Exclude<PartitionCommand, { type: 'Enqueue' | 'Forward' }>
      readonly token: number
      readonly bytes: number
      readonly act?: undefined
    }
  | {
      readonly act: Act
      /** The most that it takes on record, beside a few small facts. */
      readonly bytes: number
      /** Whether it rests on nothing but what is stored, so that it outlives a recovery. */
      readonly lasts?: boolean
      readonly command?: undefined
    }

/** Work for one turn. */
export type Mail = First | Bringing

/**
 * What waits for a turn. Settling, receives and acts of the engine go first; commands that bring bodies share
 * the rest of the frame, a command of each queue in turn, so that one flood does not hold up its neighbours.
 */
export class Mailbox {
  frameBytesMax: number
  readonly #first = new Fifo<First>()
  /** By queue; those whose next command still spills are apart. */
  #sends = new Map<string, Fifo<Bringing>>()
  readonly #spilling = new Map<string, Fifo<Bringing>>()
  #size = 0
  #bytes = 0

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax
  }

  /** What waits, also behind a command that spills. */
  get size(): number {
    return this.#size
  }

  /** About the bytes that it adds to the log. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether a turn would find something. */
  get isReady(): boolean {
    return this.#first.size > 0 || this.#sends.size > 0
  }

  /** False: over the limit, and nothing was taken in. What the engine itself does is always taken. */
  put(mail: Mail): boolean {
    if (mail.command === undefined) {
      this.#size++
      this.#first.push(mail)
      return true
    }
    if (this.#size >= limits.mailboxCommandsMax || this.#bytes + mail.bytes > limits.mailboxBytesMax)
      return false
    this.#size++
    this.#bytes += mail.bytes
    if (isBringing(mail)) this.#putSend(mail)
    else this.#first.push(mail)
    return true
  }

  #putSend(mail: Bringing): void {
    const key = keyOf(mail)
    const lane = this.#spilling.get(key) ?? this.#sends.get(key)
    if (lane !== undefined) return lane.push(mail)
    const fresh = new Fifo<Bringing>()
    fresh.push(mail)
    this.#lanesFor(fresh).set(key, fresh)
  }

  /** A command is done with spilling, or with waiting. */
  spilled(mail: Bringing): void {
    mail.waits = false
    const key = keyOf(mail)
    const lane = this.#spilling.get(key)
    if (lane?.peek() !== mail) return
    this.#spilling.delete(key)
    this.#sends.set(key, lane)
  }

  /** Takes commands back that cannot be decided yet: the first of each queue waits, and those behind it with it. */
  putBack(mails: readonly Bringing[]): void {
    for (const [key, own] of Map.groupBy(mails, keyOf)) {
      const lane = this.#sends.get(key) ?? this.#spilling.get(key) ?? new Fifo<Bringing>()
      this.#sends.delete(key)
      this.#spilling.set(key, lane)
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
    const lanes = new Map<string, Fifo<Bringing>>()
    for (const [key, own] of Map.groupBy(mails, keyOf)) {
      const lane = this.#sends.get(key) ?? this.#spilling.get(key) ?? new Fifo<Bringing>()
      this.#sends.delete(key)
      this.#spilling.delete(key)
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
    const lane = this.#spilling.get(keyOf(mail))
    if (lane?.peek() !== mail) return []
    this.#spilling.delete(keyOf(mail))
    const dropped: Bringing[] = []
    while (lane.size > 0) {
      const next = lane.take()
      dropped.push(next)
      this.#size--
      this.#bytes -= next.bytes
    }
    return dropped
  }

  #lanesFor(lane: Fifo<Bringing>): Map<string, Fifo<Bringing>> {
    const head = lane.peek()!
    return head.waits === true || head.spill?.isDone === false ? this.#spilling : this.#sends
  }

  /** Takes what goes into one turn. */
  gather(): { first: First[]; sends: Bringing[] } {
    const first: First[] = []
    let bytes = 0
    let settled = 0
    while (this.#first.size > 0 && bytes < this.frameBytesMax && settled < limits.turnSettledMax) {
      const mail = this.#first.take()
      this.#size--
      if (mail.command !== undefined) {
        this.#bytes -= mail.bytes
        settled += settledBy(mail.command)
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
        const frameBytes = mail.spill?.inlineBytes ?? mail.bytes
        // One send goes with every frame, unless what goes first fills the record.
        const bytesMax = this.frameBytesMax * (taken.length === 0 ? roomFrames : 1)
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
        // To the back of the round: a Map keeps the order in which keys were set.
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
    this.#spilling.clear()
    this.#size = 0
    this.#bytes = 0
    for (const mail of lasting) this.put(mail)
  }
}

/** So many frames' bytes fit into a record, with room for what is not bodies. */
const roomFrames = 2.5

const isBringing = (mail: Exclude<Mail, { command?: undefined }>): mail is Bringing =>
  mail.command.type === 'Enqueue' || mail.command.type === 'Forward'

/** The lane of a command: its queue's, or that of the queue to which it forwards. */
export const keyOf = ({ command }: Bringing): string =>
  command.type === 'Enqueue' ? command.queue : `>${command.target}`

/** Bytes of a dedup key on record. */
const keyBytes = 17

/** Bytes of the bodies that a command brings. */
export const bodyBytes = ({ messages }: Pick<Bringing['command'], 'messages'>): number => {
  let bytes = 0
  for (const { length } of messages) bytes += length
  return bytes
}

/** About the bytes that a command adds to a frame. */
export const commandBytes = (command: Command): number => {
  let bytes = 'config' in command ? 1_024 : 128
  if ('messages' in command) bytes += bodyBytes(command) + 4 * command.messages.length
  if (command.type === 'Enqueue' && command.dedupIds !== undefined)
    bytes += command.messages.length * keyBytes
  else if ('items' in command) for (const item of command.items) bytes += 32 + item.numbers.length * 8
  return bytes
}

/** Messages that a command settles. */
const settledBy = (command: Command): number => {
  let messages = 0
  if ('items' in command)
    for (const { numbers } of command.items)
      for (let i = 1; i < numbers.length; i += 2) messages += numbers[i]!
  return messages
}
