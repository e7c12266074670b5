import * as sdk from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { errorKinds } from '../SqsError.ts'
import type { Members, Shape } from '../wire/Shape.ts'
import { actions } from './index.ts'

/** The service model, as the official client carries it. */
const model = sdk as unknown as Readonly<Record<string, readonly unknown[]>>

const operation = 9
const structureTag = 3
const plain: Readonly<Record<number, Shape['kind']>> = { 0: 'text', 1: 'number', 2: 'flag', 21: 'bytes' }

interface Traits {
  readonly xmlName?: string
  readonly xmlFlattened?: number
}

const resolved = (of: unknown): unknown => (typeof of === 'function' ? (of as () => unknown)() : of)

/** A member of the model in the words of our table. */
const shapeOf = (of: unknown, traits: Traits = {}): unknown => {
  const schema = resolved(of)
  if (typeof schema === 'number') {
    // Lists and maps of strings are bits beside the kind of what they hold.
    if (schema & 64) return { kind: 'list', name: traits.xmlName, of: { kind: 'text' } }
    if (schema & 128) return { kind: 'map', name: traits.xmlName, of: { kind: 'text' } }
    return { kind: plain[schema] ?? `an unknown kind ${schema}` }
  }
  const [tag, , , , ...rest] = schema as readonly unknown[]
  // Text or bytes with a trait, as what is not to be logged.
  if (tag === 0) return shapeOf(rest[0], traits)
  if (tag === structureTag) return { kind: 'structure', members: membersOf(schema as readonly unknown[]) }
  const inner = (each: unknown): readonly [unknown, Traits] =>
    Array.isArray(each) && each.length === 2 ? [each[0], (each[1] || {}) as Traits] : [each, {}]
  const [last, lastTraits] = inner(rest.at(-1))
  return tag === 1
    ? { kind: 'list', name: traits.xmlName, of: shapeOf(last, lastTraits) }
    : { kind: 'map', name: traits.xmlName, of: shapeOf(last, lastTraits) }
}

const membersOf = ([, , , , names = [], types = []]: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(
    (names as readonly string[]).map((name, i) => {
      const type = (types as readonly unknown[])[i]
      const hasTraits = Array.isArray(type) && type.length === 2
      return [name, hasTraits ? shapeOf(type[0], type[1] as Traits) : shapeOf(type)]
    }),
  )

/** Our shapes without what the model does not say. */
const told = (shape: Shape): unknown => {
  switch (shape.kind) {
    case 'list':
      return { kind: 'list', name: shape.name, of: told(shape.of) }
    case 'map':
      return { kind: 'map', name: shape.name, of: told(shape.of) }
    case 'structure':
      return { kind: 'structure', members: toldMembers(shape.members) }
    default:
      return { kind: shape.kind }
  }
}
const toldMembers = (members: Members): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [name, told(shape)]))

const operations = Object.entries(model).flatMap(([name, schema]) =>
  name.endsWith('$') && Array.isArray(schema) && schema[0] === operation
    ? [{ name: name.slice(0, -1), input: schema[4], output: schema[5] }]
    : [],
)

describe('the table of actions', () => {
  it('has every action that the official client has, and no other', () => {
    expect(operations.length).toBe(23)
    expect(Object.keys(actions).sort()).toEqual(operations.map(({ name }) => name).sort())
  })
  it.each(operations)('knows what $name is asked and answers', ({ name, input, output }) => {
    const { input: ours, output: answered } = actions[name]!
    expect(toldMembers(ours)).toEqual(membersOf(resolved(input) as readonly unknown[]))
    const answer = resolved(output)
    expect(toldMembers(answered)).toEqual(
      Array.isArray(answer) && answer[0] === structureTag ? membersOf(answer) : {},
    )
  })
})

it.each(Object.values(errorKinds).filter(({ name }) => name.startsWith('com.amazonaws.sqs#')))(
  '$name has the code and the status of the official client',
  ({ name, code, status }) => {
    const [, , , traits] = model[`${name.split('#')[1]}$`]!
    const { awsQueryError = [name.split('#')[1], undefined], httpError } = traits as {
      readonly awsQueryError?: readonly [string, number]
      readonly httpError?: number
    }
    expect([code, status]).toEqual([awsQueryError[0], awsQueryError[1] ?? httpError ?? 400])
  },
)
