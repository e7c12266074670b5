/** What a value is. */
type JsonKind = 'object' | 'array' | 'string' | 'number' | 'literal'

/**
 * JSON as written: values by index, in the order of the text. Nothing is parsed into a number, so that none
 * loses digits; a value is a piece of the text.
 */
export interface JsonText {
  readonly text: string
  readonly kinds: readonly JsonKind[]
  /** Where each value begins and ends in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Where the key of each value begins and ends, quotes included; -1: it has none. */
  readonly keyStarts: readonly number[]
  readonly keyEnds: readonly number[]
  /** The parent of each value; -1: it is the outermost. */
  readonly parents: readonly number[]
  readonly depths: readonly number[]
  /** The number of direct children of each value. */
  readonly sizes: readonly number[]
  /** The first value after each value and its descendants. */
  readonly nexts: readonly number[]
  /** Where the text stops being JSON; what is before it is read. */
  readonly brokenAt?: number
  /** There were more values than are read. */
  readonly isCut: boolean
}

/** Values that are read at most. */
const valuesMax = 200_000

const space = /[ \t\n\r]*/y
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const scalar = /(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/y

/** Reads JSON without recursion: neither its depth nor its length stops it. */
export const readJson = (text: string, max = valuesMax): JsonText => {
  const read = {
    kinds: [] as JsonKind[],
    starts: [] as number[],
    ends: [] as number[],
    keyStarts: [] as number[],
    keyEnds: [] as number[],
    parents: [] as number[],
    depths: [] as number[],
    sizes: [] as number[],
    nexts: [] as number[],
  }
  let at = 0
  let open = -1
  let key: readonly [number, number] = [-1, -1]
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : -1
  }
  const skip = (): void => void (at = take(space))
  const end = (rest: { brokenAt?: number; isCut?: boolean }): JsonText => {
    for (; open >= 0; open = read.parents[open]!) {
      read.ends[open] = text.length
      read.nexts[open] = read.kinds.length
    }
    return { text, ...read, isCut: false, ...rest }
  }
  const add = (kind: JsonKind, from: number, to: number): void => {
    const depth = open < 0 ? 0 : read.depths[open]! + 1
    if (open >= 0) read.sizes[open]!++
    read.kinds.push(kind)
    read.starts.push(from)
    read.ends.push(to)
    read.keyStarts.push(key[0])
    read.keyEnds.push(key[1])
    read.parents.push(open)
    read.depths.push(depth)
    read.sizes.push(0)
    read.nexts.push(read.kinds.length)
    key = [-1, -1]
  }
  /** Reads a key and its colon. */
  const takeKey = (): boolean => {
    skip()
    const to = take(string)
    if (to < 0) return false
    key = [at, to]
    at = to
    skip()
    if (text[at] !== ':') return false
    at++
    return true
  }
  for (;;) {
    skip()
    if (read.kinds.length >= max) return end({ isCut: true })
    const c = text[at]
    if (c === '{' || c === '[') {
      add(c === '{' ? 'object' : 'array', at, at)
      open = read.kinds.length - 1
      at++
      skip()
      if (text[at] !== (c === '{' ? '}' : ']')) {
        if (c === '{' && !takeKey()) return end({ brokenAt: at })
        continue
      }
    } else {
      const to = c === '"' ? take(string) : take(scalar)
      if (to < 0 || to === at) return end({ brokenAt: at })
      add(c === '"' ? 'string' : c! >= 'a' ? 'literal' : 'number', at, to)
      at = to
    }
    // A value is there, or an empty group is open: what follows?
    for (;;) {
      skip()
      if (open < 0) return end(at < text.length ? { brokenAt: at } : {})
      const isObject = read.kinds[open] === 'object'
      if (text[at] === (isObject ? '}' : ']')) {
        at++
        read.ends[open] = at
        read.nexts[open] = read.kinds.length
        open = read.parents[open]!
      } else if (text[at] === ',') {
        at++
        if (isObject && !takeKey()) return end({ brokenAt: at })
        break
      } else return end({ brokenAt: at })
    }
  }
}

/** The key of a value without its quotes; undefined: it has none. */
export const keyOf = (json: JsonText, value: number): string | undefined => {
  const from = json.keyStarts[value]!
  return from < 0 ? undefined : (JSON.parse(json.text.slice(from, json.keyEnds[value])) as string)
}

/** Its index in the enclosing list; undefined: it is not in a list. */
const indexOf = (json: JsonText, value: number): number | undefined => {
  const parent = json.parents[value]!
  if (parent < 0 || json.kinds[parent] !== 'array') return undefined
  let index = 0
  for (let each = parent + 1; each < value; each = json.nexts[each]!) index++
  return index
}

/** The names on the way to a value, the outermost first. */
export const pathOf = (json: JsonText, value: number): (string | number)[] => {
  const path: (string | number)[] = []
  for (let each = value; json.parents[each]! >= 0; each = json.parents[each]!)
    path.push(keyOf(json, each) ?? indexOf(json, each) ?? '')
  return path.reverse()
}

/** The visible values: only those that are open show their children. */
export const visibleValues = (json: JsonText, isOpen: (value: number) => boolean): number[] => {
  const rows: number[] = []
  for (let value = 0; value < json.kinds.length;) {
    rows.push(value)
    value = json.sizes[value]! > 0 && !isOpen(value) ? json.nexts[value]! : value + 1
  }
  return rows
}
