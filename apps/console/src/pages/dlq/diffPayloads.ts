/** A place where two payloads differ; an absent value is missing there. */
interface PayloadChange {
  readonly path: string
  readonly left?: string
  readonly right?: string
}

/** What two payloads have in common and what not. */
export interface PayloadDiff {
  readonly changes: readonly PayloadChange[]
  readonly equal: number
}

const changesMax = 500

/** Compares two payloads: by their paths where both are JSON, else line by line. */
export const diffPayloads = (left: string, right: string): PayloadDiff => {
  const [a, b] = [jsonOf(left), jsonOf(right)]
  return a === undefined || b === undefined
    ? compare(linesOf(left), linesOf(right))
    : compare(valuesOf(a.value), valuesOf(b.value))
}

const jsonOf = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text, exact as never) as unknown }
  } catch {
    return undefined
  }
}

/** A number as it is written: two large ones are not equal because a double cannot tell them apart. */
class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const exact = (_: string, value: unknown, written?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? new Written(written?.source ?? String(value)) : value

const linesOf = (text: string): Map<string, string> =>
  new Map(text.split('\n').map((line, i) => [`line ${i + 1}`, line]))

/** The values of a JSON text by their paths, like `lines.0.sku`; what is empty counts as a value. */
const valuesOf = (value: unknown, path = '', into = new Map<string, string>()): Map<string, string> => {
  const name = path === '' ? '(all)' : path
  if (value instanceof Written) into.set(name, value.text)
  else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    for (const [key, each] of Object.entries(value))
      valuesOf(each, path === '' ? key : `${path}.${key}`, into)
  else into.set(name, JSON.stringify(value))
  return into
}

const compare = (left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): PayloadDiff => {
  const changes: PayloadChange[] = []
  let equal = 0
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const [was, is] = [left.get(path), right.get(path)]
    if (was === is) equal++
    else if (changes.length < changesMax)
      changes.push({
        path,
        ...(was === undefined ? {} : { left: was }),
        ...(is === undefined ? {} : { right: is }),
      })
  }
  return { changes, equal }
}
