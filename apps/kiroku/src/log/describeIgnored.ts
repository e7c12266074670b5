import type { LogMeta } from '@kiroku/log'
import { settingsTable, type Setting, type Settings } from '../config/settings.ts'

const keys = ['partitions', 'replicas'] as const

/** Settings that count only when a log is created, and that an existing log contradicts; a line each. A default says nothing. */
export const describeIgnored = (
  settings: Pick<Settings, (typeof keys)[number]>,
  meta: Pick<LogMeta, 'name' | (typeof keys)[number]>,
): string[] =>
  keys
    .filter((key) => settings[key] !== meta[key] && String(settings[key]) !== defaultOf(key))
    .map(
      (key) =>
        `warning: --${key} ${settings[key]} is ignored: log ${meta.name} was created with ${meta[key]}, which stays`,
    )

const defaultOf = (key: (typeof keys)[number]): string | undefined =>
  (settingsTable as readonly Setting[]).find(({ flag }) => flag === key)?.default
