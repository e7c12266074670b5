import { blockEntry, entryOf, groupEntry, isSealed, keyIn, messageKeyName, readSealed } from '@kiroku/log'
import type { Answers, LogEvent, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { Message } from '../world/QueueLedger.ts'
import type { Stored } from '../world/Stored.ts'
import { labelOf } from '../world/Truth.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

type Erased = Extract<LogEvent, { type: 'Erased' }>

/** What an erasure is about: messages, and the keys that are to be gone. */
interface Erasure {
  readonly seq: number
  readonly messages: readonly Message[]
  readonly keys: readonly Buffer[]
  isDone: boolean
}

/**
 * Once an erasure is answered, its keys are nowhere in the key store, not even in earlier values of an entry, what was
 * erased is final, and no reply holds it any more, from whatever queue. No message is discarded as erased that is not.
 */
export class ErasuresChecker implements Checker {
  readonly name = 'erasures'
  readonly #world: World
  /** By partition and erasure. */
  readonly #erasures = new Map<string, Erasure>()
  /** Keys that messages of a group were stored with, by entry and name. */
  readonly #used = new Map<string, Map<string, Buffer>>()
  /** Contents of messages that must no longer be delivered, and where they were stored. */
  readonly #gone = new Map<string, { readonly partition: number; readonly seq: number }>()

  constructor(world: World) {
    this.#world = world
  }

  moving({ frame, event, queue, message }: Move): void {
    if (event.type !== 'Discarded' || event.reason !== 'erased' || message.isErased) return
    // A dead letter went on with the key of where it came from.
    if (message.isForwarded || this.#world.hurts.size > 0) return
    throw this.#object(
      `${frame.partition}/${queue.id}/${message.number} is discarded at ${frame.seq} as erased, and is not`,
    )
  }

  stored({ partition, seq, record }: Stored): void {
    for (const e of record.events)
      if (e.type === 'Erased')
        this.#erasures.set(`${partition} ${e.erasure}`, {
          seq,
          messages: this.#messagesOf(partition, e),
          keys: this.#keysOf(partition, e),
          isDone: false,
        })
      else if (e.type === 'KeysDeleted') {
        const found = this.#erasures.get(`${partition} ${e.erasure}`)
        if (found !== undefined) found.isDone = true
      }
    // What the same frame stored behind an erasure is not meant.
    for (const { bodies } of record.sections)
      for (const body of bodies) if (body instanceof Uint8Array && isSealed(body)) this.#noteKeys(body)
  }

  #noteKeys(body: Uint8Array): void {
    for (const name of readSealed(body).head.keys) {
      if (!name.startsWith('g.')) continue
      const entry = entryOf(name)!
      const value = this.#world.log.keys.peek(entry)
      const key = value && keyIn(name, value)
      if (key === undefined) continue
      const used = this.#used.get(entry) ?? new Map<string, Buffer>()
      this.#used.set(entry, used.set(name, Buffer.from(key)))
    }
  }

  #messagesOf(partition: number, { queue, numbers, group }: Erased): Message[] {
    const { messages } = this.#world.truth.ledgers[partition]!.queues.get(queue)!
    // What the same frame stored behind it is not meant.
    if (group !== undefined) return [...messages.values()].filter((m) => m.group === group && m.isErased)
    return [...each(numbers!)].flatMap((n) => messages.get(n) ?? [])
  }

  #keysOf(partition: number, { queue, numbers, group }: Erased): Buffer[] {
    const { keys } = this.#world.log
    if (group !== undefined) return [...(this.#used.get(groupEntry(partition, queue, group))?.values() ?? [])]
    return [...each(numbers!)].flatMap((n) => {
      const value = keys.peek(blockEntry(partition, queue, n))
      const found = value && keyIn(messageKeyName(partition, queue, n), value)
      return found === undefined ? [] : [Buffer.from(found)]
    })
  }

  left({ partition, commands }: Exchange, reply: Reply): void {
    for (const [i, { ok }] of reply.answers.entries()) {
      if (ok === undefined) continue
      if ('delivery' in ok && typeof ok.delivery === 'object')
        for (const message of ok.delivery.messages) this.#mustNotBeGone(labelOf(message), partition)
      if (commands[i]!.type === 'Erase') this.#answered(partition, ok as Answers['Erase'])
    }
  }

  #mustNotBeGone(label: string, partition: number): void {
    // Its send was stored again, since it was forgotten: that is another message.
    const isAgain = this.#world.truth.ledgers.some(({ sends }) => sends.again.has(label))
    if (this.#gone.has(label) && !isAgain)
      throw this.#object(`partition ${partition} delivers "${label}" after it was erased`)
  }

  #answered(partition: number, { erasure }: Answers['Erase']): void {
    const found = this.#erasures.get(`${partition} ${erasure}`)
    if (found === undefined)
      throw this.#object(`erasure ${erasure} of partition ${partition} is answered and not stored`)
    const stored = this.#world.log.keys.stored.map((value) => Buffer.from(value))
    for (const key of found.keys)
      if (stored.some((value) => value.includes(key)))
        throw this.#object(
          `erasure ${erasure} of partition ${partition} is answered, and a key is still stored`,
        )
    for (const { queue, number, label, seq, lives, isForwarded } of found.messages) {
      // What is left of a copy's lineage elsewhere is not its.
      if (!isForwarded) this.#gone.set(label, { partition, seq })
      // What comes back of the past since then is discarded when it is to be delivered.
      for (const { state, sinceSeq } of lives.values())
        if (!isFinal(state) && sinceSeq <= found.seq)
          throw this.#object(`${partition}/${queue}/${number} is ${state} although it was erased`)
    }
  }

  ended(): void {
    for (const [key, { isDone }] of this.#erasures) {
      const partition = Number(key.split(' ')[0])
      if (!isDone && !this.#world.hurts.has(partition))
        throw this.#object(`erasure ${key.split(' ')[1]} of partition ${partition} never deleted its keys`)
    }
  }

  givenUp(partition: number, from: number): void {
    for (const [key, { seq }] of this.#erasures)
      if (key.startsWith(`${partition} `) && seq >= from) this.#erasures.delete(key)
    // A send that was given up may be repeated, and is another message then.
    for (const [label, place] of this.#gone)
      if (place.partition === partition && place.seq >= from) this.#gone.delete(label)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
