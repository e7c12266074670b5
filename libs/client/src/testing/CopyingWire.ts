import { type Command, type ErrorId, KirokuError, type Reply } from '@kiroku/protocol'
import type { ManualTime } from '@kiroku/testkit'
import type { MemoryEngine } from '@kiroku/testkit/engine'
import { inProcess, type Transport } from '../index.ts'

/** What becomes of a request with sends. */
export interface Fate {
  /**
   * `answered`; `unanswered`: stored, but its answer is lost; `stuck`: not read before the test ends, but given up at once;
   * `silent`: the same, and not given up; `refused`: as if one of its messages were too large; `moved`: as if its queue were
   * elsewhere.
   */
  readonly how: 'answered' | 'unanswered' | 'stuck' | 'silent' | 'refused' | 'moved'
  /** How long it takes until it is read, and from then on until its answer is there, in ms. */
  readonly readAfterMs: number
  readonly answeredAfterMs: number
}

/** Messages of a request: what it carries, and what that was at first. */
class Carried {
  readonly #messages: readonly Uint8Array[]
  readonly #first: readonly Uint8Array[]

  constructor(commands: readonly Command[]) {
    this.#messages = commands.flatMap((command) => (command.type === 'Enqueue' ? command.messages : []))
    this.#first = this.#messages.map((message) => message.slice())
  }

  get memory(): readonly Uint8Array[] {
    return this.#messages
  }

  /** Messages that are not what they were. */
  get changed(): number {
    return this.#messages.filter((message, i) => Buffer.compare(message, this.#first[i]!) !== 0).length
  }
}

/**
 * The way to an engine as over a wire: owners get copies of what a request carries, which may be made late, and of a request
 * that was given up not before everything else is done.
 */
export class CopyingWire {
  /** Messages that changed before they were read for the last time. */
  changed = 0
  /** Messages that lay where an earlier one had lain. */
  reused = 0
  /** Memory that messages lay in. */
  readonly memory = new Set<ArrayBufferLike>()
  readonly transport: Transport
  readonly #time: ManualTime | undefined
  readonly #fates: readonly Fate[]
  readonly #unread: Carried[] = []
  /** Sends that were stored, though their sender may not know: they cannot be refused any more. */
  readonly #stored = new Set<string>()
  readonly #places = new Map<ArrayBufferLike, Map<number, Uint8Array>>()
  #requests = 0

  /** @param fates of the requests with sends, in their order; those after that are answered at once */
  constructor(engine: MemoryEngine, time?: ManualTime, fates: readonly Fate[] = []) {
    this.#time = time
    this.#fates = fates
    const inside = inProcess(engine.node())
    this.transport = {
      ...inside,
      copies: true,
      request: (partition, commands, options) =>
        commands.some(({ type }) => type === 'Enqueue')
          ? this.#request(commands, (copied) => inside.request(partition, copied, options))
          : inside.request(partition, commands, options),
    }
  }

  /** The wire ends: what waits is read. */
  end(): void {
    for (const carried of this.#unread.splice(0)) this.changed += carried.changed
  }

  async #request(
    commands: readonly Command[],
    pass: (commands: readonly Command[]) => Promise<Reply>,
  ): Promise<Reply> {
    const carried = new Carried(commands)
    this.#note(carried.memory)
    const fate = this.#fates[this.#requests++]
    if (fate?.how === 'silent' || fate?.how === 'stuck') {
      this.#unread.push(carried)
      return fate.how === 'stuck' ? Promise.reject(lost()) : new Promise(() => {})
    }
    await this.#passes(fate?.readAfterMs)
    const refused = refusals[fate?.how ?? 'answered']
    const names = commands.map(nameOf)
    const reply =
      refused !== undefined && !names.some((name) => this.#stored.has(name))
        ? refusal(commands, refused)
        : await pass(commands.map(copyOf))
    reply.answers.forEach(({ error }, i) => error === undefined && this.#stored.add(names[i]!))
    if (fate?.how === 'unanswered') {
      this.#unread.push(carried)
      throw lost()
    }
    await this.#passes(fate?.answeredAfterMs)
    this.changed += carried.changed
    return reply
  }

  async #passes(ms = 0): Promise<void> {
    if (ms > 0) await this.#time?.sleep(ms)
  }

  #note(messages: readonly Uint8Array[]): void {
    for (const message of messages) {
      this.memory.add(message.buffer)
      const places = this.#places.get(message.buffer) ?? new Map<number, Uint8Array>()
      this.#places.set(message.buffer, places)
      const before = places.get(message.byteOffset)
      if (before !== undefined && before !== message) this.reused++
      places.set(message.byteOffset, message)
    }
  }
}

const lost = (): KirokuError => new KirokuError('Timeout', 'Lost on the way', { retryAfterMs: 0 })

const refusals: Partial<Record<Fate['how'], ErrorId>> = { refused: 'BodyTooLarge', moved: 'UnknownQueue' }

const nameOf = (command: Command): string =>
  command.type === 'Enqueue' ? `${command.producer} ${command.send}` : ''

const refusal = (commands: readonly Command[], id: ErrorId): Reply => {
  const error = new KirokuError(id, 'Refused on the way').toWire()
  return { epoch: 0, seq: 0, answers: commands.map(() => ({ error })) }
}

const copyOf = (command: Command): Command =>
  command.type === 'Enqueue'
    ? { ...command, messages: command.messages.map((message) => message.slice()) }
    : command
