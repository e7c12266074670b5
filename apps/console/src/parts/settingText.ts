import { bytes, count, duration, time } from './format.ts'

/** A setting of a queue as people read it, by its key, whose end is the unit: `leaseMs`, `bodyBytesMax`. */
export const settingText = (key: string, value: unknown): string => {
  if (value === undefined) return ''
  if (value === null) return 'none'
  if (key === 'retry') return retryText(value as never)
  if (key === 'deadLetter') return (value as { readonly name?: string }).name ?? 'none'
  if (typeof value === 'number') return numberText(key, value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  return JSON.stringify(value)
}

/** What 0 stands for where it is not just nothing. */
const ofZero: Readonly<Record<string, string>> = {
  rateMax: 'no limit',
  inflightMax: 'no limit',
  concurrencyMax: 'no limit',
  messagesMax: 'no limit',
  leaseCapMs: 'no cap',
  idleMs: 'never',
}

const numberText = (key: string, value: number): string => {
  const zero = ofZero[key]
  if (value === 0 && zero !== undefined) return zero
  if (key.endsWith('Ms')) return value === 0 ? 'none' : duration(value)
  if (/Bytes(Max)?$/.test(key)) return bytes(value)
  if (key === 'rateMax') return `${count(value)} per second`
  if (key.endsWith('At')) return time(value)
  return count(value)
}

type Retry =
  | { readonly kind: 'fixed'; readonly delayMs: number }
  | {
      readonly kind: 'exponential'
      readonly baseMs: number
      readonly factor: number
      readonly maxMs: number
      readonly jitter: number
    }
  | { readonly kind: 'rocketmq' }
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] }

const retryText = (retry: Retry): string => {
  switch (retry.kind) {
    case 'fixed':
      return retry.delayMs === 0 ? 'none' : duration(retry.delayMs)
    case 'exponential':
      return (
        `${duration(retry.baseMs)}, × ${retry.factor} each time, up to ${duration(retry.maxMs)}` +
        (retry.jitter === 0 ? '' : `, minus up to ${Math.round(100 * retry.jitter)} % jitter`)
      )
    case 'list':
      return retry.delaysMs.length === 0 ? 'none' : retry.delaysMs.map(duration).join(', ')
    case 'rocketmq':
      return 'RocketMQ levels, 10 s to 2 h'
  }
}

/** How people read the keys. */
const names: Readonly<Record<string, string>> = {
  leaseMs: 'lease',
  leaseMinMs: 'shortest lease',
  leaseCapMs: 'lease cap',
  retriesMax: 'retries',
  retry: 'retry delay',
  exhaustion: 'retries exhausted',
  lateHandles: 'late acks',
  deadLetter: 'dead letters go to',
  groups: 'groups',
  erasable: 'erasable by',
  dedup: 'deduplication',
  dedupScope: 'deduplication within',
  dedupWindowMs: 'deduplication window',
  retentionMs: 'retention',
  retentionFrom: 'retention counts from',
  deliveryDelayMs: 'delivery delay',
  receiveWaitMs: 'receive wait',
  batchMessages: 'batch size',
  batchWaitMs: 'batch wait',
  batchBytes: 'batch bytes',
  rateMax: 'rate limit',
  inflightMax: 'max in flight',
  concurrencyMax: 'max concurrent deliveries',
  bodyBytesMax: 'max body size',
  indexBody: 'bodies searchable',
  bodyHidden: 'bodies hidden',
  bodySchema: 'body schema',
  bodyCheck: 'bodies checked',
  idleMs: 'delete when idle for',
}

/** The name of a setting as people read it; one without a name keeps its key. */
export const settingName = (key: string): string => names[key] ?? key
