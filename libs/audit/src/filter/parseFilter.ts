import { messageId, parseMessageUuid, type StateName } from '@kiroku/protocol'
import {
  filterFields,
  type Comparison,
  type Condition,
  type Filter,
  type NumberField,
  type Pattern,
  type TextField,
} from './Filter.ts'
import { FilterError } from './FilterError.ts'
import { parseSpan } from './parseSpan.ts'

const filterCharactersMax = 4_000
const conditionsMax = 50

const textFields: ReadonlySet<string> = new Set<TextField>([
  'queue',
  'subscription',
  'id',
  'reason',
  'error',
  'fingerprint',
  'group',
  'tag',
  'consumer',
  'producer',
])
const numberFields: ReadonlySet<string> = new Set<NumberField>(['partition', 'number', 'attempt', 'redrives'])

const ready: readonly StateName[] = ['Held', 'Delayed', 'Available']
const live: readonly StateName[] = [...ready, 'Inflight', 'WaitingRetry']
const states: Readonly<Record<string, readonly StateName[]>> = {
  held: ['Held'],
  delayed: ['Delayed'],
  available: ['Available'],
  inflight: ['Inflight'],
  waiting: ['WaitingRetry'],
  waitingretry: ['WaitingRetry'],
  committed: ['Committed'],
  dlq: ['DLQ'],
  discarded: ['Discarded'],
  ready,
  live,
  final: ['Committed', 'DLQ', 'Discarded'],
}

/** What may follow `state:`. */
export const filterStates: readonly string[] = Object.keys(states).filter((name) => name !== 'waitingretry')

/**
 * Reads a filter: conditions `field:value`, separated by spaces, all of which a message must meet. A value may have
 * quotes, `*`, alternatives separated by commas, and with numbers and times `>`, `>=`, `<`, `<=` in front; a
 * `-` in front of a condition negates it. `nowMs` is the moment from which `since` and `until` count back, in
 * ms since
 * 1970. Errors: `FilterError` (`InvalidFilter`), which points at the character.
 */
export const parseFilter = (text: string, nowMs: number): Filter => new FilterReader(text, nowMs).read()

/** A value, or one of its alternatives, without its quotes, and where it began. */
interface Piece {
  readonly text: string
  readonly at: number
  readonly quoted: boolean
}

class FilterReader {
  readonly #text: string
  readonly #nowMs: number
  #at = 0

  constructor(text: string, nowMs: number) {
    this.#text = text
    this.#nowMs = nowMs
  }

  read(): Filter {
    const text = this.#text
    if (text.length > filterCharactersMax)
      throw new FilterError(
        text,
        filterCharactersMax,
        `a filter has at most ${filterCharactersMax} characters`,
      )
    const conditions: Condition[] = []
    for (;;) {
      while (isSpace(text[this.#at])) this.#at++
      if (this.#at >= text.length) return { text, conditions }
      if (conditions.length === conditionsMax)
        throw this.#error(this.#at, `a filter has at most ${conditionsMax} conditions`)
      conditions.push(this.#condition())
    }
  }

  #error(at: number, what: string): FilterError {
    return new FilterError(this.#text, at, what)
  }

  #condition(): Condition {
    const text = this.#text
    const from = this.#at
    const not = text[from] === '-'
    if (not) this.#at++
    const nameAt = this.#at
    while (this.#at < text.length && text[this.#at] !== ':' && !isSpace(text[this.#at])) this.#at++
    const name = text.slice(nameAt, this.#at)
    if (text[this.#at] !== ':')
      throw this.#error(
        nameAt,
        `"${name}" is not a condition: write field:value, like state:dlq or error:"${name}"`,
      )
    this.#at++
    const op = this.#comparison()
    const pieces = this.#pieces()
    return { not, from, to: this.#at, ...this.#meaning(name, nameAt, op, pieces) }
  }

  #comparison(): { readonly op: Comparison; readonly at: number } | undefined {
    const found = /^(?:[<>]=?|=)/.exec(this.#text.slice(this.#at, this.#at + 2))
    if (found === null) return undefined
    const at = this.#at
    this.#at += found[0].length
    return { op: found[0] as Comparison, at }
  }

  /** The alternatives of a value. */
  #pieces(): Piece[] {
    const pieces: Piece[] = []
    for (;;) {
      pieces.push(this.#text[this.#at] === '"' ? this.#quoted() : this.#bare())
      if (this.#text[this.#at] !== ',') break
      this.#at++
    }
    if (this.#at < this.#text.length && !isSpace(this.#text[this.#at]))
      throw this.#error(this.#at, 'a space must follow a value in quotes')
    return pieces
  }

  #bare(): Piece {
    const at = this.#at
    const text = this.#text
    while (this.#at < text.length && text[this.#at] !== ',' && !isSpace(text[this.#at])) this.#at++
    if (this.#at === at) throw this.#error(at, 'a value is missing')
    return { text: text.slice(at, this.#at), at, quoted: false }
  }

  #quoted(): Piece {
    const at = this.#at++
    let value = ''
    for (;;) {
      const c = this.#text[this.#at++]
      if (c === undefined) throw this.#error(at, 'the quotes that open here are not closed')
      if (c === '"') return { text: value, at, quoted: true }
      value += c === '\\' ? (this.#text[this.#at++] ?? '') : c
    }
  }

  #meaning(
    name: string,
    nameAt: number,
    comparison: { readonly op: Comparison; readonly at: number } | undefined,
    pieces: readonly Piece[],
  ): Omitted {
    const first = pieces[0]!
    const noComparison = (): void => {
      if (comparison !== undefined)
        throw this.#error(comparison.at, `"${name}" takes text: leave "${comparison.op}" out`)
    }
    const onlyOne = (): void => {
      if (pieces.length > 1) throw this.#error(pieces[1]!.at - 1, `"${name}" takes one value`)
    }
    if (name === 'state') {
      noComparison()
      return { field: 'state', states: pieces.flatMap((piece) => this.#states(piece)) }
    }
    if (textFields.has(name)) {
      noComparison()
      return { field: name as TextField, any: pieces.map(name === 'id' ? idPatternOf : patternOf) }
    }
    if (numberFields.has(name)) {
      onlyOne()
      if (!/^\d{1,15}$/.test(first.text)) throw this.#error(first.at, `"${name}" takes a whole number`)
      return { field: name as NumberField, op: comparison?.op ?? '=', value: Number(first.text) }
    }
    if (name === 'time' || name === 'sent' || name === 'since' || name === 'until') {
      onlyOne()
      if (name === 'since' || name === 'until') noComparison()
      const moment = parseSpan(first.text, this.#nowMs)
      if (moment === undefined)
        throw this.#error(
          first.at,
          `"${first.text}" is not a time: write 2026-11-20, 2026-11-20T14:00 (UTC), 2026-11-20T14:00:31+01:00, or how long ago, like 24h`,
        )
      const op = name === 'since' ? '>=' : name === 'until' ? '<' : (comparison?.op ?? '=')
      return { field: name === 'sent' ? 'sent' : 'time', ...spanOf(op, moment) }
    }
    if (name.startsWith('attr.')) {
      noComparison()
      if (name.length === 5) throw this.#error(this.#at, 'the name of an attribute is missing after "attr."')
      return { field: 'attribute', key: name.slice(5), any: pieces.map(patternOf) }
    }
    if (name.startsWith('payload.')) {
      const path = name.slice(8)
      if (path === '' || path.split('.').includes(''))
        throw this.#error(nameAt + 8, 'the path in the body has an empty part')
      if (comparison === undefined || comparison.op === '=')
        return { field: 'payloadText', path, any: pieces.map(patternOf) }
      onlyOne()
      const value = Number(first.text)
      if (first.quoted || Number.isNaN(value))
        throw this.#error(first.at, `"${comparison.op}" compares numbers, and this is not one`)
      return { field: 'payload', path, op: comparison.op, value }
    }
    throw this.#error(
      nameAt,
      `there is no field "${name}"; there are ${filterFields.map((field) => field.name).join(', ')}`,
    )
  }

  #states({ text, at }: Piece): readonly StateName[] {
    const found = Object.hasOwn(states, text.toLowerCase()) ? states[text.toLowerCase()] : undefined
    if (found === undefined)
      throw this.#error(at, `"${text}" is not a state; there are ${Object.keys(states).join(', ')}`)
    return found
  }
}

type Omitted = Condition extends infer C
  ? C extends Condition
    ? Omit<C, 'not' | 'from' | 'to'>
    : never
  : never

const isSpace = (c: string | undefined): boolean => c === ' ' || c === '\t' || c === '\n'

const patternOf = ({ text, quoted }: Piece): Pattern => ({
  text,
  pieces: quoted ? [text.toLowerCase()] : text.toLowerCase().split('*'),
})

/** A message id, also as the UUID that stands for it elsewhere. */
const idPatternOf = ({ text, ...piece }: Piece): Pattern => {
  const address = parseMessageUuid(text.toLowerCase())
  return patternOf({ ...piece, text: address === undefined ? text : messageId(address) })
}

const spanOf = (
  op: Comparison,
  { from, until }: { readonly from: number; readonly until: number },
): { readonly atFrom: number; readonly atUntil: number } => {
  switch (op) {
    case '=':
      return { atFrom: from, atUntil: until }
    case '>=':
      return { atFrom: from, atUntil: Infinity }
    case '>':
      return { atFrom: from + 1, atUntil: Infinity }
    case '<':
      return { atFrom: 0, atUntil: from }
    case '<=':
      return { atFrom: 0, atUntil: until }
  }
}
