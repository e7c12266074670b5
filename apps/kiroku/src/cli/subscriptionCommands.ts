import { startFlagSpec } from '../config/startPosition.ts'
import { subscriptionFlagSpecs } from '../config/subscriptionFlags.ts'
import type { ArgumentSpec, CommandSpec } from './CommandSpec.ts'
import { queueArgument } from './queueCommands.ts'
import { natsSettings } from './sharedSettings.ts'

const subscriptionArgument: ArgumentSpec = { name: 'subscription', description: 'Name of the subscription.' }

const subscriptionAct = (name: string, summary: string): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument, subscriptionArgument],
  settings: natsSettings,
  load: async () => (await import('../commands/subscription.ts')).subscriptionAct(name as never),
})

/** `subscription …`. */
export const subscriptionCommands: CommandSpec = {
  name: 'subscription',
  summary: 'Create, list, change and delete subscriptions: consumer groups over one queue.',
  subcommands: [
    {
      name: 'create',
      summary: 'Create a subscription, which gets what is sent from now on, or begins in the past.',
      examples: [
        {
          command: 'kiroku subscription create orders billing --tags paid,refunded --dead-letter billing-dlq',
          description: 'Only what is tagged paid or refunded, with a dead-letter queue of its own',
        },
        {
          command: 'kiroku subscription create orders audit --start earliest',
          description: 'Everything that is on record, and then what comes',
        },
      ],
      arguments: [queueArgument, subscriptionArgument],
      flags: [startFlagSpec, ...subscriptionFlagSpecs],
      settings: natsSettings,
      load: async () => (await import('../commands/subscription.ts')).create,
    },
    {
      name: 'list',
      summary: 'List the subscriptions of a queue with their counts.',
      arguments: [queueArgument],
      settings: natsSettings,
      load: async () => (await import('../commands/subscription.ts')).list,
    },
    {
      name: 'update',
      summary: "Change a subscription's settings; what is not named stays.",
      arguments: [queueArgument, subscriptionArgument],
      flags: subscriptionFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('../commands/subscription.ts')).update,
    },
    {
      name: 'reset',
      summary: 'Begin anew, now or in the past; old receipts name nothing any more.',
      arguments: [queueArgument, subscriptionArgument],
      flags: [startFlagSpec],
      settings: natsSettings,
      load: async () => (await import('../commands/subscription.ts')).reset,
    },
    subscriptionAct('delete', 'Delete a subscription; the others stay as they are.'),
    subscriptionAct('pause', 'Stop deliveries to a subscription.'),
    subscriptionAct('resume', 'Start its deliveries again.'),
  ],
}
