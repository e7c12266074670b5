import { filterFields } from '@kiroku/audit/filter'
import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { natsSettings } from '../../cli/sharedFlags.ts'

/** `search`, `acts` and `index`: queries to the auditor's index. */
export const searchCommands: readonly CommandSpec[] = [
  {
    name: 'search',
    summary: 'Find messages by state, error, time, attributes, body and more.',
    description: `Finds the messages on record, live or long gone, that match every condition of a filter, latest first. Uses the index that the auditor of \`kiroku up\` keeps in the data folder; without one it reads the whole record. A condition is field:value. A leading - negates it, * matches any characters, commas separate alternatives, and numbers and times take >, >=, <, <=. Fields: ${filterFields
      .map(({ example }) => example)
      .join(', ')}.`,
    examples: [
      {
        command: "kiroku search 'state:dlq queue:mail since:24h'",
        description: 'The dead letters of the last day',
      },
      {
        command: 'kiroku search \'error:"timed out" attempt:>3\'',
        description: 'This error, after the third attempt',
      },
      {
        command: "kiroku search 'payload.user.id:42' --json",
        description: 'Everything about a customer, where bodies are indexed',
      },
    ],
    arguments: [{ name: 'filter', description: 'The filter, in quotes so that the shell leaves it alone.' }],
    flags: [
      {
        name: 'limit',
        kind: 'int',
        alias: 'n',
        metavar: 'N',
        description: 'Maximum number of messages, 1 to 1000; default 20, with --json 100.',
      },
      {
        name: 'cursor',
        kind: 'text',
        metavar: 'CURSOR',
        description: 'Continue where an earlier answer ended.',
      },
    ],
    settings: natsSettings,
    load: () => import('./search.ts'),
  },
  {
    name: 'acts',
    summary: 'List administrative acts: who did what, why, and what it changed.',
    examples: [
      {
        command: 'kiroku acts --queue mail --since 24h',
        description: 'What was done to mail in the last 24 hours',
      },
    ],
    flags: [
      { name: 'queue', kind: 'text', metavar: 'QUEUE', description: 'Only acts on this queue.' },
      { name: 'actor', kind: 'text', metavar: 'NAME', description: 'Only acts by this actor.' },
      {
        name: 'since',
        kind: 'text',
        metavar: 'TIME',
        description: 'Only acts since a time in UTC, like 2026-11-20T14:00, or in a span, like 24h.',
      },
    ],
    settings: natsSettings,
    load: () => import('./acts.ts'),
  },
  {
    name: 'index',
    summary: 'Inspect the message index that the auditor keeps.',
    subcommands: [
      {
        name: 'status',
        summary: 'Show how far the index has read each partition.',
        settings: natsSettings,
        load: async () => (await import('./messageIndex.ts')).status,
      },
      {
        name: 'rebuild',
        summary: 'Rebuild the index from the log.',
        settings: natsSettings,
        load: async () => (await import('./messageIndex.ts')).rebuild,
      },
    ],
  },
]
