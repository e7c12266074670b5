import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { KirokuError } from '@kiroku/protocol'
import { errorAt, readLocated, type Located, type Place } from './Located.ts'
import type { ConsumerConfig, ProducerConfig, WorkerConfig } from './WorkerConfig.ts'

/**
 * Reads what Kiroku needs of a `wrangler.toml`, `wrangler.json` or `wrangler.jsonc`: `name`, `main`, `vars` and the
 * queues' producers and consumers, with Cloudflare's own ranges.
 *
 * @param options.env name of an environment: its `vars`, producers and consumers replace the top level's
 * Errors: `InvalidConfig` and `MalformedJson`, with file, line and column.
 */
export const readWranglerConfig = async (
  file: string,
  options: { readonly env?: string | undefined } = {},
): Promise<WorkerConfig> => {
  const located = readLocated(file, await readText(file))
  const root = new Section(located, [], located.root)
  const environment = options.env === undefined ? undefined : root.section('env').section(options.env)
  if (environment?.missing === true) throw errorAt(located, ['env'], `has no environment "${options.env}"`)
  const overridden = (name: 'main' | 'vars' | 'queues'): Section =>
    environment?.has(name) === true ? environment : root
  const main = overridden('main').text('main')
  const name = environment?.text('name') ?? nameIn(root.text('name'), options.env)
  const queues = overridden('queues').section('queues')
  return {
    ...(main === undefined ? {} : { main: path.resolve(path.dirname(file), main) }),
    ...(name === undefined ? {} : { name }),
    vars: overridden('vars').section('vars').values(),
    producers: queues.list('producers').map(producer),
    consumers: queues.list('consumers').map(consumer),
  }
}

/** A Worker without its own name in an environment is named after both, as Wrangler does. */
const nameIn = (name: string | undefined, env: string | undefined): string | undefined =>
  name === undefined || env === undefined ? name : `${name}-${env}`

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new KirokuError('InvalidConfig', `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

const producer = (section: Section): ProducerConfig => {
  section.knows('binding', 'queue', 'delivery_delay', 'remote')
  return present({
    binding: section.requiredText('binding'),
    queue: section.requiredText('queue'),
    deliveryDelayMs: section.seconds('delivery_delay', 0, 86_400),
  })
}

const consumer = (section: Section): ConsumerConfig => {
  section.knows(
    'queue',
    'type',
    'max_batch_size',
    'max_batch_timeout',
    'max_retries',
    'dead_letter_queue',
    'max_concurrency',
    'retry_delay',
    'visibility_timeout_ms',
  )
  const type = section.text('type')
  if (type !== undefined && type !== 'worker')
    throw section.error('type', `is "${type}"; only "worker" is consumed by a module`)
  return present({
    queue: section.requiredText('queue'),
    batchMessages: section.number('max_batch_size', 1, 100),
    batchWaitMs: section.seconds('max_batch_timeout', 0, 60),
    retriesMax: section.number('max_retries', 0, 100),
    deadLetter: section.text('dead_letter_queue'),
    concurrency: section.number('max_concurrency', 1, 250),
    retryDelayMs: section.seconds('retry_delay', 0, 86_400),
    leaseMs: section.number('visibility_timeout_ms', 1, 12 * 3_600_000),
  })
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

const present = <T extends object>(object: T): Present<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>

/** A table of the file that knows the place of each value, for errors. */
class Section {
  readonly #located: Located
  readonly #place: Place
  readonly #value: unknown

  constructor(located: Located, place: Place, value: unknown) {
    this.#located = located
    this.#place = place
    this.#value = value
    if (value !== undefined && !isTable(value)) throw errorAt(located, place, 'must be a table')
  }

  get missing(): boolean {
    return this.#value === undefined
  }

  has(name: string): boolean {
    return this.#get(name) !== undefined
  }

  /** Refuses every other key, which is more often than not a typo. */
  knows(...names: readonly string[]): void {
    for (const name of Object.keys(this.values()))
      if (!names.includes(name)) throw this.error(name, `is not known; there are ${names.join(', ')}`)
  }

  error(name: string, problem: string): KirokuError {
    return errorAt(this.#located, [...this.#place, name], problem)
  }

  section(name: string): Section {
    return new Section(this.#located, [...this.#place, name], this.#get(name))
  }

  list(name: string): Section[] {
    const value = this.#get(name) ?? []
    if (!Array.isArray(value)) throw this.error(name, 'must be a list')
    return value.map((each, i) => new Section(this.#located, [...this.#place, name, i], each))
  }

  values(): Readonly<Record<string, unknown>> {
    return isTable(this.#value) ? this.#value : {}
  }

  text(name: string): string | undefined {
    const value = this.#get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value === '') throw this.error(name, 'must be a string')
    return value
  }

  requiredText(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw errorAt(this.#located, this.#place, `needs "${name}"`)
    return value
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.#get(name)
    if (value === undefined || value === null) return undefined
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
      throw this.error(name, `must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`)
    return value as number
  }

  /** A number of seconds, as ms. */
  seconds(name: string, min: number, max: number): number | undefined {
    const value = this.number(name, min, max)
    return value === undefined ? undefined : value * 1_000
  }

  #get(name: string): unknown {
    return isTable(this.#value) && Object.hasOwn(this.#value, name) ? this.#value[name] : undefined
  }
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
