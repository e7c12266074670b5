import { KirokuError } from '@kiroku/message'
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { parse as parseToml, TomlError } from 'smol-toml'

/** Keys and indexes from the root to a value. */
export type Place = readonly (string | number)[]

/** A configuration file that was read, and where in it things stand. */
export interface Located {
  readonly file: string
  readonly root: unknown
  /** The line of a value, from 1, where it is known. */
  lineOf(place: Place): number | undefined
}

/** Reads TOML or JSON with comments, by the file's name. Errors: `InvalidConfig` with file and line. */
export const readLocated = (file: string, text: string): Located =>
  file.endsWith('.toml') ? readToml(file, text) : readJsonc(file, text)

/** An error at a place of a configuration file. */
export const errorAt = (located: Located, place: Place, problem: string): KirokuError => {
  const line = located.lineOf(place)
  const where = line === undefined ? located.file : `${located.file}:${line}`
  return new KirokuError('InvalidConfig', `${where}: ${dotted(place)} ${problem}`)
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
      'InvalidConfig',
      `${file}:${lineAt(text, first.offset)}: ${printParseErrorCode(first.error)}`,
    )
  return {
    file,
    root: tree === undefined ? undefined : valueOf(tree),
    lineOf: (place) => {
      const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...place])
      return node === undefined ? undefined : lineAt(text, node.offset)
    },
  }
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

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

const readToml = (file: string, text: string): Located => {
  try {
    return { file, root: parseToml(text), lineOf: (place) => tomlLine(text, place) }
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const problem = cause.message.split('\n', 1)[0]
    throw new KirokuError('InvalidConfig', `${file}:${cause.line}: ${problem}`, { cause })
  }
}

/**
 * The line of a value in TOML written with table headers, which is how these files are written; the parser
 * itself keeps no positions.
 */
const tomlLine = (text: string, place: Place): number | undefined => {
  const key = place.findLast((step) => typeof step === 'string')
  const table = place.slice(0, place.lastIndexOf(key ?? '')).filter((step) => typeof step === 'string')
  const index = place.findLast((step) => typeof step === 'number') ?? 0
  const isArray = place.some((step) => typeof step === 'number')
  const header = isArray ? `[[${table.join('.')}]]` : `[${table.join('.')}]`
  const lines = text.split('\n').map((line) => line.trim())
  let seen = -1
  let inside = table.length === 0
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('[')) inside = line.replaceAll(/\s|#.*/g, '') === header && ++seen === index
    else if (inside && (line.split('=', 1)[0] ?? '').trim() === key) return i + 1
  }
  return undefined
}
