import {
  canonical,
  defaultQueueConfig,
  queueSettings,
  settingGroups as titles,
  type QueueConfig,
  type QueueSetting,
} from '@kiroku/protocol'

const rows = Object.entries(queueSettings) as readonly [keyof QueueConfig, QueueSetting][]

/** The settings of a queue by group. */
export const settingGroups: readonly (readonly [title: string, keys: readonly (keyof QueueConfig)[]])[] =
  titles.map((title) => [title, rows.filter(([, { group }]) => group === title).map(([key]) => key)])

/** Whether a setting has its default. */
export const isDefault = (key: keyof QueueConfig, value: unknown): boolean =>
  JSON.stringify(canonical(value)) === JSON.stringify(canonical(defaultQueueConfig[key]))
