import { queueFlagSpecs } from '../config/queueFlags.ts'
import type { SettingKey } from '../config/settings.ts'
import type { ArgumentSpec, CommandSpec } from './CommandSpec.ts'

const nats: readonly SettingKey[] = [
  'nats',
  'natsCreds',
  'natsUser',
  'natsPassword',
  'natsToken',
  'natsTlsCa',
  'natsTlsCert',
  'natsTlsKey',
  'log',
  'dataDir',
]
const node: readonly SettingKey[] = [
  'log',
  'partitions',
  'replicas',
  'record',
  'recordBytes',
  'http',
  'httpBody',
  'tokens',
  'tokensFile',
  'logFormat',
  'logLevel',
]
const queueArgument: ArgumentSpec = { name: 'queue', description: 'Name of the queue.' }

const queueAct = (name: string, summary: string): CommandSpec => ({
  name,
  summary,
  arguments: [queueArgument],
  settings: nats,
  load: async () => (await import('../commands/queue.ts')).queueAct(name as never),
})

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
      ],
      settings: ['dataDir', 'natsPort', 'natsServer', ...node],
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
      settings: [...nats, ...node.filter((key) => key !== 'log')],
      load: () => import('../commands/serve.ts'),
    },
    {
      name: 'queue',
      summary: 'Create, list, show, change and delete queues.',
      subcommands: [
        {
          name: 'create',
          summary: 'Create a queue.',
          examples: [
            {
              command:
                'kiroku queue create mail --retries 5 --retry exponential:1s,2,10m,0.2 --dead-letter mail-dlq',
              description: 'Five retries with growing pauses, then a dead-letter queue',
            },
          ],
          arguments: [queueArgument],
          flags: queueFlagSpecs,
          settings: nats,
          load: async () => (await import('../commands/queue.ts')).create,
        },
        {
          name: 'list',
          summary: 'List queues with their counts.',
          settings: nats,
          load: async () => (await import('../commands/queue.ts')).list,
        },
        {
          name: 'show',
          summary: 'Show a queue: counts and configuration.',
          arguments: [queueArgument],
          settings: nats,
          load: async () => (await import('../commands/queue.ts')).show,
        },
        {
          name: 'update',
          summary: "Change a queue's configuration; what is not named stays.",
          arguments: [queueArgument],
          flags: queueFlagSpecs,
          settings: nats,
          load: async () => (await import('../commands/queue.ts')).update,
        },
        queueAct('delete', 'Delete a queue and everything in it.'),
        queueAct('purge', 'Discard every message that is not final.'),
        queueAct('pause', 'Stop deliveries; sends go on.'),
        queueAct('resume', 'Start deliveries again.'),
      ],
    },
    {
      name: 'send',
      summary: 'Send messages: an argument, a file, standard input, or ndjson.',
      examples: [
        { command: `kiroku send mail '{"to":"a@b.c"}'`, description: 'One message' },
        { command: 'kiroku send cities --ndjson --file cities.ndjson', description: 'One message a line' },
        { command: 'cat picture.png | kiroku send pictures', description: 'Standard input as one body' },
      ],
      arguments: [queueArgument, { name: 'body', description: 'Body of the message.', optional: true }],
      flags: [
        {
          name: 'file',
          kind: 'text',
          alias: 'f',
          metavar: 'FILE',
          description: 'Read the body, or with --ndjson the lines, from a file.',
        },
        { name: 'ndjson', kind: 'boolean', description: 'One JSON value a line, each a message.' },
        {
          name: 'delay',
          kind: 'text',
          metavar: 'DURATION',
          description: 'Delay of the messages, up to 14d.',
        },
        {
          name: 'content-type',
          kind: 'text',
          metavar: 'TYPE',
          description:
            'Content type; default application/json for JSON, else text/plain or application/octet-stream.',
        },
        { name: 'attributes', kind: 'text', metavar: 'K=V,…', description: 'Attributes of the messages.' },
      ],
      settings: nats,
      load: () => import('../commands/send.ts'),
    },
    {
      name: 'receive',
      summary: 'Receive messages and print them; --ack settles them.',
      arguments: [queueArgument],
      flags: [
        {
          name: 'max',
          kind: 'int',
          alias: 'n',
          metavar: 'N',
          description: 'Most messages, 1 to 1000; default 1.',
        },
        {
          name: 'wait',
          kind: 'text',
          metavar: 'DURATION',
          description: "Wait this long for the first message; default the queue's.",
        },
        { name: 'lease', kind: 'text', metavar: 'DURATION', description: "Lease; default the queue's." },
        { name: 'ack', kind: 'boolean', description: 'Acknowledge what was printed.' },
      ],
      settings: nats,
      load: () => import('../commands/receive.ts'),
    },
    {
      name: 'work',
      summary: 'Run a Worker module on its queues.',
      description:
        'Runs a module that exports `default { async queue(batch, env, ctx) {} }`, JavaScript or TypeScript. Queues, batch sizes, retries and vars come from a wrangler file in the working folder; flags beat it.',
      examples: [
        { command: 'kiroku work worker.ts --queue mail', description: 'Run worker.ts on the queue mail' },
      ],
      arguments: [{ name: 'module', description: 'The Worker module.', optional: true }],
      flags: [
        {
          name: 'queue',
          kind: 'text',
          alias: 'q',
          metavar: 'QUEUE',
          description: 'Queue to consume; default those of the wrangler file.',
        },
        {
          name: 'config',
          kind: 'text',
          alias: 'c',
          metavar: 'FILE',
          description: 'wrangler.toml or wrangler.jsonc; default the one in the working folder.',
        },
        { name: 'env', kind: 'text', metavar: 'NAME', description: 'Environment of the wrangler file.' },
        { name: 'batch-size', kind: 'int', metavar: 'N', description: 'Most messages of a batch.' },
        { name: 'batch-timeout', kind: 'text', metavar: 'DURATION', description: 'Wait for a fuller batch.' },
        { name: 'retries', kind: 'int', metavar: 'N', description: 'Retries after the first delivery.' },
        { name: 'retry-delay', kind: 'text', metavar: 'DURATION', description: 'Pause before a retry.' },
        { name: 'dead-letter', kind: 'text', metavar: 'QUEUE', description: 'Queue for exhausted messages.' },
        {
          name: 'lease',
          kind: 'text',
          metavar: 'DURATION',
          description: 'Lease, renewed while the Worker works.',
        },
        {
          name: 'concurrency',
          kind: 'int',
          metavar: 'N',
          description: 'Batches worked on at once; default 10.',
        },
      ],
      settings: [...nats, 'logFormat', 'logLevel'],
      load: () => import('../commands/work.ts'),
    },
    {
      name: 'trace',
      summary: 'Every event of one message, live or long gone.',
      arguments: [{ name: 'id', description: 'Message id.' }],
      settings: nats,
      load: () => import('../commands/trace.ts'),
    },
    {
      name: 'verify',
      summary: 'Check the log: chain, checksums, epochs and the law on every event.',
      flags: [
        { name: 'deep', kind: 'boolean', description: 'Also run every event through the machine itself.' },
      ],
      settings: nats,
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
      settings: nats,
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
          settings: nats,
          load: () => import('../commands/clusterStatus.ts'),
        },
      ],
    },
    {
      name: 'doctor',
      summary: 'Check NATS, the log and the machine for what would hurt later.',
      settings: [...nats, 'natsServer'],
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
