import type { CommandSpec, FlagSpec } from '../../cli/CommandSpec.ts'
import { gentleFlag, natsSettings, queueArgument, subscriptionFlag } from '../../cli/sharedFlags.ts'
import { queueFlagSpecs } from '../../config/queueFlags.ts'

const queueAct = (name: string, summary: string, flags: readonly FlagSpec[] = []): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument],
  flags,
  settings: natsSettings,
  load: async () => (await import('./queue.ts')).queueAct(name as never),
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
          description: 'Five retries with growing delays, then a dead-letter queue',
        },
      ],
      arguments: [queueArgument],
      flags: queueFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('./queue.ts')).create,
    },
    {
      name: 'list',
      summary: 'List queues with their counts.',
      flags: [
        {
          name: 'all',
          kind: 'boolean',
          description: 'Also list each reply queue of a requester; otherwise they share one row.',
        },
      ],
      settings: natsSettings,
      load: async () => (await import('./queue.ts')).list,
    },
    {
      name: 'show',
      summary: 'Show a queue: counts, configuration and subscriptions.',
      arguments: [queueArgument],
      settings: natsSettings,
      load: async () => (await import('./queue.ts')).show,
    },
    {
      name: 'groups',
      summary: 'List the message groups of a queue, blocked ones first, with what blocks them.',
      arguments: [queueArgument],
      flags: [subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('./groups.ts')).groups,
    },
    {
      name: 'batches',
      summary:
        'Compare what batch size and wait cost: fill, waiting time and invocations per 1,000 messages.',
      description:
        'Replays the arrivals of the last 10 minutes, at most 10,000 records of the queue’s partition, with the settings in force and with neighbouring ones: half and twice the batch size, no wait, half and twice the wait. Reads the log, changes nothing, and needs no engine.',
      examples: [{ command: 'kiroku queue batches orders', description: 'Every subscription of orders' }],
      arguments: [queueArgument],
      flags: [{ ...subscriptionFlag, description: 'Only this subscription; default all.' }, gentleFlag],
      settings: natsSettings,
      load: () => import('./batches.ts'),
    },
    {
      name: 'update',
      summary: "Change a queue's settings; those not given stay as they are.",
      arguments: [queueArgument],
      flags: queueFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('./queue.ts')).update,
    },
    {
      name: 'note',
      summary: 'Keep a text with a queue under a name; without a text, remove it.',
      examples: [
        {
          command: 'kiroku queue note mail owner "team shop"',
          description: 'Shown by `kiroku queue show mail`',
        },
      ],
      arguments: [
        queueArgument,
        { name: 'name', description: 'Name of the note.' },
        { name: 'text', description: 'What it says.', optional: true },
      ],
      settings: natsSettings,
      load: async () => (await import('./queue.ts')).note,
    },
    {
      name: 'spread',
      summary: 'Spread a live queue over several partitions; 1 brings it back to one.',
      description:
        'For a queue that one partition cannot carry. Its limits are divided among the partitions, and each batch comes from one of them. A removed partition accepts no more sends and is dropped once it is empty. Ordered and deduplicating queues stay on one.',
      examples: [
        {
          command: 'kiroku queue spread orders --partitions 4',
          description: 'Four partitions, including its home',
        },
      ],
      arguments: [queueArgument],
      flags: [
        {
          name: 'partitions',
          kind: 'int',
          metavar: 'N',
          description: 'Number of partitions, including its home; required.',
        },
      ],
      settings: natsSettings,
      load: async () => (await import('./spread.ts')).spread,
    },
    queueAct(
      'delete',
      'Delete a queue and everything in it, unless it is the dead-letter queue of another.',
      [
        {
          name: 'force',
          kind: 'boolean',
          description:
            'Delete it anyway; dead letters meant for it wait until a queue of this name exists again.',
        },
      ],
    ),
    queueAct('purge', 'Discard every message that is not final.'),
    queueAct('pause', 'Pause deliveries; sends continue.'),
    queueAct('resume', 'Resume deliveries.'),
  ],
}

/** `apply`. */
export const applyCommand: CommandSpec = {
  name: 'apply',
  summary: 'Create and change queues from a file.',
  description:
    'Applies the queues of kiroku.jsonc or of a wrangler file. Each section is applied once, until its text changes, so a later change by hand stays. `kiroku up` and `kiroku serve` do the same when they start.',
  examples: [
    { command: 'kiroku apply --dry-run', description: 'Show what kiroku.jsonc would change' },
    { command: 'kiroku apply wrangler.toml', description: "Apply a Worker's queues" },
  ],
  arguments: [
    { name: 'file', description: 'The file; default kiroku.jsonc of this folder.', optional: true },
  ],
  flags: [
    { name: 'dry-run', kind: 'boolean', description: 'Show what would change, and change nothing.' },
    { name: 'env', kind: 'text', metavar: 'NAME', description: 'Environment of a wrangler file.' },
  ],
  settings: natsSettings,
  load: () => import('./apply.ts'),
}
