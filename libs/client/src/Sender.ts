import {
  ChurnMap,
  type Answers,
  type CommandOf,
  type ErrorId,
  KirokuError,
  limits as partitionLimits,
  rangeNumbers,
  type SpreadView,
} from '@kiroku/protocol'
import { Lane, type Unit } from './Lane.ts'
import { MarkColumns, type Marks } from './Marks.ts'
import type { PartitionLink } from './PartitionLink.ts'
import { ProducerNumbers, type SendNumber } from './ProducerNumbers.ts'
import { openBefore, type OrderedSend, SendOrder } from './SendOrder.ts'
import { SendPatience, type WaitingSend } from './SendPatience.ts'
import { isRetryable } from './failure.ts'
import { limits } from './limits.ts'
import { unavailable } from './unavailable.ts'

/** Where messages that follow each other were stored: queue id, number of the first. */
export interface StoredRange {
  readonly queue: number
  readonly first: number
  readonly count: number
  /** The number of each, where one of them was sent before. */
  readonly numbers?: readonly number[]
}

/** Messages that travel together, of several that were handed over together. */
export interface SentPiece {
  /** Index of the first among all, and how many. */
  readonly from: number
  readonly count: number
  readonly stored: Promise<StoredRange>
}

/** A caller that waits for consecutive messages of one command. */
interface Waiter {
  readonly offset: number
  count: number
  readonly stored: (range: StoredRange) => void
  readonly failed: (error: KirokuError) => void
}

/** One Enqueue: while it gathers, and until it has an answer. */
interface Group extends WaitingSend {
  readonly queue: string
  /** Version of the queue's parts that the newest message was sent by; 0: none. */
  spread: number
  readonly messages: Uint8Array[]
  readonly marks: MarkColumns
  bytes: number
  readonly waiters: Waiter[]
  /** Its place, where it has one already. */
  readonly send?: OrderedSend
  /** Once a request took it. */
  unit?: Unit
}

/** Gathers the sends to one partition: one Enqueue per queue, several queues per request. */
export class Sender {
  /** Called when a queue says where else it is. */
  onSpread: (queue: string, view: SpreadView) => void = () => {}
  readonly #link: PartitionLink
  readonly #lane: Lane
  readonly #numbers: ProducerNumbers
  readonly #order = new SendOrder()
  /** Groups that no request has taken yet, in the order of their first message. */
  readonly #groups: Group[] = []
  /** Of those, per queue the one that still takes messages. */
  readonly #open = new ChurnMap<string, Group>()
  readonly #patience: SendPatience
  #pendingBytes = 0
  #pendingMessages = 0

  constructor(link: PartitionLink, newProducer: () => string) {
    this.#link = link
    this.#numbers = new ProducerNumbers(newProducer)
    this.#lane = new Lane(link, limits.sendRequestsMax, (room) => this.#next(room))
    this.#patience = new SendPatience(link.context, () => link.silentSinceMs)
  }

  /** Messages that are not stored yet. */
  get pending(): number {
    return this.#pendingMessages
  }

  /** Stores one envelope. Errors: see `Client.send`. */
  send(queue: string, envelope: Uint8Array, marks: Marks | undefined, spread: number): Promise<StoredRange> {
    return new Promise((stored, failed) => {
      if (this.#pendingBytes >= limits.pendingBytesMax) return failed(tooMuchWaits())
      const group = this.#add(queue, envelope, marks, spread)
      group.waiters.push({ offset: group.messages.length - 1, count: 1, stored, failed })
      this.#lane.wake()
    })
  }

  /** Stores envelopes in order: together where one send can hold them, else in pieces. */
  sendAll(
    queue: string,
    envelopes: readonly Uint8Array[],
    marks: readonly (Marks | undefined)[],
    spread: number,
  ): SentPiece[] {
    if (this.#pendingBytes >= limits.pendingBytesMax) throw tooMuchWaits()
    const pieces: { from: number; count: number; stored: Promise<StoredRange> }[] = []
    const open = this.#open.get(queue)
    const bytes = envelopes.reduce((sum, envelope) => sum + envelope.length, 0)
    // What one send can hold is stored together or not at all, whatever else is being sent.
    if (open !== undefined && !fits(open, envelopes.length, bytes)) this.#open.delete(queue)
    let group: Group | undefined
    let waiter: Waiter | undefined
    for (let i = 0; i < envelopes.length; i++) {
      const taken = this.#add(queue, envelopes[i]!, marks[i], spread)
      if (taken === group) {
        waiter!.count++
        pieces.at(-1)!.count++
      } else {
        group = taken
        const stored = new Promise<StoredRange>((resolve, failed) => {
          waiter = { offset: taken.messages.length - 1, count: 1, stored: resolve, failed }
          taken.waiters.push(waiter)
        })
        pieces.push({ from: i, count: 1, stored })
      }
    }
    this.#lane.wake()
    return pieces
  }

  /** Resolves when everything accepted so far is stored or given up. */
  drained(): Promise<void> {
    return this.#lane.idle()
  }

  /** Fails what is left and stops repeating. */
  close(): void {
    const error = new KirokuError('Stopped', 'The client was closed before this was sent')
    this.#open.clear()
    this.#patience.close()
    for (const group of this.#groups.splice(0)) for (const waiter of group.waiters) waiter.failed(error)
    this.#lane.close()
  }

  #add(queue: string, envelope: Uint8Array, marks: Marks | undefined, spread: number): Group {
    let group = this.#open.get(queue)
    if (group === undefined || !fits(group, 1, envelope.length)) {
      const begunMs = this.#link.context.clock.now()
      group = this.#group({
        queue,
        spread,
        messages: [],
        marks: new MarkColumns(),
        bytes: 0,
        waiters: [],
        begunMs,
      })
      this.#open.set(queue, group)
      this.#groups.push(group)
    }
    group.spread = spread
    group.marks.add(group.messages.length, marks)
    group.messages.push(envelope)
    group.bytes += envelope.length
    this.#pendingBytes += envelope.length
    this.#pendingMessages++
    return group
  }

  #group(parts: Omit<Group, 'giveUp'>): Group {
    const group: Group = { ...parts, giveUp: (why) => this.#giveUp(group, why) }
    this.#patience.add(group)
    return group
  }

  /** Fails sends without an answer; those that a request took with it may still arrive. */
  #giveUp(group: Group, why: string): void {
    const { unit, queue, send } = group
    const error = unavailable(queue, why, unit !== undefined && (unit.doubt || unit.isUnderWay === true))
    if (unit !== undefined) {
      // The error says it.
      unit.doubt = false
      unit.failed(error)
      unit.isOver = true
      return this.#lane.gaveUp()
    }
    this.#groups.splice(this.#groups.indexOf(group), 1)
    if (this.#open.get(queue) === group) this.#open.delete(queue)
    if (send !== undefined) {
      this.#numbers.close(send.number)
      this.#order.close(queue, send)
    }
    this.#forget(group)
    for (const waiter of group.waiters) waiter.failed(error)
  }

  /** It is stored, or failed. */
  #forget(group: Group): void {
    this.#patience.delete(group)
    this.#pendingBytes -= group.bytes
    this.#pendingMessages -= group.messages.length
  }

  #next(roomBytes: number): Unit | undefined {
    const group = this.#groups[0]
    if (group === undefined || group.bytes > roomBytes) return undefined
    const send = group.send ?? this.#place(group.queue)
    if (send === undefined) return undefined
    this.#groups.shift()
    if (this.#open.get(group.queue) === group) this.#open.delete(group.queue)
    return (group.unit = this.#unit(group, send))
  }

  #place(queue: string): OrderedSend | undefined {
    const number = this.#numbers.take()
    return number === undefined ? undefined : this.#order.add(queue, number)
  }

  #unit(group: Group, send: OrderedSend): Unit {
    const { queue, spread, messages, marks, bytes, waiters, begunMs } = group
    const { sendPatience, sendTimeoutMs = sendPatience.moveMs } = this.#link.context
    const command: CommandOf<'Enqueue'> = {
      type: 'Enqueue',
      queue,
      ...send.number,
      messages,
      ...marks.columns,
      ...(spread === 0 ? undefined : { spread }),
    }
    const close = (): void => {
      this.#numbers.close(send.number)
      this.#forget(group)
    }
    const unit: Unit = {
      command: () => after(command, openBefore(send)),
      messages: messages.length,
      bytes,
      deadlineMs: begunMs + sendTimeoutMs,
      doubt: false,
      order: 0,
      requests: 0,
      done: (ok) => {
        close()
        // An earlier request with it may still wait to be written.
        if (unit.requests === 1) this.#link.context.envelopes?.giveBack(messages)
        this.#order.close(queue, send)
        const { queue: id, first, numbers, spread: news } = ok as Answers['Enqueue']
        if (news !== undefined) this.onSpread(queue, news)
        const all = numbers === undefined ? undefined : rangeNumbers(numbers)
        for (const { offset, count, stored } of waiters)
          stored(
            all === undefined
              ? { queue: id, first: first + offset, count }
              : { queue: id, first: all[offset]!, count, numbers: all.slice(offset, offset + count) },
          )
      },
      failed: (error) => {
        close()
        // Other requests may bring them again, alone or to another partition.
        this.#link.context.envelopes?.leave(messages)
        if (waiters.length > 1 && isOfOneMessage.has(error.id)) return this.#split(group, send)
        this.#order.close(queue, send)
        const reason = reasonOf(queue, unit, error)
        for (const waiter of waiters) waiter.failed(reason)
      },
    }
    return unit
  }

  /** Sends a refused batch again in its place, one by one, so that only the bad message fails. */
  #split(group: Group, refused: OrderedSend): void {
    const numbers: SendNumber[] = []
    for (const waiter of group.waiters) {
      const number = this.#numbers.take()
      if (number === undefined) waiter.failed(tooMuchWaits())
      else numbers.push(number)
    }
    const sends = this.#order.replace(group.queue, refused, numbers)
    const waiters = group.waiters.slice(0, sends.length)
    const groups = waiters.map((waiter, i): Group => {
      const end = waiter.offset + waiter.count
      const messages = group.messages.slice(waiter.offset, end)
      const bytes = messages.reduce((sum, message) => sum + message.length, 0)
      this.#pendingBytes += bytes
      this.#pendingMessages += messages.length
      return this.#group({
        queue: group.queue,
        spread: group.spread,
        messages,
        marks: group.marks.slice(waiter.offset, end),
        bytes,
        waiters: [{ ...waiter, offset: 0 }],
        begunMs: group.begunMs,
        send: sends[i]!,
      })
    })
    this.#groups.unshift(...groups)
  }
}

/** Why a send failed, for its caller: with what is known of whether it is stored. */
const reasonOf = (queue: string, { doubt }: Unit, error: KirokuError): KirokuError => {
  if (!doubt || !isRetryable(error)) return error
  if (error.id === 'NatsUnreachable' || error.id === 'NoQuorum')
    return unavailable(queue, error.message, doubt)
  return new KirokuError('SendUnknown', `No answer for a send to "${queue}": ${error.message}`, {
    cause: error,
  })
}

/** The command with the send that must be stored before it. */
const after = (command: CommandOf<'Enqueue'>, before: OrderedSend | undefined): CommandOf<'Enqueue'> => {
  if (before === undefined) return command
  const { producer, send } = before.number
  return { ...command, after: producer === command.producer ? { send } : { producer, send } }
}

/** Errors of a gathered send that may concern only one of its messages. */
const isOfOneMessage = new Set<ErrorId>(['BodyTooLarge', 'BodyMismatch', 'InvalidArgument'])

/** Whether a group has room for more messages. */
const fits = ({ messages, bytes }: Group, moreMessages: number, moreBytes: number): boolean =>
  messages.length + moreMessages <= partitionLimits.messagesPerSendMax &&
  (messages.length === 0 || bytes + moreBytes <= limits.sendBytesMax)

const tooMuchWaits = (): KirokuError =>
  new KirokuError(
    'Busy',
    `More than ${limits.pendingBytesMax} bytes wait to be sent; await some of the sends`,
  )
