import { readFileSync } from 'node:fs'
import type { QueueChange, QueueSettings, SettingChange } from '@kiroku/client'
import {
  KirokuError,
  parseSetting,
  type QueueConfig,
  type QueueSetting,
  queueSettings,
  rangeOf,
  writeSetting,
} from '@kiroku/protocol'
import type { FlagSpec, Invocation } from '../cli/CommandSpec.ts'

/** A row of the table of queue settings, as a flag. */
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

const metavarOf = {
  duration: 'DURATION',
  bytes: 'BYTES',
  count: 'N',
  retry: 'POLICY',
  queue: 'QUEUE',
  schema: 'FILE',
} as const

/** A setting as a flag, with its default in the help. */
export const flagSpecOf = ({ flag: name, row }: QueueFlag, byDefault: string): FlagSpec => {
  if (row.kind === 'choice')
    return { name, kind: 'choice', choices: row.choices, description: `${row.says} [${byDefault}]` }
  const description = `${row.says} [${rangeOf(row)}; ${byDefault}]`
  return { name, kind: 'text', metavar: metavarOf[row.kind], description }
}

/** The flags of `queue create` and `queue update`. */
export const queueFlagSpecs: readonly FlagSpec[] = queueFlags.map((flag) =>
  flagSpecOf(flag, `default ${writeSetting(flag.row, flag.row.default)}`),
)

/** Reads the given queue flags. Errors: `InvalidArgument`. */
export const queueConfigOf = (invocation: Pick<Invocation, 'text'>, flags = queueFlags): QueueSettings => {
  const config: Record<string, unknown> = {}
  for (const { key, flag, row } of flags) {
    const text = invocation.text(flag)
    if (text !== undefined) config[key] = parseFlag(row, text, `--${flag}`)
  }
  return config
}

/** Refuses an update that changes nothing, since a setting was forgotten. Errors: `InvalidArgument`. */
export const requireSetting = <Settings extends object>(settings: Settings, command: string): Settings => {
  if (Object.keys(settings).length > 0) return settings
  throw new KirokuError(
    'InvalidArgument',
    `give at least one setting to change; \`${command} --help\` lists them`,
  )
}

/** Reads a setting from its flag: like `parseSetting`, a schema from a file. Errors: as `parseSetting`. */
export const parseFlag = (row: QueueSetting, text: string, what: string): unknown =>
  row.kind === 'schema' && text !== 'none' ? readSchema(text, what) : parseSetting(row, text, what)

const readSchema = (file: string, what: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `${what}: ${file} is not a file with a JSON Schema`, { cause })
  }
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
  return `${flag} ${writeSetting(row, from as never)} → ${writeSetting(row, to as never)}`
}
