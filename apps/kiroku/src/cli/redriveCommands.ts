import { redriveFlags } from '../redrive/redriveOptions.ts'
import type { CommandSpec } from './CommandSpec.ts'
import { queueArgument, subscriptionFlag } from './queueCommands.ts'
import { natsSettings } from './sharedSettings.ts'

/** `redrive …`. */
export const redriveCommands: CommandSpec = {
  name: 'redrive',
  summary: 'Bring dead letters back to where they came from, or move messages to another queue.',
  description:
    'Moves the messages that are available in a queue now, each to where it came from or all to the queue that --to names. They keep their id and begin with new attempts. It goes on in the engine, also when this command ends.',
  examples: [
    { command: 'kiroku redrive mail-dlq --dry-run', description: 'What would go where, and what would stay' },
    { command: 'kiroku redrive mail-dlq --rate 50 --follow', description: 'Back, 50 a second, with a bar' },
    {
      command: "kiroku redrive mail-dlq --error 'timed out' --to mail-slow",
      description: 'Only some, to another queue',
    },
  ],
  arguments: [queueArgument],
  flags: [
    ...redriveFlags,
    { ...subscriptionFlag, description: 'Subscription whose messages are moved; default main.' },
    { name: 'dry-run', kind: 'boolean', description: 'Only count; nothing is moved.' },
    { name: 'follow', kind: 'boolean', description: 'Wait for its end and show how far it is.' },
  ],
  settings: natsSettings,
  load: async () => (await import('../commands/redrive.ts')).start,
  subcommands: [
    {
      name: 'status',
      summary: 'Show the redrives of a queue: those that run and the last that ended.',
      arguments: [queueArgument],
      flags: [
        {
          name: 'all',
          kind: 'boolean',
          description: 'Also those that only counted: dry runs, and what a redrive asks before it moves.',
        },
      ],
      settings: natsSettings,
      load: async () => (await import('../commands/redrive.ts')).status,
    },
    {
      name: 'cancel',
      summary: 'End the redrive that runs; what was moved stays moved.',
      arguments: [queueArgument],
      flags: [subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('../commands/redrive.ts')).cancel,
    },
  ],
}
