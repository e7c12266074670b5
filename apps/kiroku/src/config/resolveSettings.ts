import {
  formatDuration,
  isKirokuError,
  KirokuError,
  nearest,
  parseBytes,
  parseDurationMs,
} from '@kiroku/protocol'
import { errorAt, where } from '@kiroku/worker/located'
import type { ConfigFile } from './ConfigFile.ts'
import { settingsTable, type Setting, type SettingKey, type Settings } from './settings.ts'

/** Where values come from; flags win over the environment, which wins over the file. */
export interface SettingSources {
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly file: ConfigFile
}

/** What a configuration file may hold; the file itself is named elsewhere. */
const fileKeys = new Set<string>([
  ...settingsTable.map((row) => row.key).filter((key) => key !== 'config'),
  'queues',
  '$schema',
])

/**
 * Resolves every setting. Errors: `InvalidConfig`, which names the source and the value that is wrong.
 */
export const resolveSettings = (sources: SettingSources): Settings => {
  for (const key of Object.keys(sources.file.root))
    if (!fileKeys.has(key)) {
      const meant = nearest(key, [...fileKeys])
      const hint = meant === undefined ? '' : `. Did you mean "${meant}"?`
      throw errorAt(sources.file, [key], `is not a setting${hint}`)
    }
  const settings: Partial<Record<SettingKey, string | number>> = {}
  for (const row of settingsTable as readonly (Setting & { key: SettingKey })[]) {
    const found = pick(row, sources)
    if (found !== undefined) settings[row.key] = read(row, found.value, found.source)
  }
  return settings as Settings
}

const pick = (row: Setting, sources: SettingSources): { value: unknown; source: string } | undefined => {
  const flag = sources.flags[row.flag]
  if (flag !== undefined) return { value: flag, source: `--${row.flag}` }
  const env = sources.env[row.env]
  if (env !== undefined && env !== '') return { value: env, source: row.env }
  const { file } = sources
  const value = file.root[row.key]
  if (value !== undefined) return { value, source: `${where(file, [row.key])}: ${row.key}` }
  return row.default === undefined ? undefined : { value: row.default, source: 'default' }
}

const read = (row: Setting, value: unknown, source: string): string | number => {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new KirokuError('InvalidConfig', `${source} must be a string or a number`)
  const text = String(value)
  switch (row.kind) {
    case 'int': {
      const number = Number(text)
      if (!/^\d+$/.test(text) || number < (row.min ?? 0) || number > (row.max ?? Infinity)) {
        const bounds = `from ${row.min ?? 0}${row.max === undefined ? '' : ` to ${row.max}`}`
        throw new KirokuError('InvalidConfig', `${source}: "${text}" is not a whole number ${bounds}`)
      }
      return number
    }
    case 'duration':
      return within(
        row,
        asConfigError(() => parseDurationMs(text, source)),
        `${source}: "${text}"`,
      )
    case 'bytes':
      return asConfigError(() => parseBytes(text, source))
    case 'choice':
      if (!row.choices!.includes(text))
        throw new KirokuError(
          'InvalidConfig',
          `${source}: "${text}" is not one of ${row.choices!.join(', ')}`,
        )
      return text
    default:
      return text
  }
}

const within = ({ min = 0, max = Infinity }: Setting, ms: number, named: string): number => {
  if (ms >= min && ms <= max) return ms
  throw new KirokuError(
    'InvalidConfig',
    `${named} is not from ${formatDuration(min)} to ${formatDuration(max)}`,
  )
}

const asConfigError = (parseValue: () => number): number => {
  try {
    return parseValue()
  } catch (error) {
    throw isKirokuError(error) ? new KirokuError('InvalidConfig', error.message) : error
  }
}
