import {
  type Answers,
  bodyOf,
  type CommandOf,
  dedupKeyBytes,
  type LogEvent,
  type QueueConfig,
} from '@kiroku/protocol'
import { numbersOf } from './TestPartition.ts'

/** Holds the keys on record against what senders said: two messages of a queue have one key exactly if they are the same. */
export class TestRepeats {
  /** Keys by queue and number. */
  readonly #keys = new Map<string, string>()
  /** Keys by queue and what makes a message the same, and the other way. */
  readonly #keyOf = new Map<string, string>()
  readonly #meaning = new Map<string, string>()

  /** Reads one frame. */
  read(events: readonly LogEvent[]): void {
    for (const e of events)
      if (e.type === 'Enqueued' && e.keys !== undefined)
        for (let i = 0; i < e.count; i++) this.#keys.set(`${e.queue}/${e.first + i}`, keyText(e.keys, i))
  }

  /** Looks at the answer of a send to a queue whose repeats are looked for within `scope`. */
  hold(command: CommandOf<'Enqueue'>, answer: Answers['Enqueue'], scope: QueueConfig['dedupScope']): void {
    const { messages, dedupIds, groups } = command
    const { queue, numbers = [answer.first, answer.count] } = answer
    const given = numbersOf(numbers)
    if (given.length !== messages.length) throw new Error('an answer without a number for each message')
    for (const [i, n] of given.entries()) {
      const key = this.#keys.get(`${queue}/${n}`)
      if (key === undefined) continue
      const id = dedupIds?.[i] ?? ''
      const same = id === '' ? `body ${bodyOf(messages[i]!).join()}` : `id ${id}`
      const meaning = scope === 'group' ? `${groups?.[i] ?? ''} ${same}` : same
      agree(this.#keyOf, `${queue} ${meaning}`, key)
      agree(this.#meaning, `${queue} ${key}`, meaning)
    }
  }
}

/** The key of one message as text. */
export const keyText = (keys: Uint8Array, i: number): string =>
  keys.subarray(i * dedupKeyBytes, (i + 1) * dedupKeyBytes).join()

const agree = (known: Map<string, string>, name: string, value: string): void => {
  if ((known.get(name) ?? value) !== value) throw new Error(`${name} has two keys, or a key two meanings`)
  known.set(name, value)
}
