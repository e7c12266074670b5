import { readFileSync } from 'node:fs'
import type { QueueChange, QueueSettings, SettingChange } from '@kiroku/client'
import {
  type DeadLetterTarget,
  KirokuError,
  type QueueConfig,
  type QueueSetting,
  queueSettings,
  type RetryPolicy,
} from '@kiroku/protocol'
import type { FlagSpec, Invocation } from '../cli/CommandSpec.ts'
import { exactBytes, exactDuration, parseBytes, parseDurationMs } from './units.ts'

/** A row of the table of queue settings, as the command line writes it. */
export interface QueueFlag {
  readonly key: keyof QueueConfig
  readonly flag: string
  readonly row: QueueSetting
}

/** Every queue setting with its flag: the key in kebab case, without the unit or the bound at its end. */
export const queueFlags: readonly QueueFlag[] = Object.entries(queueSettings).map(([key, row]) => ({
  key: key as keyof QueueConfig,
  flag: key.replace(/(Ms|Max)$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  row,
}))

const formatNumber = ({ kind }: QueueSetting, value: number): string =>
  kind === 'duration' ? exactDuration(value) : kind === 'bytes' ? exactBytes(value) : String(value)

/** Writes a retry policy as `--retry` reads it. */
const formatRetryPolicy = (policy: RetryPolicy): string => {
  switch (policy.kind) {
    case 'fixed':
      return exactDuration(policy.delayMs)
    case 'exponential':
      return `exponential:${exactDuration(policy.baseMs)},${policy.factor},${exactDuration(policy.maxMs)},${policy.jitter}`
    case 'rocketmq':
      return 'rocketmq'
    case 'list':
      return `list:${policy.delaysMs.map(exactDuration).join(',')}`
  }
}

/** Writes a setting as its flag reads it. */
export const formatSetting = (
  row: QueueSetting,
  value: QueueSetting['default'] | QueueConfig[keyof QueueConfig],
): string => {
  if (typeof value === 'number') return formatNumber(row, value)
  if (typeof value === 'string') return value
  if (value === null) return 'none'
  if (row.kind === 'schema') return JSON.stringify(value)
  return 'kind' in value ? formatRetryPolicy(value as RetryPolicy) : (value as DeadLetterTarget).name
}

/** What a setting may be, in words. */
export const rangeOf = (row: QueueSetting): string => {
  switch (row.kind) {
    case 'choice':
      return row.choices.join(' or ')
    case 'retry':
      return 'a duration, exponential:BASE,FACTOR,MAX,JITTER, rocketmq, or list:D1,D2,…'
    case 'queue':
      return 'a queue or none'
    case 'schema':
      return 'a file or none'
    default:
      return `${formatNumber(row, row.min)} to ${formatNumber(row, row.max)}`
  }
}

/** A setting as a flag, and in its help what holds without it. */
export const flagSpecOf = ({ flag: name, row }: QueueFlag, byDefault: string): FlagSpec => {
  if (row.kind === 'choice')
    return { name, kind: 'choice', choices: row.choices, description: `${row.says} [${byDefault}]` }
  const description = `${row.says} [${rangeOf(row)}; ${byDefault}]`
  if (row.kind === 'count') return { name, kind: 'int', description }
  const metavar = row.kind === 'retry' ? 'POLICY' : row.kind === 'schema' ? 'FILE' : row.kind.toUpperCase()
  return { name, kind: 'text', metavar, description }
}

/** The flags of `queue create` and `queue update`. */
export const queueFlagSpecs: readonly FlagSpec[] = queueFlags.map((flag) =>
  flagSpecOf(flag, `default ${formatSetting(flag.row, flag.row.default)}`),
)

/** Reads those of the queue flags that were given. Errors: `InvalidArgument`. */
export const queueConfigOf = (
  invocation: Pick<Invocation, 'text' | 'int'>,
  flags = queueFlags,
): QueueSettings => {
  const config: Record<string, unknown> = {}
  for (const { key, flag, row } of flags) {
    const value = row.kind === 'count' ? invocation.int(flag) : invocation.text(flag)
    if (value !== undefined)
      config[key] = typeof value === 'number' ? value : parseSetting(row, value, `--${flag}`)
  }
  return config
}

/** Reads a setting as its flag has it; `what` names it in errors. Errors: `InvalidArgument`, `InvalidConfig` out of range. */
export const parseSetting = (row: QueueSetting, text: string, what: string): unknown => {
  switch (row.kind) {
    case 'duration':
      return within(row, parseDurationMs(text, what), text, what)
    case 'bytes':
      return within(row, parseBytes(text, what), text, what)
    case 'retry':
      return parseRetryPolicy(text, what)
    case 'queue':
      return text === 'none' ? null : text
    case 'schema':
      return text === 'none' ? null : readSchema(text, what)
    default:
      return text
  }
}

const within = (
  row: QueueSetting & { readonly min: number; readonly max: number },
  value: number,
  text: string,
  what: string,
): number => {
  if (value >= row.min && value <= row.max) return value
  throw new KirokuError('InvalidConfig', `${what} must be ${rangeOf(row)}, not ${text}`)
}

const readSchema = (file: string, what: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `${what}: ${file} is no file with a JSON Schema`, { cause })
  }
}

/** Reads a retry policy. Errors: `InvalidArgument`. */
export const parseRetryPolicy = (text: string, what: string): RetryPolicy => {
  if (text === 'rocketmq') return { kind: 'rocketmq' }
  const [kind, rest] = split(text)
  if (kind === 'list')
    return { kind, delaysMs: rest.split(',').map((delay) => parseDurationMs(delay, `${what} list`)) }
  if (kind === 'exponential') {
    const [base, factor = '2', max = '1h', jitter = '0'] = rest.split(',')
    const numbers = { factor: Number(factor), jitter: Number(jitter) }
    if (!(numbers.factor >= 1) || !(numbers.jitter >= 0 && numbers.jitter <= 1))
      throw new KirokuError(
        'InvalidArgument',
        `${what}: "${text}" needs a factor from 1 and a jitter from 0 to 1, like exponential:1s,2,10m,0.2`,
      )
    return {
      kind,
      baseMs: parseDurationMs(base!, `${what} exponential, base`),
      maxMs: parseDurationMs(max, `${what} exponential, max`),
      ...numbers,
    }
  }
  return { kind: 'fixed', delayMs: parseDurationMs(kind === 'fixed' ? rest : text, what) }
}

const split = (text: string): [string, string] => {
  const colon = text.indexOf(':')
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
}

/** What a section of a file changes, as flags with the old and the new values; empty for nothing. */
export const describeChange = ({ changes, subscriptions }: QueueChange): string =>
  [
    ...changes.map(describeSetting),
    ...subscriptions.flatMap(({ subscription, outcome, changes: own }) =>
      outcome === 'unchanged'
        ? []
        : [`subscription ${subscription} ${[outcome, ...own.map(describeSetting)].join(' ')}`],
    ),
  ].join(', ')

const describeSetting = ({ setting, from, to }: SettingChange): string => {
  const known = queueFlags.find(({ key }) => key === setting)
  if (known === undefined) return `${setting} ${JSON.stringify(from)} → ${JSON.stringify(to)}`
  const { flag, row } = known
  return `${flag} ${formatSetting(row, from as never)} → ${formatSetting(row, to as never)}`
}
