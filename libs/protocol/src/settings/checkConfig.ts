import { KirokuError } from '../error/KirokuError.ts'
import { limits } from '../limits.ts'
import { instead } from '../nearest.ts'
import type { QueueConfig } from './QueueConfig.ts'
import { checkRetry } from './RetryPolicy.ts'
import { inBytes, inTime, valueInWords } from './inUnits.ts'
import { queueSettings, type QueueSetting } from './queueSettings.ts'

/**
 * Lays `changes` over `base` and checks the whole; a setting that is `undefined` stays as it is. Errors:
 * `InvalidConfig`, naming the setting, its value and its range.
 */
export const checkConfig = (base: QueueConfig, changes: Partial<QueueConfig>): QueueConfig => {
  const changed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(queueSettings, name)) throw unknownSetting(name)
    if (value === undefined) continue
    checkSetting(name as keyof QueueConfig, value)
    changed[name] = value
  }
  const config: QueueConfig = { ...base, ...changed }
  if (config.deliveryDelayMs >= config.retentionMs)
    throw invalid(
      `a deliveryDelayMs of ${config.deliveryDelayMs} outlasts the retentionMs of ${config.retentionMs}`,
    )
  if (config.groups === 'ordered' && config.retry.kind !== 'fixed')
    throw invalid(`an ordered queue retries after a fixed pause, not by retry.kind "${config.retry.kind}"`)
  if (config.erasable === 'group' && config.groups === 'none')
    throw invalid('erasable "group" needs groups: set groups to "ordered" or "fair"')
  if (config.erasable !== 'none' && config.indexBody === 'on')
    throw invalid(
      'the bodies of an erasable queue are encrypted and cannot be indexed; set indexBody to "off"',
    )
  if (config.bodyHidden === 'on' && config.indexBody === 'on')
    throw invalid('searching bodies would reveal hidden ones; set indexBody to "off"')
  if (config.erasable !== 'none' && config.dedup === 'content')
    throw invalid(
      'an erasable queue cannot detect repeats by content, whose digest would stay on record; set dedup to "id"',
    )
  if (config.leaseMs < config.leaseMinMs)
    throw invalid(`a leaseMs of ${config.leaseMs} is shorter than the leaseMinMs of ${config.leaseMinMs}`)
  if (config.leaseCapMs !== 0 && config.leaseCapMs < config.leaseMs)
    throw invalid(`a leaseCapMs of ${config.leaseCapMs} is shorter than the leaseMs of ${config.leaseMs}`)
  return config
}

/** The error of a name that no setting has. */
export const unknownSetting = (name: string): KirokuError =>
  invalid(`there is no setting "${name}"${instead(name, Object.keys(queueSettings))}`)

/** Checks one setting by itself. Errors: `InvalidConfig`. */
export const checkSetting = (name: keyof QueueConfig, value: unknown): void => {
  const row: QueueSetting = queueSettings[name]
  switch (row.kind) {
    case 'choice':
      if (!row.choices.includes(value as string))
        throw invalid(`${name} must be one of ${row.choices.join(', ')}, not ${valueInWords(value)}`)
      return
    case 'retry':
      return checkRetry(value)
    case 'queue':
      if (value !== null && !isTarget(value))
        throw invalid(`${name} must be the name of a queue, or null, not ${valueInWords(value)}`)
      return
    case 'schema': {
      const isObject = typeof value === 'object' && !Array.isArray(value)
      if (!isObject) throw invalid(`${name} must be a JSON Schema, or null, not ${valueInWords(value)}`)
      if (JSON.stringify(value).length > limits.bodySchemaCharactersMax)
        throw invalid(`${name} may have ${limits.bodySchemaCharactersMax} characters of JSON`)
      return
    }
    default:
      if (value === 'unlimited' && row.orUnlimited === true) return
      if (!isWhole(value, row.min, row.max)) throw invalid(`${name} must be ${rangeText(row, value)}`)
  }
}

const rangeText = (
  { kind, min, max, orUnlimited }: Extract<QueueSetting, { readonly min: number }>,
  value: unknown,
): string => {
  if (kind === 'duration') return `from ${inTime(min)} to ${inTime(max)} in whole ms, not ${inTime(value)}`
  if (kind === 'bytes') return `from ${inBytes(min)} to ${inBytes(max)} in whole bytes, not ${inBytes(value)}`
  return `a whole number from ${min} to ${max}${orUnlimited === true ? ' or "unlimited"' : ''}, not ${valueInWords(value)}`
}

const isTarget = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { partition, queue, name } = value as Record<string, unknown>
  const { MAX_SAFE_INTEGER } = Number
  return (
    isWhole(partition, 0, MAX_SAFE_INTEGER) && isWhole(queue, 1, MAX_SAFE_INTEGER) && typeof name === 'string'
  )
}

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max

const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && isWithin(value, min, max)

const invalid = (message: string): KirokuError => new KirokuError('InvalidConfig', message)
