import { fingerprintOf } from '@kiroku/protocol'
import type { DeadLetter, DeadLetterGroup } from './DeadLetter.ts'
import { headOf, payloadOf, withoutText, type BodyHead } from './payloadOf.ts'

const samplesMax = 5

interface Gathered {
  readonly cause: string
  readonly fingerprint: string
  readonly form: string
  count: number
  inflight: number
  cameBack: number
  cameBackMost: number
  readonly origins: Map<string, number>
  firstAt: number
  /** Ids of the newest by time, latest first. */
  readonly youngest: { readonly at: number; readonly messageId: string }[]
  lastAt: number
  error: string
  head: BodyHead
  isHidden: boolean
}

/** Gathers dead letters into groups of one kind. Feed it those of one queue, in any order. */
export class DeadLetters {
  readonly #groups = new Map<string, Gathered>()
  /** Groups seen so far: many letters have the same error. */
  readonly #known = new Map<string, string>()
  /** Names of groups by cause and form. */
  readonly #names = new Map<string, string>()
  #count = 0

  /** All that were fed. */
  get count(): number {
    return this.#count
  }

  accept(letter: DeadLetter): void {
    const group = this.groupOf(letter)
    let into = this.#groups.get(group)
    if (into === undefined) {
      into = {
        cause: letter.cause,
        fingerprint: fingerprintOf(letter.error).id,
        form: fingerprintOf(letter.error).form,
        count: 0,
        inflight: 0,
        cameBack: 0,
        cameBackMost: 0,
        origins: new Map(),
        firstAt: letter.at,
        youngest: [],
        lastAt: letter.at,
        error: letter.error,
        head: headOf(letter),
        isHidden: false,
      }
      this.#groups.set(group, into)
    }
    this.#count++
    into.count++
    if (letter.state === 'Inflight') into.inflight++
    if (letter.cameBack > 0) into.cameBack++
    into.cameBackMost = Math.max(into.cameBackMost, letter.cameBack)
    into.firstAt = Math.min(into.firstAt, letter.at)
    const origin = letter.origin?.queue
    if (origin !== undefined) into.origins.set(origin, (into.origins.get(origin) ?? 0) + 1)
    keepYoungest(into.youngest, letter)
    if (letter.at < into.lastAt) return
    into.lastAt = letter.at
    into.error = letter.error
    into.head = headOf(letter)
    into.isHidden = letter.hidden !== undefined
  }

  /** Name of a letter's group. */
  groupOf({ cause, error }: Pick<DeadLetter, 'cause' | 'error'>): string {
    const key = `${cause}\n${error}`
    let group = this.#known.get(key)
    if (group === undefined) {
      const { form } = fingerprintOf(error)
      const kind = `${cause}\n${form}`
      group = this.#names.get(kind) ?? nameOf(cause, form)
      this.#names.set(kind, group)
      if (this.#known.size < 10_000) this.#known.set(key, group)
    }
    return group
  }

  /** Groups, largest first. */
  get groups(): DeadLetterGroup[] {
    return [...this.#groups]
      .map(([group, { origins, youngest, head, isHidden, ...rest }]) => ({
        group,
        ...rest,
        origins: [...origins]
          .map(([queue, count]) => ({ queue, count }))
          .sort((a, b) => b.count - a.count || (a.queue < b.queue ? -1 : 1)),
        samples: youngest.map(({ messageId }) => messageId),
        payload: isHidden ? withoutText(payloadOf(head)) : payloadOf(head),
        ...(isHidden ? { hidden: true as const } : {}),
      }))
      .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt || (a.group < b.group ? -1 : 1))
  }
}

/** Eight hex digits: one cause, and one form of the error. */
export const groupName = (cause: string, error: string): string => nameOf(cause, fingerprintOf(error).form)

const nameOf = (cause: string, form: string): string => fingerprintOf(`(${cause}) ${form}`).id.slice(-8)

const keepYoungest = (youngest: Gathered['youngest'], { at, messageId }: DeadLetter): void => {
  if (youngest.length === samplesMax && at < youngest.at(-1)!.at) return
  let place = youngest.length
  while (place > 0 && youngest[place - 1]!.at <= at) place--
  youngest.splice(place, 0, { at, messageId })
  if (youngest.length > samplesMax) youngest.pop()
}
