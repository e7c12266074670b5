import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { natsSettings, queueArgument, subscriptionFlag } from '../../cli/sharedFlags.ts'
import { redriveFlags } from './redriveOptions.ts'

/** `redrive …`. */
export const redriveCommands: CommandSpec = {
  name: 'redrive',
  summary: 'Move dead letters back to their origin, or messages to another queue.',
  description:
    'Moves the messages available in a queue now, each to its origin or all to the queue given by --to. They keep their ids and start with fresh attempts. The redrive runs in the engine and continues after this command ends.',
  examples: [
    { command: 'kiroku redrive mail-dlq --dry-run', description: 'Preview what would go where' },
    {
      command: 'kiroku redrive mail-dlq --rate 50 --follow',
      description: 'To their origin, 50 per second, with a progress bar',
    },
    {
      command: "kiroku redrive mail-dlq --error 'timed out' --to mail-slow",
      description: 'Only some, to another queue',
    },
  ],
  arguments: [queueArgument],
  flags: [
    ...redriveFlags,
    { ...subscriptionFlag, description: 'Subscription whose messages are moved; default main.' },
    { name: 'dry-run', kind: 'boolean', description: 'Preview only; move nothing.' },
    { name: 'follow', kind: 'boolean', description: 'Wait until it ends, with a progress bar.' },
  ],
  settings: natsSettings,
  load: async () => (await import('./redrive.ts')).start,
  subcommands: [
    {
      name: 'status',
      summary: 'Show the redrives of a queue: running ones and the latest that ended.',
      arguments: [queueArgument],
      flags: [
        {
          name: 'all',
          kind: 'boolean',
          description: 'Also dry runs, and the count that a redrive makes before it asks.',
        },
      ],
      settings: natsSettings,
      load: async () => (await import('./redrive.ts')).status,
    },
    {
      name: 'cancel',
      summary: 'Cancel the running redrive; what was moved stays moved.',
      arguments: [queueArgument],
      flags: [subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('./redrive.ts')).cancel,
    },
  ],
}
