import { instead } from '@kiroku/protocol'
import * as SchemaAST from 'effect/SchemaAST'
import * as SchemaIssue from 'effect/SchemaIssue'

/** What a request lacks, or has too much of, by the field and in a sentence. */
export const schemaProblem = (issue: SchemaIssue.Issue): string => {
  const unknown = unknownField(issue, [])
  if (unknown !== undefined) return unknown
  const [first] = toProblems(issue).issues
  const place = first?.path ?? []
  const what = place.length === 0 ? 'the request' : pathOf(place)
  return `${what} ${inWords(first?.message ?? '')}`
}

/** Says of the first unknown field which one is meant. */
const unknownField = (issue: SchemaIssue.Issue, path: readonly unknown[]): string | undefined => {
  switch (issue._tag) {
    case 'Pointer':
      return unknownField(issue.issue, [...path, ...issue.path])
    case 'Filter':
    case 'Encoding':
      return unknownField(issue.issue, path)
    case 'Composite':
    case 'AnyOf':
      for (const each of issue.issues) {
        const found = unknownField(each, path)
        if (found !== undefined) return found
      }
      return undefined
    case 'UnexpectedKey':
      return `there is no field "${pathOf(path)}" here${instead(String(path.at(-1)), namesOf(issue.ast))}`
    default:
      return undefined
  }
}

const toProblems = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is wrong with a field, to be read behind its name. */
const inWords = (message: string): string => {
  if (message === 'Missing key') return 'is missing'
  const expected = /^Expected (.*)$/s.exec(message)?.[1]?.replace(/\s+/g, ' ').replaceAll('" | "', '" or "')
  if (expected === undefined) return 'does not fit'
  return `must be ${plain.get(expected) ?? (/^[A-Z]\w*$/.test(expected) ? `a ${expected}` : expected)}`
}

/** What types are called where people read of them. */
const plain: ReadonlyMap<string, string> = new Map([
  ['number', 'a number'],
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['StartPosition', '"latest", "earliest", { "number": … } or { "time": … }'],
  [
    'RetryPolicy',
    'an object such as { "kind": "fixed", "delayMs": 1000 }, of kind fixed, exponential, list or rocketmq',
  ],
])

/** `settings.retry.kind`, `messages[1].body`. */
const pathOf = (path: readonly unknown[]): string =>
  path.reduce<string>((place, part) => {
    const key = typeof part === 'object' && part !== null && 'key' in part ? part.key : part
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? String(key) : `${place}.${String(key)}`
  }, '')

/** The names of the fields of a schema. */
export const namesOf = (ast: SchemaAST.AST): readonly string[] =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
