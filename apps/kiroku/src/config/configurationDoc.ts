import { errorRegistry } from '@kiroku/message'
import { formatSetting, queueFlags, rangeOf } from './queueFlags.ts'
import { configFile } from './ConfigFile.ts'
import { otherVariables, settingsTable, type Setting } from './settings.ts'

const code = (text: string): string => `\`${text}\``

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
]

const valueOf = (row: Setting): string => {
  if (row.choices !== undefined) return row.choices.map(code).join(' or ')
  return { text: 'text', int: 'whole number', duration: 'duration', bytes: 'size', choice: '' }[row.kind]
}

/** The page `docs/configuration.md`, made from the settings table and the error registry. */
export const configurationDoc = (): string =>
  [
    '# Configuration',
    '',
    'This page is made from `apps/kiroku/src/config/settings.ts` and `libs/partition/src/queueSettings.ts`; change it there.',
    '',
    `A flag beats the environment, which beats the file \`${configFile}\` of the working folder, which beats the default.`,
    'The file is JSON with comments; its keys are those of the first column. Durations are written as `500ms`, `30s`,',
    '`5m`, `2h` or `7d`, sizes as bytes or `512KiB`, `8MB`, `20GiB`. `kiroku COMMAND --help` shows which settings a',
    'command takes as flags.',
    '',
    '```jsonc',
    `// ${configFile}`,
    '{',
    '  "partitions": 8, // of a log that is created now',
    '  "http": "127.0.0.1:9000",',
    '  "logFormat": "json",',
    '  "queues": {',
    '    "mail": { "leaseMs": "1m", "retriesMax": 5, "retry": "exponential:1s,2,10m", "deadLetter": "mail-dlq" },',
    '    "mail-dlq": { "retentionMs": "7d" },',
    '    "events": { "subscriptions": { "audit": { "tags": ["paid"], "leaseMs": "2m" } } },',
    '  },',
    '}',
    '```',
    '',
    '## Settings',
    '',
    ...table(
      ['key', 'flag', 'environment', 'value', 'default', 'what it does'],
      (settingsTable as readonly Setting[]).map((row) => [
        code(row.key),
        code(`--${row.flag}`),
        code(row.env),
        valueOf(row),
        row.default === undefined ? '' : code(row.default),
        row.description,
      ]),
    ),
    '',
    '## What NATS takes at once',
    '',
    'The `max_payload` of nats-server bounds a record of the log. The managed server has 8 MB; the default of a server of',
    'your own is 1 MiB, which also works: bodies are limited to it less 64 KiB, and one send to what it has room for, its',
    'tags, groups and producer included, beyond which it is refused with `BodyTooLarge`: send fewer messages at once. What is',
    'done together is divided over as many records as it takes. Do not lower it under a log that holds larger bodies.',
    '',
    '## Other variables',
    '',
    ...table(
      ['environment', 'what it does'],
      otherVariables.map((row) => [code(row.env), row.description]),
    ),
    '',
    '## Queues',
    '',
    'Queues are configured by `kiroku queue create` and `kiroku queue update`, whose flags these are, or by the client and',
    'the HTTP API, whose keys these are, with times in ms and sizes in bytes. Each change is an event on record, with who',
    'made it and from where.',
    '',
    'A queue lives on one partition. `kiroku queue spread QUEUE --partitions N` lets it lie on several, and brings it together',
    'again, while it is used: for one that a partition cannot carry. Its limits (`rateMax`, `inflightMax`, `concurrencyMax`) are',
    'shared out among its parts, and a batch comes from one of them. A queue that keeps order within groups, stores equal messages',
    'once or is deleted when it is idle stays on one.',
    '',
    `A file may say it too: \`queues\` of \`${configFile}\` holds the same keys by the queue’s name, with numbers of ms and`,
    'bytes or text as on the command line. `kiroku up` and `kiroku serve` apply it when they start, `kiroku apply` at any time',
    '(`--dry-run` shows what would change), and `kiroku apply wrangler.toml` applies the queues of a Worker as `kiroku work`',
    'does. Everything is checked before anything changes. The most recent change wins: each section is applied once, until it',
    'says something else, and the log remembers what was applied, so a later `queue update` stays on every machine. What a',
    'file does not say stays as it is.',
    '',
    'What a subscription may set for itself it takes from its queue until it does.',
    '',
    ...table(
      ['key', 'flag', 'value', 'default', 'subscription', 'what it sets'],
      queueFlags.map(({ key, flag, row }) => [
        code(key),
        code(`--${flag}`),
        rangeOf(row),
        code(formatSetting(row, row.default)),
        row.subscription === true ? 'yes' : '',
        row.says,
      ]),
    ),
    '',
    '## Tokens of the HTTP API',
    '',
    'Without tokens the API answers this machine only. An address beyond loopback needs `KIROKU_TOKENS` or a file:',
    '',
    '```text',
    '# name:role:token, one a line',
    'grafana:viewer:…',
    'shop:operator:…',
    'ann:admin:…',
    '```',
    '',
    'A viewer reads (queues, traces, cluster, metrics), an operator also sends, receives and settles, an admin also',
    'creates, changes, purges, pauses and deletes queues. Requests carry `Authorization: Bearer TOKEN`; the header',
    '`X-Kiroku-Reason` adds a reason to the event of an administrative act.',
    '',
    '## Exit codes and errors',
    '',
    'Every error has a stable id, shown by the CLI and in the JSON of the API. With `--json` the last line of a failed',
    'command is `{"error":{"id":…,"message":…,"help":…,"retryable":…}}`.',
    '',
    ...table(
      ['id', 'exit code', 'HTTP status', 'try again', 'what to do'],
      Object.entries(errorRegistry).map(([id, entry]) => [
        code(id),
        String(entry.exit),
        String(entry.http),
        entry.retryable ? 'yes' : '',
        entry.help,
      ]),
    ),
    '',
  ].join('\n')
