import { filterFields } from '@kiroku/audit'
import type { CommandSpec } from './CommandSpec.ts'
import { natsSettings } from './sharedSettings.ts'

/** `search`, `acts` and `index`: questions to what the auditor keeps. */
export const searchCommands: readonly CommandSpec[] = [
  {
    name: 'search',
    summary: 'Find messages by state, error, time, attributes, body and more.',
    description: `Finds the messages that meet all conditions of a filter, the latest first: those on record, live or long gone. It asks the index that the auditor of \`kiroku up\` keeps in the data folder; without one it reads the whole record. A condition is field:value; a - in front turns it around, * stands for any characters, commas part alternatives, and numbers and times take >, >=, <, <=. Fields: ${filterFields
      .map(({ example }) => example)
      .join(', ')}.`,
    examples: [
      { command: "kiroku search 'state:dlq queue:mail since:24h'", description: "A day's dead letters" },
      {
        command: 'kiroku search \'error:"timed out" attempt:>3\'',
        description: 'Those with this error, after their third attempt',
      },
      {
        command: "kiroku search 'payload.user.id:42' --json",
        description: 'Everything about a customer, where bodies are indexed',
      },
    ],
    arguments: [{ name: 'filter', description: 'The filter; in quotes, so that the shell leaves it alone.' }],
    flags: [
      {
        name: 'limit',
        kind: 'int',
        alias: 'n',
        metavar: 'N',
        description: 'Most messages, 1 to 1000; default 20, with --json 100.',
      },
      { name: 'cursor', kind: 'text', metavar: 'CURSOR', description: 'Go on where an answer ended.' },
    ],
    settings: natsSettings,
    load: () => import('../commands/search.ts'),
  },
  {
    name: 'acts',
    summary: 'Who did what: every administrative act, with its reason and what it changed.',
    examples: [
      {
        command: 'kiroku acts --queue mail --since 24h',
        description: 'What was done to mail since yesterday',
      },
    ],
    flags: [
      { name: 'queue', kind: 'text', metavar: 'QUEUE', description: 'Of this queue only.' },
      { name: 'actor', kind: 'text', metavar: 'NAME', description: 'By this actor only.' },
      {
        name: 'since',
        kind: 'text',
        metavar: 'TIME',
        description: 'Since a time in UTC like 2026-11-20T14:00, or since so long ago, like 24h.',
      },
    ],
    settings: natsSettings,
    load: () => import('../commands/acts.ts'),
  },
  {
    name: 'index',
    summary: 'Look at the index of messages that the auditor keeps.',
    subcommands: [
      {
        name: 'status',
        summary: 'How far the index has read each partition.',
        settings: natsSettings,
        load: async () => (await import('../commands/auditIndex.ts')).status,
      },
      {
        name: 'rebuild',
        summary: 'Build the index anew from the log, here and now.',
        settings: natsSettings,
        load: async () => (await import('../commands/auditIndex.ts')).rebuild,
      },
    ],
  },
]
