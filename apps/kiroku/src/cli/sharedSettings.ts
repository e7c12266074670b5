import type { SettingKey } from '../config/settings.ts'
import type { FlagSpec } from './CommandSpec.ts'

/** Of commands that read much of the log. */
export const gentleFlag: FlagSpec = {
  name: 'gentle',
  kind: 'boolean',
  description: 'Yield while the machine is busy, so that an engine on it is not slowed; takes longer.',
}

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
