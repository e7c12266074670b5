import type { SettingKey } from '../config/settings.ts'

/** Settings of every command that talks to an engine or a log. */
export const natsSettings: readonly SettingKey[] = [
  'nats',
  'natsCreds',
  'natsUser',
  'natsPassword',
  'natsToken',
  'natsTlsCa',
  'natsTlsCert',
  'natsTlsKey',
  'log',
  'dataDir',
]
