import {
  describeRetryPolicy,
  type QueueConfig,
  type QueueSetting,
  queueSettings,
  type RetryPolicy,
} from '@kiroku/protocol'
import { bytes, count, duration, time } from './format.ts'

const rowOf = (key: string): QueueSetting | undefined =>
  Object.hasOwn(queueSettings, key) ? queueSettings[key as keyof QueueConfig] : undefined

/** A setting of a queue as text; anything else by its key, whose suffix is the unit: `idleMs`, `sentAt`. */
export const settingText = (key: string, value: unknown): string => {
  if (value === undefined) return ''
  if (value === null) return 'none'
  const row = rowOf(key)
  if (row?.kind === 'retry') return describeRetryPolicy(value as RetryPolicy, duration)
  if (row?.kind === 'queue') return (value as { readonly name?: string }).name ?? 'none'
  if (typeof value === 'number') return numberText(key, value, row)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  return JSON.stringify(value)
}

const numberText = (key: string, value: number, row: QueueSetting | undefined): string => {
  if (value === 0 && row?.zeroMeans !== undefined) return row.zeroMeans
  if (row?.kind === 'duration' || key.endsWith('Ms')) return value === 0 ? 'none' : duration(value)
  if (row?.kind === 'bytes' || key.endsWith('Bytes')) return bytes(value)
  if (key.endsWith('At')) return time(value)
  return key === 'rateMax' ? `${count(value)} per second` : count(value)
}

/** The readable name of a setting; anything else keeps its key. */
export const settingName = (key: string): string => rowOf(key)?.title ?? key
