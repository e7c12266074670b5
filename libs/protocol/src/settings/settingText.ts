import { KirokuError } from '../error/KirokuError.ts'
import {
  checkRetry,
  parseRetryPolicy,
  retrySyntax,
  writeRetryPolicy,
  type RetryPolicy,
} from './RetryPolicy.ts'
import type { DeadLetterTarget, QueueConfig } from './QueueConfig.ts'
import type { QueueSetting } from './queueSettings.ts'
import { valueInWords } from './inUnits.ts'
import { exactBytes, exactDuration, parseBytes, parseDurationMs } from './units.ts'

type Numeric = Extract<QueueSetting, { readonly min: number }>

const writeNumber = ({ kind }: QueueSetting, value: number): string =>
  kind === 'duration' ? exactDuration(value) : kind === 'bytes' ? exactBytes(value) : String(value)

/** Writes a setting so that `parseSetting` reads it back; queues by name, no queue and no schema as `none`. */
export const writeSetting = (
  row: QueueSetting,
  value: QueueSetting['default'] | QueueConfig[keyof QueueConfig],
): string => {
  if (typeof value === 'number') return writeNumber(row, value)
  if (typeof value === 'string') return value
  if (value === null) return 'none'
  if (row.kind === 'retry') return writeRetryPolicy(value as RetryPolicy)
  return row.kind === 'queue' ? (value as DeadLetterTarget).name : JSON.stringify(value)
}

/** The values a setting takes, in words. */
export const rangeOf = (row: QueueSetting): string => {
  switch (row.kind) {
    case 'choice':
      return row.choices.join(' or ')
    case 'retry':
      return retrySyntax
    case 'queue':
      return 'a queue or none'
    case 'schema':
      return 'a file or none'
    default:
      return `${writeNumber(row, row.min)} to ${writeNumber(row, row.max)}${orUnlimited(row)}`
  }
}

/**
 * Reads a setting as people write it on the command line, in files and in the console.
 * @param what names the setting in errors
 * @returns ms, bytes, a count, a choice, a policy, a queue's name, a JSON Schema, or null for `none`
 * @throws `InvalidArgument` where the text cannot be read, `InvalidConfig` where the value is out of range
 */
export const parseSetting = (row: QueueSetting, text: string, what: string): unknown => {
  switch (row.kind) {
    case 'duration':
      return within(row, parseDurationMs(text, what), text, what)
    case 'bytes':
      return within(row, parseBytes(text, what), text, what)
    case 'count':
      if (row.orUnlimited === true && text.trim() === 'unlimited') return 'unlimited'
      return within(row, parseCount(text, what), text, what)
    case 'retry': {
      const policy = parseRetryPolicy(text, what)
      checkRetry(policy)
      return policy
    }
    case 'choice':
      if (row.choices.includes(text)) return text
      throw invalid(`${what} must be one of ${row.choices.join(', ')}, not ${valueInWords(text)}`)
    case 'queue':
      return text === 'none' ? null : text
    case 'schema':
      return text === 'none' ? null : parseSchema(text, what)
  }
}

const parseCount = (text: string, what: string): number => {
  const count = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isInteger(count)) return count
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is not a whole number`)
}

const parseSchema = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `${what}: this is not a JSON Schema`, { cause })
  }
}

const within = (row: Numeric, value: number, text: string, what: string): number => {
  if (value >= row.min && value <= row.max) return value
  const [min, max] = [row.min, row.max].map((each) =>
    row.kind === 'count' ? each.toLocaleString('en') : writeNumber(row, each),
  )
  throw invalid(`${what} must be from ${min} to ${max}${orUnlimited(row)}, not ${text.trim()}`)
}

const orUnlimited = (row: Numeric): string => (row.orUnlimited === true ? ' or unlimited' : '')

const invalid = (message: string): KirokuError => new KirokuError('InvalidConfig', message)
