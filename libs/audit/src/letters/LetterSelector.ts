import { pushRange, type Ranges, type RedriveFilter } from '@kiroku/protocol'
import type { Filter } from '../filter/Filter.ts'
import { passesFilter } from '../filter/passesFilter.ts'
import type { DeadLetter } from './DeadLetter.ts'
import { DeadLetters } from './DeadLetters.ts'
import { filteredLetter } from './filteredLetter.ts'

/** Which dead letters to select; they must match everything given. */
export interface LetterSelection {
  /** Name of a group, or the beginning of one. */
  readonly group?: string
  readonly where?: Filter
  /** Ids of messages. */
  readonly messages?: readonly string[]
  readonly filter?: RedriveFilter
}

/** Selects dead letters and gathers their numbers. */
export class LetterSelector {
  readonly #queue: string
  readonly #selector: LetterSelection
  readonly #ids: ReadonlySet<string> | undefined
  readonly #letters = new DeadLetters()
  readonly #numbers: number[] = []

  constructor(queue: string, selector: LetterSelection) {
    this.#queue = queue
    this.#selector = selector
    this.#ids = selector.messages && new Set(selector.messages)
  }

  /** Their numbers as a redrive takes them: in parts of up to `rangesMax` ranges. */
  parts(rangesMax: number): Ranges[] {
    const all: Ranges = []
    for (const n of this.#numbers.sort((a, b) => a - b)) pushRange(all, n, 1)
    const parts: Ranges[] = []
    for (let i = 0; i < all.length; i += 2 * rangesMax) parts.push(all.slice(i, i + 2 * rangesMax))
    return parts
  }

  accept(letter: DeadLetter): void {
    if (this.#picks(letter)) this.#numbers.push(letter.number)
  }

  #picks(letter: DeadLetter): boolean {
    const { group, filter, where } = this.#selector
    if (this.#ids !== undefined && !this.#ids.has(letter.messageId) && !this.#ids.has(letter.placeId))
      return false
    if (group !== undefined && !this.#letters.groupOf(letter).startsWith(group)) return false
    if (where !== undefined && !passesFilter(where, filteredLetter(letter, this.#queue))) return false
    if (filter === undefined) return true
    const { tag, cause, error, attributes, enqueuedAfter, enqueuedBefore } = filter
    if (tag !== undefined && (letter.tag ?? '') !== tag) return false
    if (cause !== undefined && letter.cause !== cause) return false
    if (error !== undefined && !letter.error.includes(error)) return false
    if (enqueuedAfter !== undefined && letter.at < enqueuedAfter) return false
    if (enqueuedBefore !== undefined && letter.at >= enqueuedBefore) return false
    return Object.entries(attributes ?? {}).every(([name, value]) => letter.attributes[name] === value)
  }
}
