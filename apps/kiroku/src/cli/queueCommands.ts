import { queueFlagSpecs } from '../config/queueFlags.ts'
import type { ArgumentSpec, CommandSpec, FlagSpec } from './CommandSpec.ts'
import { natsSettings } from './sharedSettings.ts'

/** The queue that a command is about. */
export const queueArgument: ArgumentSpec = { name: 'queue', description: 'Name of the queue.' }

/** One subscription of it. */
export const subscriptionFlag: FlagSpec = {
  name: 'subscription',
  kind: 'text',
  metavar: 'NAME',
  description: 'Subscription of the queue; default main.',
}

const queueAct = (name: string, summary: string): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument],
  settings: natsSettings,
  load: async () => (await import('../commands/queue.ts')).queueAct(name as never),
})

/** `queue …`. */
export const queueCommands: CommandSpec = {
  name: 'queue',
  summary: 'Create, list, show, change and delete queues.',
  subcommands: [
    {
      name: 'create',
      summary: 'Create a queue.',
      examples: [
        {
          command:
            'kiroku queue create mail --retries 5 --retry exponential:1s,2,10m,0.2 --dead-letter mail-dlq',
          description: 'Five retries with growing pauses, then a dead-letter queue',
        },
      ],
      arguments: [queueArgument],
      flags: queueFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('../commands/queue.ts')).create,
    },
    {
      name: 'list',
      summary: 'List queues with their counts.',
      settings: natsSettings,
      load: async () => (await import('../commands/queue.ts')).list,
    },
    {
      name: 'show',
      summary: 'Show a queue: counts, configuration and subscriptions.',
      arguments: [queueArgument],
      settings: natsSettings,
      load: async () => (await import('../commands/queue.ts')).show,
    },
    {
      name: 'groups',
      summary: 'List the message groups of a queue: those that are held up first, with what holds them up.',
      arguments: [queueArgument],
      flags: [subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('../commands/groups.ts')).groups,
    },
    {
      name: 'update',
      summary: "Change a queue's configuration; what is not named stays.",
      arguments: [queueArgument],
      flags: queueFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('../commands/queue.ts')).update,
    },
    queueAct('delete', 'Delete a queue and everything in it.'),
    queueAct('purge', 'Discard every message that is not final.'),
    queueAct('pause', 'Stop deliveries; sends go on.'),
    queueAct('resume', 'Start deliveries again.'),
  ],
}
