import { defaultQueueConfig, type NoteChanges, type QueueAddress, type QueueConfig } from '@kiroku/protocol'
import type { Life } from './Life.ts'
import type { Stored, StoredBody } from './Stored.ts'

/** One message according to the log. */
export interface Message {
  readonly queue: number
  readonly number: number
  /** What its body says. */
  label: string
  /** Frame that entered it, and the last record that holds its body. */
  readonly seq: number
  bodySeq: number
  enqueuedAt: number
  /** From when its retention counts: from then, or from its first send in another queue. */
  retainedFrom: number
  isFromOriginal: boolean
  /** When it came, in ms of virtual time, and for how long it was to wait then; 0: not at all, or it was moved since. */
  readonly sentMs: number
  delayMs: number
  /** What it was in the queue that it left, where it is a forwarded one. */
  origin: LetterAddress | undefined
  /** Among what a repeat of it is looked for: in the queue, or in a group; undefined: it is not, or not any more. */
  knownIn: string | undefined
  /** The same as it is recorded, which a step of the time after a dispute does not move. */
  recordedAt: number
  /** While it waits for its time: when that is, in ms of partition time; 0: it does not. */
  dueAt: number
  isForwarded: boolean
  /** The generation that it is for, where it is not for all. */
  only: number | undefined
  /** Whether a repeat of it is a new message, since it was recalled or purged. */
  isForgotten: boolean
  /** Whether it was given up while it was delayed: it is never delivered, and yet a repeat of it is one. */
  isGivenUp: boolean
  /** Whether its key was to be deleted. */
  isErased: boolean
  /** Message group or tenant; empty: none. */
  group: string
  /** By subscription generation. */
  readonly lives: Map<number, Life>
}

/** A letter by its lane and its number there. */
interface LetterAddress {
  readonly source: QueueAddress
  readonly lane: string
  readonly forward: number
}

/** One generation of a subscription according to the log. */
export interface Generation {
  readonly id: number
  readonly name: string
  settings: Partial<QueueConfig>
  /** Whether a reset or the end of the subscription made it the past. */
  isOver: boolean
  /** From when and until when its deliveries are held, in ms of partition time; it may be over. */
  held: { readonly since: number; readonly until: number }
  /** Of one that began in the past, while that is restored. */
  past?: Past | undefined
}

/** What a generation is to get of the past. */
interface Past {
  /** Its first message, and the first record of the past. */
  readonly from: number
  readonly readFrom: number
  /** Number that was next when it was opened. */
  readonly until: number
  /** How many messages of each group came back already. */
  readonly restored: Map<string, number>
}

/** One queue according to the log. */
export class QueueLedger {
  readonly partition: number
  readonly id: number
  readonly name: string
  #config: Partial<QueueConfig>
  /** Its notes, and each change that there ever was, as `name=text`. */
  readonly notes = new Map<string, string>()
  readonly noted = new Set<string>()
  /** How often its settings, or those of a subscription, were changed. */
  configured = 0
  isDeleted = false
  /** Of a part of a spread queue: its home. */
  home: QueueAddress | undefined
  readonly messages = new Map<number, Message>()
  readonly generations = new Map<number, Generation>()
  /** Messages by generation and group, in the order in which they became available first. */
  readonly lines = new Map<string, { readonly number: number; readonly life: Life }[]>()

  constructor(partition: number, id: number, name: string, config: Partial<QueueConfig>) {
    this.partition = partition
    this.id = id
    this.name = name
    this.#config = config
    this.open(0, 'main', {})
  }

  /** At this partition time. */
  configure(config: Partial<QueueConfig>, at: number): void {
    const before = this.configOf(0).dedupWindowMs
    this.#config = config
    this.configured++
    // Expired keys stay expired, even if the window is extended.
    const windowMs = Math.min(before, this.configOf(0).dedupWindowMs)
    for (const message of this.messages.values())
      if (at - message.enqueuedAt >= windowMs) message.knownIn = undefined
  }

  note(changes: NoteChanges): void {
    for (const [name, text] of changes) {
      this.noted.add(`${name}=${text}`)
      if (text === null) this.notes.delete(name)
      else this.notes.set(name, text)
    }
  }

  /** Settings that are in force for a generation. */
  configOf(sub: number): QueueConfig {
    return { ...defaultQueueConfig, ...this.#config, ...this.generations.get(sub)?.settings }
  }

  /** `readFrom`: it begins in the past; what waits for its time comes to it by itself. */
  open(id: number, name: string, settings: Partial<QueueConfig>, from = 0, readFrom?: number): void {
    const generation: Generation = { id, name, settings, isOver: false, held: { since: 0, until: 0 } }
    this.generations.set(id, generation)
    if (readFrom === undefined) return
    const until = Math.max(0, ...this.messages.keys()) + 1
    generation.past = { from, readFrom, until, restored: new Map() }
    for (const message of this.messages.values())
      if (message.number >= from && message.dueAt !== 0)
        message.lives.set(id, newLife('Delayed', message.dueAt, message.seq))
  }

  /** A message of the past comes back, behind those that did before and ahead of the newer ones. */
  restore(number: number, sub: number, state: 'Available' | 'Discarded', seq: number): void {
    const message = this.messages.get(number)
    const { past } = this.generations.get(sub)!
    if (message === undefined || past === undefined || message.lives.has(sub) || isNobodys(message))
      throw new Error(`message ${this.id}/${number} is restored to ${sub} at ${seq}, which is wrong`)
    const life = newLife(state, 0, seq)
    message.lives.set(sub, life)
    if (state !== 'Available' || this.configOf(sub).groups === 'none') return
    const before = past.restored.get(message.group) ?? 0
    past.restored.set(message.group, before + 1)
    const key = `${sub} ${message.group}`
    this.lines.set(key, (this.lines.get(key) ?? []).toSpliced(before, 0, { number, life }))
  }

  /**
   * The past is complete: nothing may be missing but what is too old, or whose record or body was in one up to `trimmedTo`;
   * absent: it is unknown what can be read.
   */
  filled(sub: number, at: number, trimmedTo: number | undefined): void {
    const generation = this.generations.get(sub)!
    const { from, readFrom, until } = generation.past!
    generation.past = undefined
    if (trimmedTo === undefined) return
    const { retentionMs, retentionFrom } = this.configOf(sub)
    for (const message of this.messages.values()) {
      const { number, seq, bodySeq, recordedAt, lives, only } = message
      // It counts from a time in another queue, which is not noted here.
      if (message.isForwarded && retentionFrom === 'original') continue
      const isOfIt = number >= from && number < until && seq >= readFrom && only === undefined
      if (isOfIt && !isNobodys(message) && !lives.has(sub) && Math.min(seq, bodySeq) > trimmedTo)
        if (recordedAt + retentionMs > at)
          throw new Error(`message ${this.id}/${number} of record ${seq} is not restored to ${sub}`)
    }
  }

  /** The generation of a subscription that is in force. */
  named(name: string): Generation | undefined {
    for (const generation of this.generations.values())
      if (generation.name === name && !generation.isOver) return generation
    return undefined
  }

  enter(number: number, { label, seq: bodySeq }: StoredBody, { seq, sentMs }: Stored): Message {
    if (this.messages.has(number)) throw new Error(`message ${this.id}/${number} comes in again at ${seq}`)
    const message: Message = {
      queue: this.id,
      number,
      label,
      seq,
      bodySeq,
      enqueuedAt: 0,
      retainedFrom: 0,
      isFromOriginal: false,
      sentMs,
      delayMs: 0,
      origin: undefined,
      knownIn: undefined,
      recordedAt: 0,
      dueAt: 0,
      isForwarded: false,
      only: undefined,
      isForgotten: false,
      isGivenUp: false,
      isErased: false,
      group: '',
      lives: new Map(),
    }
    this.messages.set(number, message)
    return message
  }

  /**
   * Begins its lives, one for each subscription; where it is for `only` another, or does not pass the filter, it ends at once.
   */
  begin(
    message: Message,
    dueAt: number,
    at: number,
    filteredBy: readonly number[] = [],
    only?: number,
  ): void {
    message.enqueuedAt = at
    message.retainedFrom = at
    message.recordedAt = at
    message.dueAt = dueAt
    message.delayMs = dueAt === 0 ? 0 : dueAt - at
    message.only = only
    for (const { id, isOver } of this.generations.values()) {
      if (isOver) continue
      const isFor = !filteredBy.includes(id) && (only === undefined || only === id)
      const state = !isFor ? 'Discarded' : dueAt === 0 ? 'Available' : 'Delayed'
      const life = newLife(state, dueAt, message.seq)
      message.lives.set(id, life)
      if (dueAt === 0) this.lineUp(message, id, life)
    }
  }

  /** It became available for the first time: in an ordered queue that is its place in its group. */
  lineUp({ group, number }: Message, sub: number, life: Life): void {
    if (this.configOf(sub).groups === 'none') return
    const key = `${sub} ${group}`
    const line = this.lines.get(key)
    if (line === undefined) this.lines.set(key, [{ number, life }])
    else line.push({ number, life })
  }
}

/** Whether it does not come to who begins in the past. */
const isNobodys = ({ isForgotten, isGivenUp }: Message): boolean => isForgotten || isGivenUp

const newLife = (state: Life['state'], dueAt: number, sinceSeq: number): Life => ({
  state,
  attempt: 0,
  attemptsMax: 0,
  delivery: 0,
  leaseUntil: 0,
  dueAt,
  pausedMs: 0,
  pauseMs: 0,
  leasedMs: 0,
  isExtended: false,
  sinceSeq,
})
