import type { ArgumentSpec, CommandSpec, FlagSpec } from '../../cli/CommandSpec.ts'
import { natsSettings, queueArgument, revealFlag, subscriptionFlag } from '../../cli/sharedFlags.ts'

const messageArgument: ArgumentSpec = { name: 'id', description: 'Message id, as `send` printed it.' }

const receiptsArgument: ArgumentSpec = { name: 'receipts', description: 'Receipts, separated by commas.' }

const matchingFlags: readonly FlagSpec[] = [
  {
    name: 'where',
    kind: 'text',
    alias: 'w',
    metavar: 'FILTER',
    description: 'Which messages, as `kiroku search` takes it.',
  },
  { name: 'dry-run', kind: 'boolean', description: 'Only count.' },
  { name: 'yes', kind: 'boolean', alias: 'y', description: 'Do not ask.' },
  { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
]

/** `send`, `receive`, `ack`, `retry`, `release`, `peek`, `recall`, `discard`, `reschedule`, `erase` and `work`. */
export const messageCommands: readonly CommandSpec[] = [
  {
    name: 'send',
    summary: 'Send messages: an argument, a file, standard input, or ndjson.',
    examples: [
      { command: `kiroku send mail '{"to":"a@b.c"}'`, description: 'One message' },
      { command: 'kiroku send cities --ndjson --file cities.ndjson', description: 'One message per line' },
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
      {
        name: 'count',
        kind: 'int',
        metavar: 'N',
        description: 'Send this many copies of the message (default 1).',
      },
      { name: 'ndjson', kind: 'boolean', description: 'One JSON value per line, each a message.' },
      {
        name: 'delay',
        kind: 'text',
        metavar: 'DURATION',
        description: 'Deliver after this delay, up to 14d.',
      },
      {
        name: 'content-type',
        kind: 'text',
        metavar: 'TYPE',
        description:
          'Content type; default application/json for JSON, else text/plain or application/octet-stream.',
      },
      {
        name: 'tag',
        kind: 'text',
        metavar: 'TAG',
        description: 'Tag, for subscriptions that filter by tag.',
      },
      {
        name: 'group',
        kind: 'text',
        metavar: 'GROUP',
        description: 'Message group: the unit of order in an ordered queue, the tenant in a fair one.',
      },
      {
        name: 'dedup-id',
        kind: 'text',
        metavar: 'ID',
        description: 'Dedup id, by which a deduplicating queue recognizes a repeat.',
      },
      { name: 'attributes', kind: 'text', metavar: 'K=V,…', description: 'Attributes.' },
      {
        name: 'wait',
        kind: 'text',
        metavar: 'DURATION',
        description:
          'How long to wait for an answer, up to 10m; default 5s while NATS or its quorum is away, 30s while a partition moves.',
      },
    ],
    settings: natsSettings,
    load: () => import('./send.ts'),
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
        description: 'Maximum number of messages, 1 to 1000; default 1.',
      },
      {
        name: 'wait',
        kind: 'text',
        metavar: 'DURATION',
        description: "How long to wait for the first message; default: the queue's setting.",
      },
      {
        name: 'lease',
        kind: 'text',
        metavar: 'DURATION',
        description: "Lease; default: the queue's setting.",
      },
      subscriptionFlag,
      { name: 'group', kind: 'text', metavar: 'GROUP', description: 'Only messages of this group.' },
      { name: 'ack', kind: 'boolean', description: 'Acknowledge what was printed.' },
    ],
    settings: natsSettings,
    load: () => import('./receive.ts'),
  },
  {
    name: 'ack',
    summary: 'Acknowledge messages by the receipts that `receive` printed.',
    arguments: [receiptsArgument],
    settings: natsSettings,
    load: async () => (await import('./settle.ts')).ack,
  },
  {
    name: 'retry',
    summary: 'Return messages for another attempt, by the receipts that `receive` printed.',
    arguments: [receiptsArgument],
    flags: [
      {
        name: 'delay',
        kind: 'text',
        metavar: 'DURATION',
        description: "Delay before the attempt, up to 14d; default: the queue's setting.",
      },
      { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
    ],
    settings: natsSettings,
    load: async () => (await import('./settle.ts')).retry,
  },
  {
    name: 'release',
    summary: 'Give messages back without counting an attempt, by the receipts that `receive` printed.',
    examples: [
      {
        command: "kiroku release RECEIPT --delay 30s --reason 'HTTP 429' --hold-subscription",
        description: 'Back in 30 s, and nothing else is delivered until then',
      },
    ],
    arguments: [receiptsArgument],
    flags: [
      {
        name: 'delay',
        kind: 'text',
        metavar: 'DURATION',
        description: 'Pause before it is delivered again, up to 14d; default none.',
      },
      { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
      {
        name: 'hold-subscription',
        kind: 'boolean',
        description: 'Hold all deliveries of the subscription for as long; needs --delay.',
      },
    ],
    settings: natsSettings,
    load: async () => (await import('./settle.ts')).release,
  },
  {
    name: 'peek',
    summary: 'Show messages in a queue, with their bodies, without receiving them.',
    description:
      'Reads the log itself: no attempt is counted, no lease begins, and consumers still receive everything.',
    examples: [
      { command: 'kiroku peek mail', description: 'Five of them' },
      { command: 'kiroku peek mail-dlq --max 20', description: 'Dead letters' },
      { command: 'kiroku peek mail --state inflight', description: 'What consumers are working on' },
    ],
    arguments: [queueArgument],
    flags: [
      {
        name: 'max',
        kind: 'int',
        alias: 'n',
        metavar: 'N',
        description: 'Maximum number of messages, 1 to 100; default 5.',
      },
      {
        name: 'state',
        kind: 'text',
        metavar: 'STATES',
        description: 'Only these states, separated by commas, as `kiroku replay` takes them.',
      },
      {
        name: 'where',
        kind: 'text',
        metavar: 'FILTER',
        description: 'Only messages that match a filter, as `kiroku replay` takes it.',
      },
      revealFlag,
    ],
    settings: natsSettings,
    load: () => import('./peek.ts'),
  },
  {
    name: 'recall',
    summary: 'Cancel a delayed message, or all that match a filter.',
    examples: [
      { command: 'kiroku recall ID', description: 'One message' },
      {
        command: "kiroku recall --where 'queue:payments' --dry-run",
        description: 'How many could be recalled, and why the others could not',
      },
    ],
    arguments: [{ ...messageArgument, optional: true }],
    flags: matchingFlags,
    settings: natsSettings,
    load: async () => (await import('./revise.ts')).recall,
  },
  {
    name: 'discard',
    summary: 'Discard messages that match a filter, after showing how many.',
    description:
      'Finds the messages that match, says how many can be discarded and why the others cannot, asks, and discards them for good: those that are delayed, available or waiting for a retry. Messages in flight stay. They go to no dead-letter queue; who did it and why is on record. Messages that changed since they were found are left alone, and messages that match only since then are not included: run it again.',
    examples: [
      {
        command: "kiroku discard --where 'state:waiting queue:payments' --dry-run",
        description: 'How many could be discarded, and why the others could not',
      },
      {
        command:
          "kiroku discard --where 'queue:mail error:\"no such host\"' --reason 'the host is gone' --yes",
        description: 'Without a question, with the reason on record',
      },
    ],
    flags: matchingFlags,
    settings: natsSettings,
    load: async () => (await import('./settleMatching.ts')).discard,
  },
  {
    name: 'reschedule',
    summary: 'Reschedule a delayed message.',
    examples: [
      { command: 'kiroku reschedule ID --delay 0', description: 'Due now' },
      { command: 'kiroku reschedule ID --at 2027-01-01T09:00:00Z', description: 'Due at that time' },
    ],
    arguments: [messageArgument],
    flags: [
      { name: 'delay', kind: 'text', metavar: 'DURATION', description: 'Due this long from now, up to 14d.' },
      { name: 'at', kind: 'text', metavar: 'TIME', description: 'Due at this time, in ISO 8601.' },
    ],
    settings: natsSettings,
    load: async () => (await import('./revise.ts')).reschedule,
  },
  {
    name: 'erase',
    summary: 'Erase a message or a group for good, by deleting its encryption key.',
    description:
      'For queues created with --erasable message or --erasable group. The record stays and stays verifiable, but without the key, bodies and attributes are noise: in the queue, in dead-letter queues and in every copy of the log. Messages that are not final are discarded. Returns when the keys are gone; cannot be undone. docs/erasure.md says what it does not reach.',
    examples: [
      {
        command: "kiroku erase orders --message ID --reason 'request 4711'",
        description: 'One message, by the id that `send` printed',
      },
      {
        command: "kiroku erase orders --group customer-42 --reason 'request 4711'",
        description: 'All messages of a group so far',
      },
    ],
    arguments: [queueArgument],
    flags: [
      { name: 'message', kind: 'text', metavar: 'MESSAGE', description: 'The message, by its id.' },
      { name: 'group', kind: 'text', metavar: 'GROUP', description: 'The message group.' },
      { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record. Required.' },
    ],
    settings: natsSettings,
    load: () => import('./erase.ts'),
  },
  {
    name: 'work',
    summary: 'Run a Worker module on its queues.',
    description:
      'Runs a JavaScript or TypeScript module that exports `default { async queue(batch, env, ctx) {} }`. Queues, batch sizes, retries and vars come from a wrangler file in the working folder; flags override it.',
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
        description: 'Queue to consume; default: those of the wrangler file.',
      },
      {
        name: 'create',
        kind: 'boolean',
        description: 'Create the queue if it is missing; without this, you are asked.',
      },
      {
        ...subscriptionFlag,
        description:
          'Subscription to consume, created with the settings of these flags if it is missing; default main.',
      },
      {
        name: 'config',
        kind: 'text',
        alias: 'c',
        metavar: 'FILE',
        description: 'wrangler.toml or wrangler.jsonc; default: the one in the working folder.',
      },
      { name: 'env', kind: 'text', metavar: 'NAME', description: 'Environment of the wrangler file.' },
      {
        name: 'batch-size',
        kind: 'int',
        metavar: 'N',
        description: 'Maximum number of messages in a batch.',
      },
      {
        name: 'batch-timeout',
        kind: 'text',
        metavar: 'DURATION',
        description: 'How long to wait for a fuller batch.',
      },
      { name: 'retries', kind: 'int', metavar: 'N', description: 'Retries after the first delivery.' },
      { name: 'retry-delay', kind: 'text', metavar: 'DURATION', description: 'Delay before a retry.' },
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
        description: 'Batches handled at once; default 10.',
      },
    ],
    settings: [...natsSettings, 'logFormat', 'logLevel'],
    load: () => import('./work.ts'),
  },
]
