import { defaultQueueConfig, type QueueConfig } from '@kiroku/partition'
import type { Life } from './Life.ts'

/** One message as the log tells it. */
export interface Message {
  readonly queue: number
  readonly number: number
  /** What its body says. */
  readonly label: string
  /** Frame that entered it, and the last one that holds its body. */
  readonly seq: number
  bodySeq: number
  enqueuedAt: number
  isForwarded: boolean
  /** Whether a repeat of it is a new message, since it was recalled or purged. */
  isForgotten: boolean
  /** Message group or tenant; empty: none. */
  group: string
  /** By subscription generation. */
  readonly lives: Map<number, Life>
}

/** One generation of a subscription as the log tells it. */
export interface Generation {
  readonly id: number
  readonly name: string
  settings: Partial<QueueConfig>
  /** Whether a reset or the end of the subscription made it the past. */
  isOver: boolean
}

/** One queue as the log tells it. */
export class QueueLedger {
  readonly partition: number
  readonly id: number
  readonly name: string
  #config: Partial<QueueConfig>
  /** How often its settings, or those of a subscription, were changed. */
  configured = 0
  isDeleted = false
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

  configure(config: Partial<QueueConfig>): void {
    this.#config = config
    this.configured++
  }

  /** Settings that are in force for a generation. */
  configOf(sub: number): QueueConfig {
    return { ...defaultQueueConfig, ...this.#config, ...this.generations.get(sub)?.settings }
  }

  open(id: number, name: string, settings: Partial<QueueConfig>): void {
    this.generations.set(id, { id, name, settings, isOver: false })
  }

  /** The generation of a subscription that is in force. */
  named(name: string): Generation | undefined {
    for (const generation of this.generations.values())
      if (generation.name === name && !generation.isOver) return generation
    return undefined
  }

  enter(number: number, label: string, seq: number): Message {
    if (this.messages.has(number)) throw new Error(`message ${this.id}/${number} comes in again at ${seq}`)
    const message: Message = {
      queue: this.id,
      number,
      label,
      seq,
      bodySeq: seq,
      enqueuedAt: 0,
      isForwarded: false,
      isForgotten: false,
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
