import { type QueueConfig, type QueueSetting, queueSettings, type RetryPolicy } from '@kiroku/protocol'
import { count } from '../../parts/format.ts'
import { readDuration, readSize, writeDuration, writeSize } from '../../parts/unitText.ts'

/** Settings as they are written in a form, by their keys. */
export type SettingDraft = Readonly<Record<string, string>>

/** What a form says: the settings that are another than before, and what cannot be read. */
export interface DraftChanges {
  readonly changes: Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, string>>
}

const rowOf = (key: string): QueueSetting => queueSettings[key as keyof QueueConfig]

/** Settings as a form shows them, in the words of the command line. */
export const draftOf = (config: Partial<QueueConfig>): SettingDraft =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, textOf(rowOf(key), value)]))

/** What a form says that `before` does not. */
export const changesOf = (draft: SettingDraft, before: Partial<QueueConfig>): DraftChanges => {
  const was = draftOf(before)
  const changes: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [key, text] of Object.entries(draft)) {
    if (text === was[key]) continue
    const row = rowOf(key)
    const value = valueOf(row, text)
    const error = value === undefined ? `write ${exampleOf(row)}` : rangeError(row, value)
    if (error !== undefined) errors[key] = error
    else changes[key] = value
  }
  return { changes, errors }
}

const textOf = (row: QueueSetting, value: unknown): string => {
  switch (row.kind) {
    case 'duration':
      return writeDuration(value as number)
    case 'bytes':
      return writeSize(value as number)
    case 'retry':
      return writeRetry(value as RetryPolicy)
    case 'queue':
      return (value as { readonly name: string } | null)?.name ?? ''
    case 'schema':
      return value === null ? '' : JSON.stringify(value)
    default:
      return String(value)
  }
}

const valueOf = (row: QueueSetting, text: string): unknown => {
  switch (row.kind) {
    case 'duration':
      return readDuration(text)
    case 'bytes':
      return readSize(text)
    case 'count':
      return /^\d+$/.test(text.trim()) ? Number(text) : undefined
    case 'retry':
      return readRetry(text.trim())
    case 'queue':
      return text === '' ? null : text
    default:
      return text
  }
}

const exampleOf = ({ kind }: QueueSetting): string =>
  ({
    duration: 'a number and its unit, like 500ms, 30s, 5m, 2h or 7d',
    bytes: 'a number and its unit, like 512KiB or 1MiB',
    count: 'a whole number',
    retry: 'a pause like 30s, exponential:2s,2,10m,0.2, list:1s,1m or rocketmq',
    choice: '',
    queue: '',
    schema: '',
  })[kind]

const rangeError = (row: QueueSetting, value: unknown): string | undefined => {
  if (!('min' in row) || typeof value !== 'number' || (value >= row.min && value <= row.max)) return undefined
  const write = row.kind === 'duration' ? writeDuration : row.kind === 'bytes' ? writeSize : count
  return `from ${write(row.min)} to ${write(row.max)}`
}

const writeRetry = (retry: RetryPolicy): string => {
  switch (retry.kind) {
    case 'fixed':
      return writeDuration(retry.delayMs)
    case 'exponential':
      return `exponential:${writeDuration(retry.baseMs)},${retry.factor},${writeDuration(retry.maxMs)},${retry.jitter}`
    case 'list':
      return `list:${retry.delaysMs.map(writeDuration).join(',')}`
    case 'rocketmq':
      return 'rocketmq'
  }
}

const readRetry = (text: string): RetryPolicy | undefined => {
  if (text === 'rocketmq') return { kind: 'rocketmq' }
  const [kind = '', rest] = text.split(':')
  if (rest === undefined) {
    const delayMs = readDuration(text)
    return delayMs === undefined ? undefined : { kind: 'fixed', delayMs }
  }
  const parts = rest.split(',')
  if (kind === 'list') {
    const delaysMs = parts.map(readDuration)
    return delaysMs.every((ms) => ms !== undefined) ? { kind: 'list', delaysMs } : undefined
  }
  const [baseMs, maxMs] = [readDuration(parts[0] ?? ''), readDuration(parts[2] ?? '')]
  const [factor, jitter] = [Number(parts[1]), Number(parts[3] ?? 0)]
  if (kind !== 'exponential' || baseMs === undefined || maxMs === undefined) return undefined
  return Number.isNaN(factor) || Number.isNaN(jitter)
    ? undefined
    : { kind: 'exponential', baseMs, factor, maxMs, jitter }
}
