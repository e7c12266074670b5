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

const queueAct = (name: string, summary: string, flags: readonly FlagSpec[] = []): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument],
  flags,
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
      flags: [
        {
          name: 'all',
          kind: 'boolean',
          description: 'Also each queue that a requester made for its answers; otherwise they are one row.',
        },
      ],
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
    {
      name: 'spread',
      summary: 'Let a queue lie on several partitions, live; 1 brings it together again.',
      description:
        'A queue that one partition cannot carry is stored on several; its limits are shared out among them, and a batch comes from one of them. What is taken away takes no sends any more, and ends when it is empty. A queue that keeps order or stores equal messages once stays on one.',
      examples: [
        {
          command: 'kiroku queue spread orders --partitions 4',
          description: 'Four partitions, its own among them',
        },
      ],
      arguments: [queueArgument],
      flags: [
        {
          name: 'partitions',
          kind: 'int',
          metavar: 'N',
          description: 'Partitions that the queue lies on, its own among them; required.',
        },
      ],
      settings: natsSettings,
      load: async () => (await import('../commands/spread.ts')).spread,
    },
    queueAct(
      'delete',
      'Delete a queue and everything in it, unless others name it as their dead-letter queue.',
      [
        {
          name: 'force',
          kind: 'boolean',
          description:
            'Also while others name it; what would go there waits until a queue of its name is there again.',
        },
      ],
    ),
    queueAct('purge', 'Discard every message that is not final.'),
    queueAct('pause', 'Stop deliveries; sends go on.'),
    queueAct('resume', 'Start deliveries again.'),
  ],
}
