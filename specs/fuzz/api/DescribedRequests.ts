import type { Chance } from '../Chance.ts'
import { hostileTexts, hostileValues } from '../hostile.ts'
import type { ApiRequest } from './ApiRequest.ts'

/** As much of an OpenAPI page as requests are made from. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: JsonSchema
}

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
}

/** Shares of the values that are hostile, of the optional ones that are given, and of the huge bodies. */
const hostileShare = 0.15
const givenShare = 0.4
const hugeShare = 0.003

/** Deeper values are left out. */
const levelsMax = 6

/** What takes long where it is not refused early. */
const hugeBodies: readonly (() => string)[] = [
  () => '['.repeat(1_000_000),
  () => `{"body":[${'[],'.repeat(400_000)}[]]}`,
  () => `{"body":"${'x'.repeat(5_000_000)}"}`,
  () => `{"messages":[${'{"body":1},'.repeat(20_000)}{"body":1}]}`,
  () => `{"receipts":[${'"x",'.repeat(50_000)}"x"]}`,
  () => `"${'\\'.repeat(1_000_000)}`,
  () => `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
  () => `{"body":[${'1e1,'.repeat(90_000)}1]}`,
]

/** Where a value says what it is for, valid ones are drawn from these; the rest by its type. */
const known: Readonly<Record<string, readonly string[]>> = {
  queue: ['a', 'b', 'c', 'd', 'e', 'f'],
  name: ['a', 'b', 'c', 'd', 's1', 's2'],
  subscription: ['main', 's1', 's2'],
}
/** A wait that would hold the run up. */
const waits = new Set(['waitMs', 'batchWaitMs'])

/** Requests to every operation of an OpenAPI page, with values by their schemas and hostile ones among them. */
export class DescribedRequests {
  readonly #chance: Chance
  readonly #page: OpenApi
  readonly #operations: readonly (readonly [method: string, path: string, operation: Operation])[]

  constructor(chance: Chance, page: OpenApi) {
    this.#chance = chance
    this.#page = page
    this.#operations = Object.entries(page.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, operation]) => [method.toUpperCase(), path, operation] as const,
      ),
    )
  }

  next(): ApiRequest {
    const chance = this.#chance
    const [method, path, { parameters = [], requestBody }] = chance.pick(this.#operations)
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#text(name).toWellFormed()),
    )
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && chance.is(givenShare))
      .map(
        ({ name, schema }) => `${name}=${encodeURIComponent(this.#queryText(name, schema).toWellFormed())}`,
      )
    const request = { method, path: query.length === 0 ? filled : `${filled}?${query.join('&')}` }
    if (requestBody === undefined) return request
    if (chance.is(hugeShare)) return { ...request, body: chance.pick(hugeBodies)() }
    const [content] = Object.values(requestBody.content)
    return { ...request, body: this.#value('', content!.schema, 0) }
  }

  #text(name: string): string {
    const valid = known[name]
    if (valid === undefined || this.#chance.is(hostileShare)) return this.#chance.pick(hostileTexts)
    return this.#chance.pick(valid)
  }

  #queryText(name: string, schema: JsonSchema): string {
    const { enum: choices } = this.#resolved(schema)
    if (choices !== undefined && !this.#chance.is(hostileShare)) return String(this.#chance.pick(choices))
    return known[name] === undefined && this.#chance.is(0.5)
      ? this.#chance.pick(['1', '10', '5m', '0', 'state:ready', '1h'])
      : this.#text(name)
  }

  /** A value as JSON, not always a valid one. */
  #value(name: string, schema: JsonSchema, level: number): string {
    const chance = this.#chance
    if (chance.is(hostileShare)) return waits.has(name) ? '"soon"' : chance.pick(hostileValues)
    const {
      type,
      enum: choices,
      properties = {},
      required = [],
      items,
      anyOf,
      oneOf,
      allOf,
    } = this.#resolved(schema)
    if (choices !== undefined) return JSON.stringify(chance.pick(choices))
    const other = anyOf ?? oneOf
    if (other !== undefined) return this.#value(name, chance.pick(other), level)
    if (type === undefined && allOf !== undefined) return this.#value(name, allOf[0]!, level)
    switch (type) {
      case 'object': {
        if (level >= levelsMax) return '{}'
        const fields = Object.entries(properties).filter(
          ([key]) => required.includes(key) || chance.is(givenShare),
        )
        const written = fields.map(
          ([key, each]) => `${JSON.stringify(key)}:${this.#value(key, each, level + 1)}`,
        )
        if (chance.is(0.02)) written.push('"unknown":1')
        return `{${written.join(',')}}`
      }
      case 'array':
        if (level >= levelsMax || items === undefined) return '[]'
        return `[${Array.from({ length: chance.pick([0, 1, 2, 3]) }, () => this.#value(name, items, level + 1)).join(',')}]`
      case 'number':
      case 'integer':
        return waits.has(name)
          ? chance.pick(['0', '1', '20'])
          : chance.pick(['0', '1', '2', '10', '1000', '60000'])
      case 'boolean':
        return chance.pick(['true', 'false'])
      case 'string':
        return JSON.stringify(this.#text(name))
      default:
        return chance.pick(['"text"', '{"a":[1]}', '1', 'null', '[1,2,3]'])
    }
  }

  #resolved(schema: JsonSchema): JsonSchema {
    let found = schema
    while (found.$ref !== undefined)
      found = this.#page.components.schemas[found.$ref.slice(found.$ref.lastIndexOf('/') + 1)]!
    return found
  }
}
