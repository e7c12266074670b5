import type { ArgumentSpec, CommandSpec } from '../../cli/CommandSpec.ts'
import { natsSettings, queueArgument } from '../../cli/sharedFlags.ts'
import { startFlagSpec } from './startPosition.ts'
import { subscriptionFlagSpecs } from './subscriptionFlags.ts'

const subscriptionArgument: ArgumentSpec = { name: 'subscription', description: 'Name of the subscription.' }

const subscriptionAct = (name: string, summary: string): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument, subscriptionArgument],
  settings: natsSettings,
  load: async () => (await import('./subscription.ts')).subscriptionAct(name as never),
})

/** `subscription …`. */
export const subscriptionCommands: CommandSpec = {
  name: 'subscription',
  summary: 'Create, list, change and delete subscriptions: consumer groups over one queue.',
  subcommands: [
    {
      name: 'create',
      summary: 'Create a subscription, which starts now or in the past.',
      examples: [
        {
          command: 'kiroku subscription create orders billing --tags paid,refunded --dead-letter billing-dlq',
          description: 'Only messages tagged paid or refunded, with its own dead-letter queue',
        },
        {
          command: 'kiroku subscription create orders audit --start earliest',
          description: 'Everything on record, then new messages',
        },
      ],
      arguments: [queueArgument, subscriptionArgument],
      flags: [startFlagSpec, ...subscriptionFlagSpecs],
      settings: natsSettings,
      load: async () => (await import('./subscription.ts')).create,
    },
    {
      name: 'list',
      summary: 'List the subscriptions of a queue with their counts.',
      arguments: [queueArgument],
      settings: natsSettings,
      load: async () => (await import('./subscription.ts')).list,
    },
    {
      name: 'update',
      summary: "Change a subscription's settings; those not given stay as they are.",
      arguments: [queueArgument, subscriptionArgument],
      flags: subscriptionFlagSpecs,
      settings: natsSettings,
      load: async () => (await import('./subscription.ts')).update,
    },
    {
      name: 'reset',
      summary: 'Start a subscription over, now or in the past; its old receipts become void.',
      arguments: [queueArgument, subscriptionArgument],
      flags: [startFlagSpec],
      settings: natsSettings,
      load: async () => (await import('./subscription.ts')).reset,
    },
    subscriptionAct('delete', 'Delete a subscription; others are unaffected.'),
    subscriptionAct('pause', 'Pause deliveries to a subscription.'),
    subscriptionAct('resume', 'Resume deliveries to a subscription.'),
  ],
}
