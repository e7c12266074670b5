import { KirokuError } from '@kiroku/protocol'
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { parse as parseToml, TomlError } from 'smol-toml'

/** Keys and indexes from the root to a value. */
export type Place = readonly (string | number)[]

/** A parsed configuration file, with the positions of its values. */
export interface Located {
  readonly file: string
  readonly root: unknown
  /** The line and column of a setting as `LINE:COLUMN`, from 1, if known. */
  at(place: Place): string | undefined
}

/** Reads TOML or JSON with comments, by the file's name. Errors: `InvalidConfig`, `MalformedJson`, with file, line and column. */
export const readLocated = (file: string, text: string): Located =>
  file.endsWith('.toml') ? readToml(file, text) : readJsonc(file, text)

/** An error at a place of a configuration file. */
export const errorAt = (located: Located, place: Place, problem: string): KirokuError =>
  new KirokuError('InvalidConfig', `${where(located, place)}: ${dotted(place)} ${problem}`)

/** A place by its file, line and column. */
export const where = ({ file, at }: Located, place: Place): string => {
  const position = at(place)
  return position === undefined ? file : `${file}:${position}`
}

const dotted = (place: Place): string =>
  place.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  )

const readJsonc = (file: string, text: string): Located => {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first !== undefined)
    throw new KirokuError(
      'MalformedJson',
      `${file}:${positionOf(text, first.offset)}: ${parseProblem(printParseErrorCode(first.error))}`,
    )
  return {
    file,
    root: tree === undefined ? undefined : valueOf(tree),
    at: (place) => {
      const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...place])
      if (node === undefined) return undefined
      const { offset } = node.parent?.type === 'property' ? node.parent : node
      return positionOf(text, offset)
    },
  }
}

/** `CommaExpected` in words: a comma is expected here. */
const parseProblem = (code: string): string => {
  const words = code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
  const expected = / expected$/.exec(words)
  if (expected === null) return words
  const what = words.slice(0, expected.index)
  return `${/^end of/.test(what) ? 'the' : 'a'} ${what} is expected here`
}

const valueOf = (node: Node): unknown => {
  if (node.type === 'array') return (node.children ?? []).map(valueOf)
  if (node.type !== 'object') return node.value as unknown
  const object: Record<string, unknown> = {}
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key !== undefined && value !== undefined) object[String(key.value)] = valueOf(value)
  }
  return object
}

const positionOf = (text: string, offset: number): string => {
  const lines = text.slice(0, offset).split('\n')
  return `${lines.length}:${lines.at(-1)!.length + 1}`
}

const readToml = (file: string, text: string): Located => {
  try {
    return { file, root: parseToml(text), at: (place) => tomlPosition(text, place) }
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const problem = cause.message.split('\n', 1)[0]
    throw new KirokuError('InvalidConfig', `${file}:${cause.line}:${cause.column}: ${problem}`, { cause })
  }
}

/**
 * The place of a setting in TOML written with table headers, which is how these files are written; the parser
 * itself keeps no positions.
 */
const tomlPosition = (text: string, place: Place): string | undefined => {
  const key = place.findLast((step) => typeof step === 'string')
  const table = place.slice(0, place.lastIndexOf(key ?? '')).filter((step) => typeof step === 'string')
  const index = place.findLast((step) => typeof step === 'number') ?? 0
  const isArray = place.some((step) => typeof step === 'number')
  const header = isArray ? `[[${table.join('.')}]]` : `[${table.join('.')}]`
  const lines = text.split('\n')
  let seen = -1
  let inside = table.length === 0
  for (const [i, indented] of lines.entries()) {
    const line = indented.trim()
    if (line.startsWith('[')) inside = line.replaceAll(/\s|#.*/g, '') === header && ++seen === index
    else if (inside && (line.split('=', 1)[0] ?? '').trim() === key)
      return `${i + 1}:${indented.length - indented.trimStart().length + 1}`
  }
  return undefined
}
