import type { PartitionState } from '@kiroku/partition'
import { bodyOf, KirokuError, type CommandOf } from '@kiroku/protocol'
import type { ErrorObject, ValidateFunction } from 'ajv'

const compiledMax = 100
const problemsMax = 5

/** Validates bodies against the JSON Schemas of queues. */
export class BodySchemas {
  readonly #compiled = new Map<string, ValidateFunction | KirokuError>()
  /** By the object of a setting, which stays the same until it is changed: sends come often, and its text is long. */
  readonly #ready = new WeakMap<object, ValidateFunction | KirokuError>()

  /** Errors: `InvalidConfig`, when it is no JSON Schema. */
  async check(schema: object): Promise<void> {
    await this.#compile(schema)
  }

  /** Errors: `BodyMismatch`, which names the places that do not fit; `InvalidConfig`. */
  async hold(body: Uint8Array, schema: object, queue: string): Promise<void> {
    const mismatch = mismatchOf(await this.#compile(schema), body, queue)
    if (mismatch !== undefined) throw mismatch
  }

  /** Why a queue that checks all bodies refuses a send. A repeat of one that it took is answered from memory, not here. */
  refuseSend(
    { names, producers }: PartitionState,
    { queue: name, messages, producer, send }: CommandOf<'Enqueue'>,
  ): KirokuError | undefined {
    const queue = names.get(name)
    if (queue === undefined) return undefined
    const { bodyCheck, bodySchema } = queue.config
    if (bodyCheck !== 'all' || bodySchema === null || producers.find(producer, send) !== undefined)
      return undefined
    return this.refuse(
      messages.map((message) => bodyOf(message)),
      bodySchema,
      name,
    )
  }

  /** Why bodies are refused, said at once: `BodyMismatch`, `InvalidConfig`, or `Busy` while the schema is compiled. */
  refuse(bodies: Iterable<Uint8Array>, schema: object, queue: string): KirokuError | undefined {
    const validate = this.#readyOf(schema)
    if (validate === undefined) {
      this.#compile(schema).catch(() => undefined)
      return new KirokuError('Busy', `the schema of queue "${queue}" is being compiled`, {
        retryAfterMs: 50,
      })
    }
    if (validate instanceof KirokuError) return validate
    for (const body of bodies) {
      const mismatch = mismatchOf(validate, body, queue)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }

  #readyOf(schema: object): ValidateFunction | KirokuError | undefined {
    const ready = this.#ready.get(schema)
    if (ready !== undefined) return ready
    const compiled = this.#compiled.get(JSON.stringify(schema))
    if (compiled !== undefined) this.#ready.set(schema, compiled)
    return compiled
  }

  /** Whether a body fits. Errors: `InvalidConfig`. */
  async fits(body: Uint8Array, schema: object, queue: string): Promise<boolean> {
    try {
      await this.hold(body, schema, queue)
      return true
    } catch (e) {
      if (e instanceof KirokuError && e.id === 'BodyMismatch') return false
      throw e
    }
  }

  async #compile(schema: object): Promise<ValidateFunction> {
    const key = JSON.stringify(schema)
    const known = this.#compiled.get(key)
    if (known instanceof KirokuError) throw known
    if (known !== undefined) return known
    // Most engines never need it, and it takes its time to load.
    const { Ajv2020 } = await import('./ajv.ts')
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
    const { default: draft7 } = await import('ajv/dist/refs/json-schema-draft-07.json', {
      with: { type: 'json' },
    })
    ajv.addMetaSchema(draft7)
    try {
      return this.#keep(key, ajv.compile(schema))
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw this.#keep(
        key,
        new KirokuError('InvalidConfig', `bodySchema is not a JSON Schema: ${why}`, { cause }),
      )
    }
  }

  #keep<A extends ValidateFunction | KirokuError>(key: string, made: A): A {
    if (this.#compiled.size >= compiledMax) this.#compiled.clear()
    this.#compiled.set(key, made)
    return made
  }
}

const mismatchOf = (validate: ValidateFunction, body: Uint8Array, queue: string): KirokuError | undefined => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    return new KirokuError('BodyMismatch', `queue "${queue}" requires JSON, and the body is not JSON`, {
      cause,
    })
  }
  if (validate(value)) return undefined
  const problems = (validate.errors ?? []).slice(0, problemsMax).map(problemOf)
  return new KirokuError(
    'BodyMismatch',
    `the body does not fit the schema of queue "${queue}": ${problems.join('; ')}`,
  )
}

const problemOf = ({ instancePath, message, params }: ErrorObject): string => {
  const detail =
    typeof params['additionalProperty'] === 'string' ? ` ("${params['additionalProperty']}")` : ''
  return `${instancePath === '' ? '/' : instancePath} ${message ?? 'does not fit'}${detail}`
}
