import { isSealed, lock, readSealed, writeSealed, type BodyRef } from '@kiroku/log'
import {
  storedPlaces,
  type PartitionState,
  type QueueState,
  type Turn,
  type Ownership,
} from '@kiroku/partition'
import { rangeTotal, decodeEnvelope, KirokuError } from '@kiroku/protocol'
import type { Bringing } from '../actor/Mailbox.ts'
import { sha256 } from '../sha256.ts'
import { lineageBytesMax } from '../append/Sizes.ts'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import { limits } from '../limits.ts'
import type { KeyRing, EncryptionKey } from './KeyRing.ts'
import type { OwnerTask } from '../tasks/OwnerTask.ts'

/**
 * Encrypts what a frame brings into an erasable queue, with keys that are stored before it. Commands whose keys are not
 * in memory wait, and those behind them in their queue with them; other queues do not notice. Called by the turn loop only,
 * but for `writesLate` and `growth`, which the intake asks too.
 */
export class BodyCipher implements OwnerTask {
  readonly #ring: KeyRing
  readonly #writer: Pick<LargeBodyWriter, 'replace'>
  #state: PartitionState | undefined

  constructor(ring: KeyRing, writer: Pick<LargeBodyWriter, 'replace'>) {
    this.#ring = ring
    this.#writer = writer
  }

  begin({ state }: Pick<Ownership, 'state'>): void {
    this.#state = state
  }

  end(): void {
    this.#state = undefined
  }

  /** Queue into which a command brings bodies, if it exists. */
  #queueOf(command: Bringing['command']): QueueState | undefined {
    return command.type === 'Enqueue'
      ? this.#state!.names.get(command.queue)
      : this.#state!.queues.get(command.target)
  }

  /** Whether large bodies of a command must not go anywhere before it is its turn. */
  writesLate(command: Bringing['command']): boolean {
    const queue = this.#queueOf(command)
    return queue === undefined || queue.config.erasable !== 'none'
  }

  /** Bytes by which the bodies of a command grow when they are encrypted, at most. */
  growth(command: Bringing['command']): number {
    if (!this.writesLate(command)) return 0
    let bytes = command.messages.length * limits.encryptedBytes
    // What comes from elsewhere keeps its lineage readable next to the encrypted copy of it.
    if (command.type === 'Forward')
      for (const { length } of command.messages) bytes += Math.min(length, lineageBytesMax)
    for (const group of command.groups ?? []) bytes += 3 * group.length
    for (const tag of command.tags ?? []) bytes += 3 * tag.length
    return bytes
  }

  /**
   * What a command still waits for before it can be decided.
   * @param now partition time of the turn, in ms
   */
  look(mail: Bringing, now: number): Promise<void> | undefined {
    const queue = this.#queueOf(mail.command)
    if (queue === undefined) return undefined
    const { erasable } = queue.config
    if (mail.command.type === 'Forward') {
      const elsewhere = this.#ring.missingElsewhere(namesIn(mail.command.messages))
      if (elsewhere.length > 0) return this.#ring.touch(elsewhere)
    }
    if (erasable === 'none' && mail.writesLate !== true) return undefined
    if (erasable !== 'none') {
      const missing =
        erasable === 'message'
          ? this.#ring.missingBlocks(queue, mail.command.messages.length)
          : this.#ring.missingGroups(queue, groupsOf(mail))
      if (missing.length > 0) return this.#ring.provide(missing)
    }
    return mail.writesLate === true || mail.write !== undefined
      ? this.#lookLarge(mail, queue, now)
      : undefined
  }

  /** Large bodies are encrypted before they get records of their own: that holds as long as their keys are the right ones. */
  #lookLarge(mail: Bringing, queue: QueueState, now: number): Promise<void> | undefined {
    const { command } = mail
    if (queue.config.erasable === 'none')
      return mail.write === undefined || mail.encryptedWith !== undefined
        ? this.#replace(mail, undefined, command.messages)
        : undefined
    const isForward = command.type === 'Forward'
    const places = storedPlaces(this.#state!, queue, command, sha256, now)
    const keys = places.map((place, i) =>
      place < 0 ? undefined : this.#keyOf(queue, queue.nextNumber + place, groupOf(mail, i)),
    )
    const names = keys.map((key) => key?.name)
    if (mail.encryptedWith?.join() === names.join()) return undefined
    const messages = command.messages.map((message, i) => {
      const key = keys[i]
      return key === undefined ? nothing : encrypt(message, key, isForward, groupOf(mail, i), tagOf(mail, i))
    })
    return this.#replace(mail, names, messages)
  }

  async #replace(
    mail: Bringing,
    encryptedWith: readonly (string | undefined)[] | undefined,
    messages: readonly Uint8Array[],
  ): Promise<void> {
    mail.encryptedWith = encryptedWith
    await this.#writer.replace(mail, messages)
  }

  #keyOf(queue: QueueState, number: number, group: string): EncryptionKey {
    const key =
      queue.config.erasable === 'message'
        ? this.#ring.ofMessage(queue, number)
        : this.#ring.ofGroup(queue, group)
    if (key === undefined)
      throw new KirokuError('Internal', `there is no key for message ${number} of queue "${queue.name}"`)
    return key
  }

  /** Encrypts what was decided in a turn, before it is written. */
  encrypt(turn: Turn<BodyRef>): void {
    for (const { queue: id, bodies } of turn.sections.values()) {
      const queue = turn.state.queues.get(id)
      if (queue === undefined || queue.config.erasable === 'none') continue
      let i = 0
      for (const e of turn.events) {
        if (e.type === 'LettersCarried' && e.source === id) i += rangeTotal(e.forwards)
        if (!('queue' in e) || e.queue !== id) continue
        if (e.type === 'BodiesCarried') i += rangeTotal(e.numbers)
        if (e.type !== 'Enqueued' && e.type !== 'ForwardReceived') continue
        for (let n = e.first; n < e.first + e.count; n++, i++) {
          const body = bodies[i]!
          if (!(body instanceof Uint8Array)) continue
          const { group = '', tag = '' } = e
          bodies[i] = encrypt(body, this.#keyOf(queue, n, group), e.type === 'ForwardReceived', group, tag)
        }
      }
    }
  }
}

/** Stands for a message that is not stored again. */
const nothing = new Uint8Array(1)

/** What came from elsewhere brings its lineage, and maybe the keys under which it was stored there. */
const encrypt = (
  message: Uint8Array,
  { name, key }: EncryptionKey,
  isForward: boolean,
  group: string,
  tag: string,
): Uint8Array => {
  if (isForward && isSealed(message)) {
    const { head, box } = readSealed(message)
    return writeSealed({ head: { ...head, keys: [name, ...head.keys] }, box: lock(box, name, key) })
  }
  const lineage = isForward ? decodeEnvelope(message).meta.lineage : undefined
  const meta = {
    ...(group === '' ? {} : { group }),
    ...(tag === '' ? {} : { tag }),
    ...(lineage === undefined ? {} : { lineage }),
  }
  const isBare = group === '' && tag === '' && lineage === undefined
  return writeSealed({
    head: isBare ? { keys: [name] } : { keys: [name], meta },
    box: lock(message, name, key),
  })
}

function* namesIn(messages: readonly Uint8Array[]): Generator<string> {
  for (const message of messages) if (isSealed(message)) yield* readSealed(message).head.keys
}

const groupsOf = (mail: Bringing): string[] => mail.command.messages.map((_, i) => groupOf(mail, i))

const groupOf = ({ command }: Bringing, i: number): string => command.groups?.[i] ?? ''
const tagOf = ({ command }: Bringing, i: number): string => command.tags?.[i] ?? ''
