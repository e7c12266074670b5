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
  summary: 'A durable message queue over NATS JetStream, every step on record.',
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
      summary: 'The engine, its partitions, its queues and what is wrong, on one screen.',
      settings: natsSettings,
      load: () => import('../commands/status.ts'),
    },
    {
      name: 'open',
      summary: 'Open the console of this folder in the browser; where there is none, print its address.',
      settings: ['dataDir'],
      load: () => import('../commands/open.ts'),
    },
    queueCommands,
    subscriptionCommands,
    {
      name: 'apply',
      summary: 'Create and change queues as a file says.',
      description:
        'Applies the queues of kiroku.jsonc, or of a wrangler file: each section once, until it says something else, so that a later change by hand stays. `kiroku up` and `kiroku serve` do the same when they start.',
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
      summary: 'Every event of one message, live or long gone.',
      description:
        'Tells what happened to a message in every queue that it went through: each event, the path through the states with the time in each, and each delivery with its wait, its work, its worker and its lease. Any id of its lineage will do, also that of a dead letter.',
      examples: [
        { command: 'kiroku trace ID', description: 'Tell a life' },
        { command: 'kiroku trace ID --export order.ndjson', description: 'Take it elsewhere as a file' },
        { command: 'kiroku trace --import order.ndjson', description: 'Tell it there, without the log' },
      ],
      arguments: [{ name: 'id', description: 'Message id.', optional: true }],
      flags: [
        { name: 'export', kind: 'text', metavar: 'FILE', description: 'Write it to a file as ndjson.' },
        { name: 'import', kind: 'text', metavar: 'FILE', description: 'Tell what such a file holds.' },
      ],
      settings: natsSettings,
      load: () => import('../commands/trace.ts'),
    },
    replayCommand,
    ...searchCommands,
    {
      name: 'tail',
      summary: 'Show what happens to the messages of a queue, as it happens.',
      description:
        'Reads the log itself, without a consumer: nothing is received by looking. What is more than a terminal can show is added up by transition. Ctrl-C ends it.',
      examples: [
        { command: 'kiroku tail mail', description: 'From now on' },
        {
          command: 'kiroku tail mail --from 1200 --state',
          description: 'From a record on, with the counts behind it',
        },
        {
          command: 'kiroku tail mail --from 1 --until-end --json',
          description: 'What the record holds, a line a message',
        },
      ],
      arguments: [queueArgument],
      flags: [
        {
          name: 'from',
          kind: 'int',
          metavar: 'SEQ',
          description: "A record of the partition that is the queue's home; default: what comes next.",
        },
        {
          name: 'state',
          kind: 'boolean',
          description: 'Also show the counts of the queue when they change.',
        },
        {
          name: 'until-end',
          kind: 'boolean',
          description: 'End when everything that is on record was shown.',
        },
        gentleFlag,
      ],
      settings: natsSettings,
      load: () => import('../commands/tail.ts'),
    },
    {
      name: 'verify',
      summary: 'Check the log: chain, checksums, epochs and the law on every event.',
      description:
        'Reads the whole record without trusting the engine: the chain of hashes, checksums, bodies, epochs, the law on every event, checkpoints against the replay, and that every message is live or final. Changes nothing, and may run beside the engine. Exits with 7 and the first bad sequence when something is wrong.',
      examples: [
        { command: 'kiroku verify', description: 'Check everything that is on record' },
        { command: 'kiroku verify --export proof.json', description: 'Keep a proof of it elsewhere' },
        {
          command: 'kiroku verify --against proof.json',
          description: 'Show that nothing before the proof has changed since',
        },
      ],
      flags: [
        { name: 'deep', kind: 'boolean', description: 'Also run every event through the machine itself.' },
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
          description: 'Hold the record against a proof of earlier.',
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
          description: 'The partition; default all that are damaged.',
        },
        {
          name: 'yes',
          kind: 'boolean',
          alias: 'y',
          description: 'Reopen; without it the damage is only shown.',
        },
        {
          name: 'accept-lost-end',
          kind: 'boolean',
          description: 'Reopen also where only the end is gone, which the log itself does not show.',
        },
        { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
      ],
      settings: natsSettings,
      load: () => import('../commands/repair.ts'),
    },
    {
      name: 'machine',
      summary: 'Draw the machine that every message obeys.',
      flags: [
        {
          name: 'format',
          kind: 'choice',
          choices: ['mermaid', 'json', 'ascii'],
          description: 'Form of the picture; default ascii.',
        },
      ],
      load: () => import('../commands/machine.ts'),
    },
    {
      name: 'cluster',
      summary: 'Look at nodes and partitions.',
      subcommands: [
        {
          name: 'status',
          summary: 'Who owns which partition, and how the log stands.',
          settings: natsSettings,
          load: () => import('../commands/clusterStatus.ts'),
        },
        {
          name: 'clock',
          summary: 'Show by which time partitions go, and say which clock is right.',
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
              description: 'The partition; default all whose clocks disagree.',
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
      summary: 'Check NATS, the log and the machine for what hurts, or would later.',
      flags: [
        {
          name: 'deep',
          kind: 'boolean',
          description:
            'Read the whole record, also of large partitions; otherwise from their newest checkpoint on.',
        },
      ],
      settings: [...natsSettings, 'natsServer'],
      load: () => import('../commands/doctor.ts'),
    },
    {
      name: 'completions',
      summary: 'Print the completion script of a shell.',
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
