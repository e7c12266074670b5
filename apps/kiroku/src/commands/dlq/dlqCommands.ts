import type { CommandSpec, FlagSpec } from '../../cli/CommandSpec.ts'
import { natsSettings, queueArgument, revealFlag, subscriptionFlag } from '../../cli/sharedFlags.ts'
import { redriveFlags } from './redriveOptions.ts'

const groupFlag: FlagSpec = {
  name: 'group',
  kind: 'text',
  alias: 'g',
  metavar: 'NAME',
  description: 'Only this group, as `dlq list` names it; its first digits are enough.',
}

/** `dlq …`. */
export const dlqCommands: CommandSpec = {
  name: 'dlq',
  summary: 'Understand dead letters, and redrive them.',
  subcommands: [
    {
      name: 'list',
      summary: 'List dead letters, grouped by cause and error.',
      description:
        'Reads the queue from the log and groups its messages by cause and error; errors that differ only in numbers, ids or quoted words count as one. Receives nothing and changes nothing.',
      examples: [{ command: 'kiroku dlq list orders-dlq', description: 'What failed, why, and how often' }],
      arguments: [queueArgument],
      flags: [subscriptionFlag, revealFlag],
      settings: natsSettings,
      load: async () => (await import('./dlq.ts')).list,
    },
    {
      name: 'explain',
      summary: 'Explain a dead letter or a group of them, and what to do next.',
      description:
        'For a message: its attempts, workers, errors, and how it got where it is. For a queue: its largest group, or the one given by --group, with samples and the story of the latest.',
      examples: [
        { command: 'kiroku dlq explain 1f3k-0-1-2s', description: 'One message' },
        { command: 'kiroku dlq explain orders-dlq', description: 'The largest group, with samples' },
        { command: 'kiroku dlq explain orders-dlq --group 5c1e', description: 'Another group' },
      ],
      arguments: [{ name: 'what', description: 'Message id or queue name.' }],
      flags: [groupFlag, subscriptionFlag, revealFlag],
      settings: natsSettings,
      load: async () => (await import('./dlq.ts')).explain,
    },
    {
      name: 'redrive',
      summary: 'Redrive dead letters, after a preview of what would go where.',
      description:
        'Finds the dead letters that match, says which can be moved and why the others cannot, asks, and moves them: each to its origin, or all to the queue given by --to. They keep their ids and start with fresh attempts. Ctrl-C offers to cancel; what was moved stays moved.',
      examples: [
        {
          command: 'kiroku dlq redrive orders-dlq --group 5c1e --dry-run',
          description: 'What would go where, and what would stay and why',
        },
        {
          command: "kiroku dlq redrive orders-dlq --where 'payload.customer:42 since:24h'",
          description: 'Those of one customer from the last day',
        },
        {
          command: "kiroku dlq redrive orders-dlq --error 'no stock' --rate 50 --reason 'the stock is back'",
          description: 'Those with this error, 50 per second, with the reason on record',
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
          description: "Only what matches this filter, like 'payload.customer:42 since:24h'.",
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
        { name: 'dry-run', kind: 'boolean', description: 'Preview only; move nothing.' },
        { name: 'yes', kind: 'boolean', alias: 'y', description: 'Do not ask.' },
      ],
      settings: natsSettings,
      load: async () => (await import('./redriveLetters.ts')).redrive,
    },
    {
      name: 'edit',
      summary: 'Edit the body of a message in a queue, on record.',
      description:
        'The message keeps its id and attributes and carries the new body from now on, also when it is redriven. The old body, who edited it and why stay on record. Without --body or --set the body opens in $EDITOR. A body that does not fit the schema of its queue (`--body-schema`), or of the queue that a dead letter came from, is refused.',
      examples: [
        {
          command: "kiroku dlq edit 1f3k-0-1-2s --set price=3 --reason 'the price was missing'",
          description: 'One value in a JSON body',
        },
        { command: 'kiroku dlq edit 1f3k-0-1-2s --body fixed.json', description: 'The contents of a file' },
        { command: 'kiroku dlq edit 1f3k-0-1-2s', description: 'In $EDITOR' },
      ],
      arguments: [{ name: 'id', description: 'Message id.' }],
      flags: [
        {
          name: 'body',
          kind: 'text',
          metavar: 'FILE',
          description: 'File with the new body; - for standard input.',
        },
        {
          name: 'set',
          kind: 'text',
          metavar: 'PATH=VALUE,…',
          description:
            'Values to set in a JSON body, like customer.id=42 or lines.0.sku=a7; parsed as JSON, else taken as text.',
        },
        {
          name: 'content-type',
          kind: 'text',
          metavar: 'TYPE',
          description: 'Content type; default: unchanged.',
        },
        { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
      ],
      settings: natsSettings,
      load: async () => (await import('./editLetter.ts')).edit,
    },
  ],
}
