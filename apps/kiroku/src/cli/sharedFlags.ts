import type { SettingKey } from '../config/settings.ts'
import type { ArgumentSpec, FlagSpec } from './CommandSpec.ts'

/** The queue that a command is about. */
export const queueArgument: ArgumentSpec = { name: 'queue', description: 'Name of the queue.' }

/** One subscription of it. */
export const subscriptionFlag: FlagSpec = {
  name: 'subscription',
  kind: 'text',
  metavar: 'NAME',
  description: 'Subscription of the queue; default main.',
}

/** Settings of commands that read much of the log. */
export const gentleFlag: FlagSpec = {
  name: 'gentle',
  kind: 'boolean',
  description: 'Yield while the machine is busy, so that an engine on it is not slowed; takes longer.',
}

/** Of commands that show bodies. */
export const revealFlag: FlagSpec = {
  name: 'reveal',
  kind: 'boolean',
  description: 'Also show bodies that a queue hides.',
}

/** Settings of every command that talks to an engine or a log. */
export const natsSettings: readonly SettingKey[] = [
  'nats',
  'natsCreds',
  'natsNkey',
  'natsAs',
  'natsUser',
  'natsPassword',
  'natsToken',
  'natsTlsCa',
  'natsTlsCert',
  'natsTlsKey',
  'log',
  'dataDir',
]
