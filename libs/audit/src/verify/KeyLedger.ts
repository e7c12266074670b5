import { entryOf, groupEntry, keyIn, messageKeyName, readSealed } from '@kiroku/log'
import { eachNumber, type LogEvent } from '@kiroku/protocol'

/** A problem with the keys of one entry. */
export interface KeyProblem {
  /** Partition and id of the queue whose keys they are. */
  readonly partition: number
  readonly queue: number
  readonly entry: string
  /** `lost`: gone without an erasure. `left`: erased by the record, but still stored. */
  readonly kind: 'lost' | 'left'
  /** How many. */
  readonly keys: number
  readonly message: string
}

/** Keys of one entry as the record has them. */
interface Kept {
  /** Names of keys that messages on record need, and whether the record says that each is deleted. */
  readonly names: Map<string, boolean>
  /** When the last message that needs one arrived, in ms of partition time. */
  lastAt: number
}

/** Which keys messages on record need, and which ones are erased. Feed it every partition's records in order. */
export class KeyLedger {
  readonly #entries = new Map<string, Kept>()
  /** Names by erasures whose keys are not deleted yet. */
  readonly #open = new Map<string, string[]>()
  /** Names under which another key is stored than the one that a message on record was encrypted with. */
  readonly #wrong = new Set<string>()
  messages = 0

  /** Entries that messages on record need. */
  get entries(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Takes an encrypted body. @param wrong name of a key that is stored and does not open it; undefined: none was found */
  body(body: Uint8Array, at: number, wrong: string | undefined): void {
    this.messages++
    if (wrong !== undefined) this.#wrong.add(wrong)
    for (const name of readSealed(body).head.keys) {
      const kept = this.#keptBy(entryOf(name) ?? name)
      if (!kept.names.has(name)) kept.names.set(name, false)
      kept.lastAt = Math.max(kept.lastAt, at)
    }
  }

  /** Takes a fact of a partition. */
  event(e: LogEvent, partition: number): void {
    if (e.type === 'Erased') {
      const names: string[] = []
      if (e.group === undefined)
        eachNumber(e.numbers ?? [], (n) => names.push(messageKeyName(partition, e.queue, n)))
      else {
        const entry = groupEntry(partition, e.queue, e.group)
        for (const name of this.#keptBy(entry).names.keys())
          if (name !== `${entry}.${e.key}`) names.push(name)
      }
      this.#open.set(`${partition}/${e.erasure}`, names)
    }
    if (e.type === 'KeysDeleted') {
      for (const name of this.#open.get(`${partition}/${e.erasure}`) ?? [])
        this.#keptBy(entryOf(name)!).names.set(name, true)
      this.#open.delete(`${partition}/${e.erasure}`)
    }
  }

  #keptBy(entry: string): Kept {
    let kept = this.#entries.get(entry)
    if (kept === undefined) this.#entries.set(entry, (kept = { names: new Map(), lastAt: 0 }))
    return kept
  }

  /**
   * Compares an entry with what is stored of it. Messages older than its partition's record are not judged.
   * @param value what is stored; undefined: nothing
   * @param keptSince earlier messages may have no entry, since it expired
   */
  problems(
    entry: string,
    value: Uint8Array | undefined,
    isWhole: (partition: number) => boolean,
    keptSince: number,
  ): KeyProblem[] {
    const { names, lastAt } = this.#entries.get(entry)!
    const [, p, q] = entry.split('.')
    const place = { partition: Number(p), queue: Number(q), entry }
    const underWay = new Set([...this.#open.values()].flat())
    const lost: string[] = []
    const left: string[] = []
    for (const [name, isErased] of names) {
      const isThere = value !== undefined && keyIn(name, value) !== undefined
      if (isErased && isThere) left.push(name)
      else if (isErased || underWay.has(name)) continue
      else if (isThere && this.#wrong.has(name)) lost.push(name)
      else if (isThere) continue
      else if (value === undefined ? lastAt >= keptSince : isWhole(place.partition)) lost.push(name)
    }
    const of = `queue ${place.queue} of partition ${place.partition}`
    return [
      ...problem(place, 'lost', lost, `keys of ${of} are lost without an erasure: ${shown(lost)}`),
      ...problem(place, 'left', left, `keys of ${of} were erased, but are there again: ${shown(left)}`),
    ]
  }
}

const problem = (
  place: Pick<KeyProblem, 'partition' | 'queue' | 'entry'>,
  kind: KeyProblem['kind'],
  names: readonly string[],
  message: string,
): KeyProblem[] => (names.length === 0 ? [] : [{ ...place, kind, keys: names.length, message }])

const namesShown = 3

const shown = (names: readonly string[]): string =>
  names.length <= namesShown
    ? names.join(', ')
    : `${names.slice(0, namesShown).join(', ')} and ${names.length - namesShown} more`
