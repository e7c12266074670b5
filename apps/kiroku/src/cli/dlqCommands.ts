import { redriveFlags } from '../redrive/redriveOptions.ts'
import type { CommandSpec, FlagSpec } from './CommandSpec.ts'
import { queueArgument, subscriptionFlag } from './queueCommands.ts'
import { natsSettings } from './sharedSettings.ts'

const groupFlag: FlagSpec = {
  name: 'group',
  kind: 'text',
  alias: 'g',
  metavar: 'NAME',
  description: 'Only this group; `dlq list` names them. Its first digits do.',
}

/** `dlq …`. */
export const dlqCommands: CommandSpec = {
  name: 'dlq',
  summary: 'Understand dead letters, and bring them back.',
  subcommands: [
    {
      name: 'list',
      summary: 'Dead letters in groups: the same cause, and errors of one kind.',
      description:
        'Reads what lies in the queue from the log, and gathers it by cause and error; numbers, ids and quoted words do not make two errors different. Nothing is received, and nothing changes.',
      examples: [{ command: 'kiroku dlq list orders-dlq', description: 'What failed, why, and how often' }],
      arguments: [queueArgument],
      flags: [subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('../commands/dlq.ts')).list,
    },
    {
      name: 'explain',
      summary: 'What happened to a dead letter, or to a group of them, and what to do next.',
      description:
        'Of a message: its attempts, who worked on it, its errors, and how it came to where it is. Of a queue: its largest group, or the one that --group names, with samples and the story of the youngest, and how to have the other groups explained.',
      examples: [
        { command: 'kiroku dlq explain 1f3k-0-1-2s', description: 'The story of one message' },
        { command: 'kiroku dlq explain orders-dlq', description: 'The largest group, with samples' },
        { command: 'kiroku dlq explain orders-dlq --group 5c1e', description: 'Another group' },
      ],
      arguments: [{ name: 'what', description: 'Id of a message, or name of a queue.' }],
      flags: [groupFlag, subscriptionFlag],
      settings: natsSettings,
      load: async () => (await import('../commands/dlq.ts')).explain,
    },
    {
      name: 'redrive',
      summary: 'Bring dead letters back, after a look at what would go where.',
      description:
        'Finds the dead letters that match, says which of them can go and why the others stay, asks, and moves them: each to where it came from, or all to the queue that --to names. They keep their id and begin with new attempts. Ctrl-C offers to cancel; what was moved stays moved.',
      examples: [
        {
          command: 'kiroku dlq redrive orders-dlq --group 5c1e --dry-run',
          description: 'What would go where, and what would stay and why',
        },
        {
          command: "kiroku dlq redrive orders-dlq --where 'payload.customer:42 since:24h'",
          description: 'Those of one customer, of the last day',
        },
        {
          command: "kiroku dlq redrive orders-dlq --error 'no stock' --rate 50 --reason 'the stock is back'",
          description: 'Those with this error, 50 a second, with the reason on record',
        },
        { command: 'kiroku dlq redrive orders-dlq --message 1f3k-0-1-2s --yes', description: 'One message' },
      ],
      arguments: [queueArgument],
      flags: [
        groupFlag,
        {
          name: 'where',
          kind: 'text',
          alias: 'w',
          metavar: 'FILTER',
          description: "Only what passes this filter, like 'payload.customer:42 since:24h'.",
        },
        {
          name: 'message',
          kind: 'text',
          alias: 'm',
          metavar: 'ID,…',
          description: 'Only these messages.',
        },
        ...redriveFlags,
        { ...subscriptionFlag, description: 'Subscription whose messages are moved; default main.' },
        { name: 'dry-run', kind: 'boolean', description: 'Only say what would be; nothing is moved.' },
        { name: 'yes', kind: 'boolean', alias: 'y', description: 'Do not ask.' },
      ],
      settings: natsSettings,
      load: async () => (await import('../commands/dlqRedrive.ts')).redrive,
    },
    {
      name: 'edit',
      summary: 'Give a message that lies in a queue another body, on record.',
      description:
        'The message keeps its id and all that is beside its body, and carries the new body from now on, also when it is redriven. The old body, who edited it and why stay on record. Without --body and --set the body is opened in $EDITOR. A queue with a schema (`--body-schema`) refuses what does not fit it, as does the queue that a dead letter came from.',
      examples: [
        {
          command: "kiroku dlq edit 1f3k-0-1-2s --set price=3 --reason 'the price was missing'",
          description: 'One value in a JSON body',
        },
        { command: 'kiroku dlq edit 1f3k-0-1-2s --body fixed.json', description: 'The body of a file' },
        { command: 'kiroku dlq edit 1f3k-0-1-2s', description: 'In $EDITOR' },
      ],
      arguments: [{ name: 'id', description: 'Message id.' }],
      flags: [
        {
          name: 'body',
          kind: 'text',
          metavar: 'FILE',
          description: 'File with the new body, as it is; - for standard input.',
        },
        {
          name: 'set',
          kind: 'text',
          metavar: 'PATH=VALUE,…',
          description:
            'Values in a JSON body, like customer.id=42 or lines.0.sku=a7; JSON where it is some, else text.',
        },
        { name: 'content-type', kind: 'text', metavar: 'TYPE', description: 'Default: as before.' },
        { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
      ],
      settings: natsSettings,
      load: async () => (await import('../commands/dlqEdit.ts')).edit,
    },
  ],
}
