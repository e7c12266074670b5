import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { gentleFlag, natsSettings, queueArgument } from '../../cli/sharedFlags.ts'
import { replayCommand } from './replayCommand.ts'
import { searchCommands } from './searchCommands.ts'

/** Commands that read the record: `trace`, `replay`, `search`, `acts`, `index`, `tail`, `verify` and `repair`. */
export const recordCommands: readonly CommandSpec[] = [
  {
    name: 'trace',
    summary: 'Show every event of one message, live or long gone.',
    description:
      'Shows what happened to a message in every queue it went through: each event, its path through the states with the time in each, and each delivery with its wait, processing time, worker and lease. Any id of its lineage works, including that of a dead letter.',
    examples: [
      { command: 'kiroku trace ID', description: 'The whole life of a message' },
      { command: 'kiroku trace ID --export order.ndjson', description: 'Save it to a file' },
      { command: 'kiroku trace --import order.ndjson', description: 'Show a saved trace, without the log' },
    ],
    arguments: [{ name: 'id', description: 'Message id.', optional: true }],
    flags: [
      {
        name: 'export',
        kind: 'text',
        metavar: 'FILE',
        description: 'Write the trace to a file, as ndjson.',
      },
      { name: 'import', kind: 'text', metavar: 'FILE', description: 'Show a trace from such a file.' },
    ],
    settings: natsSettings,
    load: () => import('./trace.ts'),
  },
  replayCommand,
  ...searchCommands,
  {
    name: 'tail',
    summary: 'Follow what happens to the messages of a queue.',
    description:
      'Reads the log itself, without a consumer: looking receives nothing. Above what a terminal can show, events are summed up by transition. Ctrl-C ends it.',
    examples: [
      { command: 'kiroku tail mail', description: 'From now on' },
      {
        command: 'kiroku tail mail --from 1200 --state',
        description: 'From a record on, with the counts after it',
      },
      {
        command: 'kiroku tail mail --from 1 --until-end --json',
        description: 'Everything on record, one line per message',
      },
    ],
    arguments: [queueArgument],
    flags: [
      {
        name: 'from',
        kind: 'int',
        metavar: 'SEQ',
        description: "First record to show, of the queue's home partition; default: the next one.",
      },
      {
        name: 'state',
        kind: 'boolean',
        description: 'Also show the counts of the queue as they change.',
      },
      {
        name: 'until-end',
        kind: 'boolean',
        description: 'Stop at the end of the record.',
      },
      gentleFlag,
    ],
    settings: natsSettings,
    load: () => import('./tail.ts'),
  },
  {
    name: 'verify',
    summary: 'Check the log: hash chain, checksums, epochs, and every event against the state machine.',
    description:
      'Reads the whole record without trusting the engine: hash chain, checksums, bodies, epochs, every event against the state machine, checkpoints against a replay, and that every message is live or final. Changes nothing, and can run beside the engine. Exits with 7 and the first bad sequence if anything is wrong.',
    examples: [
      { command: 'kiroku verify', description: 'Check everything on record' },
      { command: 'kiroku verify --export proof.json', description: 'Keep a proof elsewhere' },
      {
        command: 'kiroku verify --against proof.json',
        description: 'Show that nothing covered by the proof has changed since',
      },
      {
        command: 'kiroku verify --anchors anchors.ndjson --key anchors.pub',
        description: 'Show that the history is the one that was anchored and signed',
      },
    ],
    flags: [
      {
        name: 'deep',
        kind: 'boolean',
        description: 'Also run every event through the XState machine itself.',
      },
      {
        name: 'export',
        kind: 'text',
        metavar: 'FILE',
        description: 'Write a proof: heads of the chains, counts, versions, digest.',
      },
      {
        name: 'against',
        kind: 'text',
        metavar: 'FILE',
        description: 'Compare the record with an earlier proof.',
      },
      {
        name: 'anchors',
        kind: 'text',
        metavar: 'FILE',
        description: 'Compare the record with the anchors that the auditor made (setting anchors).',
      },
      {
        name: 'key',
        kind: 'text',
        metavar: 'FILE',
        description: 'Public key in PEM: every anchor must be signed with it.',
      },
      gentleFlag,
    ],
    settings: natsSettings,
    load: () => import('./verify.ts'),
  },
  {
    name: 'repair',
    summary: 'Show what a damaged partition lost and reopen it.',
    flags: [
      {
        name: 'partition',
        kind: 'int',
        metavar: 'N',
        description: 'Partition to repair; default: all that are damaged.',
      },
      {
        name: 'yes',
        kind: 'boolean',
        alias: 'y',
        description: 'Reopen; without this the damage is only shown.',
      },
      {
        name: 'accept-lost-end',
        kind: 'boolean',
        description: 'Also reopen a log that only lost its end, which the log itself does not show.',
      },
      { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
    ],
    settings: natsSettings,
    load: () => import('./repair.ts'),
  },
]
