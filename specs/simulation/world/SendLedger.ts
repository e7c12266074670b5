import { limits } from '@kiroku/protocol'
import type { Stored } from './Stored.ts'

/** Where the messages of a send lie. */
export interface SendPlace {
  readonly queue: number
  /** In their order; those that were sent before have the number that they got then. */
  numbers: number[]
  /** Whether the log said all of it in one fact. */
  isWhole: boolean
  readonly seq: number
  /** Where it was stored before, longer ago than is remembered. */
  readonly earlier: SendPlace | undefined
}

/** A producer: when it last sent, in ms of partition time, and the first record since which it may be remembered. */
interface Sender {
  lastAt: number
  readonly newSince: number
}

/** What the log of one partition says of sends and those who sent. */
export class SendLedger {
  /** Contents of sends that were stored again, since they were forgotten. */
  readonly again = new Set<string>()
  readonly #places = new Map<string, SendPlace>()
  readonly #senders = new Map<string, Sender>()

  /** @param send its producer and number */
  get(send: string): SendPlace | undefined {
    return this.#places.get(send)
  }

  /** What is known of a send, all of whose facts stand in one frame. */
  place(frame: Stored, e: { producer: string; send: number; queue: number }): SendPlace {
    const { seq } = frame
    const key = `${e.producer} ${e.send}`
    const known = this.#places.get(key)
    if (known?.seq === seq) return known
    const { newSince } = this.heard(frame, e.producer)
    if (known !== undefined && known.seq >= newSince)
      throw new Error(`send ${key} is stored at ${known.seq} and again at ${seq}`)
    const place: SendPlace = {
      queue: e.queue,
      numbers: [],
      isWhole: false,
      seq,
      earlier: known,
    }
    this.#places.set(key, place)
    return place
  }

  /** Notes that a producer sent: one that was silent for longer than is remembered counts as new. */
  heard({ seq, record: { at } }: Stored, producer: string): Sender {
    const before = this.#senders.get(producer)
    const isNew = before !== undefined && at - before.lastAt >= limits.producerIdleMs
    const sender = { lastAt: at, newSince: isNew ? seq : (before?.newSince ?? 0) }
    this.#senders.set(producer, sender)
    return sender
  }

  /** Partition time made a step: who sent since `from` is not older by it. */
  stepped(from: number, gapMs: number): void {
    for (const sender of this.#senders.values()) if (sender.lastAt >= from) sender.lastAt += gapMs
  }
}
