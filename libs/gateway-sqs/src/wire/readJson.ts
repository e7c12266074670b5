import { SqsError } from '../SqsError.ts'
import { isObject } from './isObject.ts'
import type { Members, Shape } from './Shape.ts'

/** Reads the body of a request in the JSON protocol. Errors: `MalformedInput`. */
export const readJson = (body: string, members: Members): Readonly<Record<string, unknown>> => {
  const value = body === '' ? {} : parse(body)
  return read({ kind: 'structure', members }, value, 'the request') as Record<string, unknown>
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw malformed('the body is not JSON')
  }
}

const read = (shape: Shape, value: unknown, what: string): unknown => {
  switch (shape.kind) {
    case 'text':
      if (typeof value === 'string') return value
      break
    case 'number':
      if (Number.isInteger(value)) return value
      break
    case 'flag':
      if (typeof value === 'boolean') return value
      break
    case 'bytes':
      if (typeof value === 'string' && isBase64(value)) return Buffer.from(value, 'base64')
      break
    case 'list':
      if (Array.isArray(value)) return value.map((each) => read(shape.of, each, what))
      break
    case 'map':
      if (isObject(value))
        return new Map(
          Object.entries(value).map(([key, each]) => [key, read(shape.of, each, `${what}.${key}`)]),
        )
      break
    case 'structure':
      if (isObject(value)) return readMembers(shape.members, value)
      break
  }
  throw malformed(`${what} is not of the type ${shape.kind}`)
}

/** In place, as nobody else has what was just parsed. */
const readMembers = (members: Members, value: Record<string, unknown>): object => {
  for (const name in value) {
    const member = value[name]
    if (!Object.hasOwn(members, name) || member === null) delete value[name]
    else {
      const found = read(members[name]!, member, name)
      if (found !== member) value[name] = found
    }
  }
  return value
}

/** Whether text is base64 as it is written, padding included. */
export const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

export const malformed = (why: string): SqsError => new SqsError('MalformedInput', why)
