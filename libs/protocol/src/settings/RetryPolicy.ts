import { KirokuError } from '../error/KirokuError.ts'
import { limits } from '../limits.ts'
import { inTime } from './inUnits.ts'
import { exactDuration, isDuration, parseDurationMs } from './units.ts'

/** How long a message pauses between a failure and its next attempt. Delays in ms. */
export type RetryPolicy =
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | {
      readonly kind: 'exponential'
      readonly baseMs: number
      readonly factor: number
      readonly maxMs: number
      /** Share of the delay that chance may take away, 0 to 1. */
      readonly jitter: number
    }
  | {
      /** The 16 steps of RocketMQ's push consumers: 10 s, 30 s, 1 min … 2 h. */
      readonly kind: 'rocketmq'
    }
  | {
      readonly kind: 'list'
      /** The last one repeats; an empty list means no pause. */
      readonly delaysMs: readonly number[]
    }

/** Everything that is known of one kind of policy, its texts included. */
interface Kind<Policy> {
  /** An example of how it is written, for errors. */
  readonly form: string
  /** What it may hold, for help. */
  readonly syntax: string
  /** Pause after attempt `attempt`, from 1; `random` is 0 (inclusive) to 1. */
  readonly delayMs: (policy: Policy, attempt: number, random: number) => number
  /** Checks what is in a policy of this kind besides its kind. Errors: `InvalidConfig`. */
  readonly check: (policy: Readonly<Record<string, unknown>>) => void
  /** Reads what follows `KIND:`. Errors: `InvalidArgument`. */
  readonly read: (text: string, what: string) => Policy
  readonly write: (policy: Policy) => string
  /** In words; `duration` writes ms. */
  readonly describe: (policy: Policy, duration: (ms: number) => string) => string
}

type Kinds = { readonly [K in RetryPolicy['kind']]: Kind<Extract<RetryPolicy, { readonly kind: K }>> }

const kinds: Kinds = {
  fixed: {
    form: 'a pause like 30s',
    syntax: 'a duration',
    delayMs: ({ delayMs }) => delayMs,
    check: ({ delayMs }) => checkDelay(delayMs),
    read: (text, what) => ({ kind: 'fixed', delayMs: parseDurationMs(text, what) }),
    write: ({ delayMs }) => exactDuration(delayMs),
    describe: ({ delayMs }, duration) => (delayMs === 0 ? 'none' : duration(delayMs)),
  },
  exponential: {
    form: 'exponential:1s,2,10m,0.2',
    syntax: 'exponential:BASE,FACTOR,MAX,JITTER',
    delayMs: ({ baseMs, factor, maxMs, jitter }, attempt, random) => {
      // The factor grows to Infinity, and zero times that is no number.
      if (baseMs === 0) return 0
      return Math.round(Math.min(baseMs * factor ** (attempt - 1), maxMs) * (1 - jitter * random))
    },
    check: ({ baseMs, maxMs, factor, jitter }) => {
      checkDelay(baseMs)
      checkDelay(maxMs)
      if (!(isWithin(factor, 1, factorMax) && isWithin(jitter, 0, 1)))
        throw invalid(`an exponential retry needs a factor from 1 to ${factorMax} and a jitter from 0 to 1`)
    },
    read: (text, what) => {
      const [base = '', factor = '2', max = '1h', jitter = '0'] = text.split(',')
      const numbers = { factor: Number(factor), jitter: Number(jitter) }
      if (!isWithin(numbers.factor, 1, factorMax) || !isWithin(numbers.jitter, 0, 1))
        throw new KirokuError(
          'InvalidArgument',
          `${what}: "exponential:${text}" needs a factor from 1 to ${factorMax} and a jitter from 0 to 1, like ${kinds.exponential.form}`,
        )
      return {
        kind: 'exponential',
        baseMs: parseDurationMs(base, `${what} exponential, base`),
        maxMs: parseDurationMs(max, `${what} exponential, max`),
        ...numbers,
      }
    },
    write: ({ baseMs, factor, maxMs, jitter }) =>
      `exponential:${exactDuration(baseMs)},${factor},${exactDuration(maxMs)},${jitter}`,
    describe: ({ baseMs, factor, maxMs, jitter }, duration) =>
      `${duration(baseMs)}, × ${factor} each time, up to ${duration(maxMs)}` +
      (jitter === 0 ? '' : `, minus up to ${Math.round(100 * jitter)} % jitter`),
  },
  rocketmq: {
    form: 'rocketmq',
    syntax: 'rocketmq',
    delayMs: (_, attempt) => fromList(rocketmqDelaysMs, attempt),
    check: () => undefined,
    read: (text, what) => {
      if (text === '') return { kind: 'rocketmq' }
      throw new KirokuError('InvalidArgument', `${what}: rocketmq takes no delays of its own`)
    },
    write: () => 'rocketmq',
    describe: () => 'RocketMQ levels, 10 s to 2 h',
  },
  list: {
    form: 'list:1s,1m',
    syntax: 'list:D1,D2,…',
    delayMs: ({ delaysMs }, attempt) => fromList(delaysMs, attempt),
    check: ({ delaysMs }) => {
      if (!Array.isArray(delaysMs) || delaysMs.length > limits.retriesMax)
        throw invalid(`retry.delaysMs must be a list of up to ${limits.retriesMax} delays`)
      delaysMs.forEach(checkDelay)
    },
    read: (text, what) => ({
      kind: 'list',
      delaysMs: text.split(',').map((delay) => parseDurationMs(delay, `${what} list`)),
    }),
    write: ({ delaysMs }) => `list:${delaysMs.map(exactDuration).join(',')}`,
    describe: ({ delaysMs }, duration) =>
      delaysMs.length === 0 ? 'none' : delaysMs.map((ms) => duration(ms)).join(', '),
  },
}

const factorMax = 100

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

const rocketmqDelaysMs = [
  10 * secondMs,
  30 * secondMs,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30].map((minutes) => minutes * minuteMs),
  1 * hourMs,
  2 * hourMs,
]

const fromList = (delaysMs: readonly number[], attempt: number): number =>
  delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0

const checkDelay = (ms: unknown): void => {
  if (!(Number.isInteger(ms) && isWithin(ms, 0, limits.delayMsMax)))
    throw invalid(
      `a retry delay must be from 0 to ${inTime(limits.delayMsMax)} in whole ms, not ${inTime(ms)}`,
    )
}

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max

const invalid = (message: string): KirokuError => new KirokuError('InvalidConfig', message)

/** Whether this version has such a kind of policy. */
export const isRetryKind = (kind: unknown): kind is RetryPolicy['kind'] =>
  typeof kind === 'string' && Object.hasOwn(kinds, kind)

const kindOf = ({ kind }: RetryPolicy) => kinds[kind] as Kind<RetryPolicy>

/** How each kind is written. */
const retryForms = Object.values(kinds)
  .map(({ form }) => form)
  .join(', ')

const syntaxes = Object.values(kinds).map(({ syntax }) => syntax)

/** What a retry policy may be, in words. Joined by hand: `Intl` would take every program 20 ms of its start. */
export const retrySyntax: string = `${syntaxes.slice(0, -1).join(', ')}, or ${syntaxes.at(-1)!}`

/**
 * The pause before the next attempt.
 * @param attempt the attempt that failed, from 1
 * @param random chance as an argument, 0 (inclusive) to 1; only jitter uses it
 * @returns whole ms
 */
export const retryDelayMs = (policy: RetryPolicy, attempt: number, random: number): number =>
  kindOf(policy).delayMs(policy, attempt, random)

/** Checks what was given as a retry policy. Errors: `InvalidConfig`. */
export const checkRetry = (value: unknown): void => {
  const retry = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  if (!isRetryKind(retry['kind'])) throw invalid(`retry.kind must be one of ${Object.keys(kinds).join(', ')}`)
  kinds[retry['kind']].check(retry)
}

/**
 * Reads a retry policy: a duration, or `KIND:` with what belongs to the kind. Delays out of range are `checkRetry`'s.
 * Errors: `InvalidArgument`.
 */
export const parseRetryPolicy = (text: string, what: string): RetryPolicy => {
  const [kind, rest] = split(text.trim())
  if (isRetryKind(kind) && (rest !== undefined || kind === 'rocketmq'))
    return kinds[kind].read(rest ?? '', what)
  if (text.trim() === '0' || isDuration(text)) return kinds.fixed.read(text, what)
  throw new KirokuError(
    'InvalidArgument',
    `${what}: "${text}" is not a retry policy; write one of ${retryForms}`,
  )
}

const split = (text: string): [kind: string, rest: string | undefined] => {
  const colon = text.indexOf(':')
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)]
}

/** Writes a retry policy so that it is read back the same. */
export const writeRetryPolicy = (policy: RetryPolicy): string => kindOf(policy).write(policy)

/** A retry policy in words. `duration` writes ms. */
export const describeRetryPolicy = (policy: RetryPolicy, duration: (ms: number) => string): string =>
  kindOf(policy).describe(policy, duration)
