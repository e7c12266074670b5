import type { SettingKey } from '../config/settings.ts'
import type { CommandSpec } from './CommandSpec.ts'
import { dlqCommands } from './dlqCommands.ts'
import { messageCommands } from './messageCommands.ts'
import { queueArgument, queueCommands } from './queueCommands.ts'
import { redriveCommands } from './redriveCommands.ts'
import { searchCommands } from './searchCommands.ts'
import { replayCommand } from './replayCommand.ts'
import { subscriptionCommands } from './subscriptionCommands.ts'
import { gentleFlag, natsSettings } from './sharedSettings.ts'

const node: readonly SettingKey[] = [
  'config',
  'log',
  'partitions',
  'replicas',
  'record',
  'recordBytes',
  'http',
  'httpBody',
  'tokens',
  'tokensFile',
  'audit',
  'console',
  'logFormat',
  'logLevel',
]
/** The command tree, as data; each command's module is loaded only when it runs. */
export const tree: CommandSpec = {
  name: 'kiroku',
  summary: 'A durable message queue on NATS JetStream, with every step on record.',
  subcommands: [
    {
      name: 'up',
      summary: 'Run an engine here: managed NATS, node and HTTP API on loopback.',
      description:
        'Runs a managed nats-server, a node and the HTTP API on loopback, with their data in .kiroku/ of this folder. Other commands in this folder find it by themselves. Ctrl-C drains and stops.',
      examples: [
        { command: 'kiroku up', description: 'Start; in another terminal: kiroku queue create mail' },
        {
          command: 'kiroku up --sample',
          description: 'Start with a small shop at work, and look around in the console',
        },
      ],
      flags: [
        {
          name: 'sample',
          kind: 'boolean',
          description:
            'Run a small sample shop: queues shop-…, with orders, payments, mail, and some failures.',
        },
      ],
      settings: ['dataDir', 'natsPort', 'natsServer', 'natsRelease', 'natsVersion', ...node],
      load: () => import('../commands/up.ts'),
    },
    {
      name: 'serve',
      summary: 'Run a node on a given NATS; several share the partitions.',
      examples: [
        {
          command: 'kiroku serve --nats nats://10.0.0.5:4222',
          description: 'One node; start it on several machines',
        },
      ],
      settings: [...natsSettings, ...node.filter((key) => key !== 'log')],
      load: () => import('../commands/serve.ts'),
    },
    {
      name: 'status',
      summary: 'Engine, partitions, queues and problems on one screen.',
      settings: natsSettings,
      load: () => import('../commands/status.ts'),
    },
    {
      name: 'open',
      summary: 'Open the console in the browser; without a browser, print its address.',
      settings: ['dataDir'],
      load: () => import('../commands/open.ts'),
    },
    queueCommands,
    subscriptionCommands,
    {
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
      load: () => import('../commands/apply.ts'),
    },
    ...messageCommands,
    dlqCommands,
    redriveCommands,
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
      load: () => import('../commands/trace.ts'),
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
      load: () => import('../commands/tail.ts'),
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
          description: 'Show that nothing before the proof has changed since',
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
        gentleFlag,
      ],
      settings: natsSettings,
      load: () => import('../commands/verify.ts'),
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
      load: () => import('../commands/repair.ts'),
    },
    {
      name: 'machine',
      summary: 'Draw the state machine of a message.',
      flags: [
        {
          name: 'format',
          kind: 'choice',
          choices: ['mermaid', 'json', 'ascii'],
          description: 'Output format; default ascii.',
        },
      ],
      load: () => import('../commands/machine.ts'),
    },
    {
      name: 'cluster',
      summary: 'Show nodes and partitions.',
      subcommands: [
        {
          name: 'status',
          summary: 'Show who owns which partition, and the state of the log.',
          settings: natsSettings,
          load: () => import('../commands/clusterStatus.ts'),
        },
        {
          name: 'clock',
          summary: 'Show partition clocks, and say which clock is right when they disagree.',
          description:
            "Shows each partition's time beside the clock of NATS and that of its node. Where the two are more than five minutes apart, a partition takes no step of that size by itself: set the clock that is wrong, or confirm the other with --accept. Its time then moves on to what that clock shows, never back, which is an act on record.",
          examples: [
            { command: 'kiroku cluster clock', description: 'Look' },
            {
              command: 'kiroku cluster clock --accept store --reason "the node had no NTP"',
              description: 'The clock of NATS is right',
            },
          ],
          flags: [
            {
              name: 'accept',
              kind: 'choice',
              choices: ['store', 'node'],
              description: 'The clock that is right: that of NATS, or that of the node.',
            },
            {
              name: 'partition',
              kind: 'int',
              metavar: 'N',
              description: 'Partition; default: all whose clocks disagree.',
            },
            { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
          ],
          settings: natsSettings,
          load: () => import('../commands/clusterClock.ts'),
        },
      ],
    },
    {
      name: 'doctor',
      summary: 'Check NATS, the log and the machine for problems, present and looming.',
      flags: [
        {
          name: 'deep',
          kind: 'boolean',
          description:
            'Read the whole record; without this, large partitions are read from their latest checkpoint.',
        },
      ],
      settings: [...natsSettings, 'natsServer'],
      load: () => import('../commands/doctor.ts'),
    },
    {
      name: 'completions',
      summary: 'Print the completion script of a shell.',
      description:
        'Completes commands and flags, and, where an engine runs in the folder, the names of its queues and the ids of its latest messages.',
      examples: [
        {
          command: 'kiroku completions bash > /etc/bash_completion.d/kiroku',
          description: 'Install for bash',
        },
      ],
      arguments: [{ name: 'shell', description: 'bash, zsh, fish or powershell.' }],
      load: () => import('../commands/completions.ts'),
    },
  ],
}
