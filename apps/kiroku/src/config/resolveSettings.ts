import { existsSync, readFileSync } from 'node:fs'
import { isKirokuError, KirokuError } from '@kiroku/message'
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { settingsTable, type Setting, type SettingKey, type Settings } from './settings.ts'
import { parseBytes, parseDurationMs } from './units.ts'

/** Name of the configuration file, looked for in the working folder. */
export const configFile = 'kiroku.jsonc'

/** Where values come from; flags win over the environment, which wins over the file. */
export interface SettingSources {
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly file: Readonly<Record<string, unknown>>
}

/**
 * Resolves every setting. Errors: `InvalidConfig`, which names the source and the value that is wrong.
 */
export const resolveSettings = (sources: SettingSources): Settings => {
  const known = new Set<string>(settingsTable.map((row) => row.key))
  for (const key of Object.keys(sources.file))
    if (!known.has(key) && key !== '$schema')
      throw new KirokuError('InvalidConfig', `${configFile}: "${key}" is not a setting`)
  const settings: Partial<Record<SettingKey, string | number>> = {}
  for (const row of settingsTable as readonly (Setting & { key: SettingKey })[]) {
    const found = pick(row, sources)
    if (found !== undefined) settings[row.key] = read(row, found.value, found.source)
  }
  return settings as Settings
}

/** Reads `kiroku.jsonc` of `folder`; nothing when there is none. Errors: `MalformedJson` with the line. */
export const readConfigFile = (folder: string): Record<string, unknown> => {
  const path = `${folder}/${configFile}`
  if (!existsSync(path)) return {}
  const text = readFileSync(path, 'utf8')
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length
    throw new KirokuError('MalformedJson', `${configFile}, line ${line}: ${printParseErrorCode(first.error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KirokuError('MalformedJson', `${configFile} must hold one object`)
  return value as Record<string, unknown>
}

const pick = (row: Setting, sources: SettingSources): { value: unknown; source: string } | undefined => {
  const flag = sources.flags[row.flag]
  if (flag !== undefined) return { value: flag, source: `--${row.flag}` }
  const env = sources.env[row.env]
  if (env !== undefined && env !== '') return { value: env, source: row.env }
  const file = sources.file[row.key]
  if (file !== undefined) return { value: file, source: `${configFile}: ${row.key}` }
  return row.default === undefined ? undefined : { value: row.default, source: 'default' }
}

const read = (row: Setting, value: unknown, source: string): string | number => {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new KirokuError('InvalidConfig', `${source} must be a string or a number`)
  const text = String(value)
  switch (row.kind) {
    case 'int': {
      const number = Number(text)
      if (!/^\d+$/.test(text) || number < (row.min ?? 0))
        throw new KirokuError(
          'InvalidConfig',
          `${source}: "${text}" is not a whole number from ${row.min ?? 0}`,
        )
      return number
    }
    case 'duration':
      return asConfigError(() => parseDurationMs(text, source))
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

const asConfigError = (parseValue: () => number): number => {
  try {
    return parseValue()
  } catch (error) {
    throw isKirokuError(error) ? new KirokuError('InvalidConfig', error.message) : error
  }
}
