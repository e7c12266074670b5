import { accessSettings } from './accessSettings.ts'
import { httpSettings } from './httpSettings.ts'
import { sqsSettings } from './sqsSettings.ts'
import { setting } from './Setting.ts'

export type { Setting } from './Setting.ts'

/**
 * Everything that can be configured, as data: `docs/reference/configuration.md`, the flags of the CLI, the
 * environment and `kiroku.jsonc` are all made from this table. A flag wins over the environment, which wins
 * over the file, which wins over the default.
 */
export const settingsTable = [
  setting({
    key: 'config',
    flag: 'config',
    env: 'KIROKU_CONFIG',
    kind: 'text',
    metavar: 'FILE',
    description: 'Configuration file; default: `kiroku.jsonc` in the working folder.',
  }),
  setting({
    key: 'dataDir',
    flag: 'data-dir',
    env: 'KIROKU_DATA_DIR',
    kind: 'text',
    default: '.kiroku',
    metavar: 'FOLDER',
    description:
      'Folder of the managed NATS server and its data, and of `run.json`, by which commands find the engine.',
  }),
  setting({
    key: 'nats',
    flag: 'nats',
    env: 'KIROKU_NATS',
    kind: 'text',
    metavar: 'URL',
    description:
      'NATS servers, separated by commas. Default: the engine that `kiroku up` runs in this folder.',
  }),
  setting({
    key: 'natsCreds',
    flag: 'nats-creds',
    env: 'KIROKU_NATS_CREDS',
    kind: 'text',
    metavar: 'FILE',
    description: 'NATS credentials file (JWT and seed).',
  }),
  setting({
    key: 'natsNkey',
    flag: 'nats-nkey',
    env: 'KIROKU_NATS_NKEY',
    kind: 'text',
    metavar: 'FILE',
    description: 'File with the seed of an NKey, for NATS.',
  }),
  setting({
    key: 'natsAs',
    flag: 'nats-as',
    env: 'KIROKU_NATS_AS',
    kind: 'text',
    metavar: 'NAME',
    description:
      'The client that this is to NATS, where it lets clients in by name, with the rights of clients (docs/production.md). Not for nodes, nor for commands that read the log.',
  }),
  setting({
    key: 'natsUser',
    flag: 'nats-user',
    env: 'KIROKU_NATS_USER',
    kind: 'text',
    metavar: 'NAME',
    description: 'NATS user.',
  }),
  setting({
    key: 'natsPassword',
    flag: 'nats-password',
    env: 'KIROKU_NATS_PASSWORD',
    kind: 'text',
    metavar: 'PASSWORD',
    description: 'Password of the NATS user; better set in the environment.',
  }),
  setting({
    key: 'natsToken',
    flag: 'nats-token',
    env: 'KIROKU_NATS_TOKEN',
    kind: 'text',
    metavar: 'TOKEN',
    description: 'NATS token; better set in the environment.',
  }),
  setting({
    key: 'natsTlsCa',
    flag: 'nats-tls-ca',
    env: 'KIROKU_NATS_TLS_CA',
    kind: 'text',
    metavar: 'FILE',
    description: 'Certificate authority of the NATS servers (PEM).',
  }),
  setting({
    key: 'natsTlsCert',
    flag: 'nats-tls-cert',
    env: 'KIROKU_NATS_TLS_CERT',
    kind: 'text',
    metavar: 'FILE',
    description: 'Client certificate for NATS (PEM).',
  }),
  setting({
    key: 'natsTlsKey',
    flag: 'nats-tls-key',
    env: 'KIROKU_NATS_TLS_KEY',
    kind: 'text',
    metavar: 'FILE',
    description: 'Key of the client certificate (PEM).',
  }),
  setting({
    key: 'natsPort',
    flag: 'nats-port',
    env: 'KIROKU_NATS_PORT',
    kind: 'int',
    min: 0,
    metavar: 'PORT',
    description:
      'Port of the managed NATS server on loopback; 0 takes a free one. Default: 4222, or a free port if it is taken, and the same at each start.',
  }),
  setting({
    key: 'log',
    flag: 'log',
    env: 'KIROKU_LOG',
    kind: 'text',
    default: 'main',
    metavar: 'NAME',
    description: 'Log (group of partitions) to use.',
  }),
  setting({
    key: 'partitions',
    flag: 'partitions',
    env: 'KIROKU_PARTITIONS',
    kind: 'int',
    min: 1,
    default: '4',
    metavar: 'N',
    description: 'Partitions of a new log, up to 1024; an existing log keeps its number.',
  }),
  setting({
    key: 'replicas',
    flag: 'replicas',
    env: 'KIROKU_REPLICAS',
    kind: 'int',
    min: 1,
    default: '1',
    metavar: 'N',
    description: 'Replicas of the streams of a new log: 1, 3 or 5.',
  }),
  setting({
    key: 'record',
    flag: 'record',
    env: 'KIROKU_RECORD',
    kind: 'duration',
    metavar: 'DURATION',
    description: 'How long the record is kept. Also changes an existing log; a new log keeps 7d by default.',
  }),
  setting({
    key: 'recordBytes',
    flag: 'record-bytes',
    env: 'KIROKU_RECORD_BYTES',
    kind: 'bytes',
    metavar: 'SIZE',
    description:
      'Maximum size of the record, checkpoints included. Also changes an existing log; a new log keeps 20GiB by default.',
  }),
  setting({
    key: 'deadAfter',
    flag: 'dead-after',
    env: 'KIROKU_DEAD_AFTER',
    kind: 'duration',
    min: 1_000,
    max: 60_000,
    metavar: 'DURATION',
    description:
      'Time without a heartbeat after which a node counts as dead and others take its partitions over, from 1s to 1m. All nodes of a log have the same: another value counts once none of them runs. Default: 3s for a new log.',
  }),
  setting({
    key: 'weight',
    flag: 'weight',
    env: 'KIROKU_WEIGHT',
    kind: 'int',
    min: 0,
    max: 100,
    default: '1',
    metavar: 'N',
    description:
      "This node's share of the partitions, relative to the others', up to 100: one of weight 2 gets twice as many as one of weight 1. 0 takes none as long as another node can.",
  }),
  setting({
    key: 'zone',
    flag: 'zone',
    env: 'KIROKU_ZONE',
    kind: 'text',
    default: '',
    metavar: 'NAME',
    description:
      'Where this node stands, like a rack or a data centre: the standby of a partition is in another zone than its owner, where a node of another zone can be it. Default: it does not say.',
  }),
  setting({
    key: 'standby',
    flag: 'standby',
    env: 'KIROKU_STANDBY',
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    description:
      'Whether this node follows the logs of partitions that other nodes own, and keeps their state in memory, to take them over without a load when their owner dies. A single node follows nothing.',
  }),
  setting({
    key: 'link',
    flag: 'link',
    env: 'KIROKU_LINK',
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    description:
      'Whether a node and the clients on its machine, under the same user, talk directly over a Unix-domain socket in the data folder, and over NATS only where that fails. Not on Windows.',
  }),
  ...httpSettings,
  ...accessSettings,
  ...sqsSettings,
  setting({
    key: 'audit',
    flag: 'audit',
    env: 'KIROKU_AUDIT',
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    description:
      'Whether the auditor may run next to this engine: a low-priority process that keeps an index and past states in the data folder, for search, traces and time travel. One node of a log runs it, and it answers for all of them.',
  }),
  setting({
    key: 'anchors',
    flag: 'anchors',
    env: 'KIROKU_ANCHORS',
    kind: 'text',
    metavar: 'FILE',
    description:
      'File to which the auditor adds the hash of the last record of each partition, every anchorEvery records and when a partition rests: with it `kiroku verify --anchors` finds a history that was rewritten. Keep it where those who can write to NATS cannot change it, or sign it with anchorKey. Default: none.',
  }),
  setting({
    key: 'anchorKey',
    flag: 'anchor-key',
    env: 'KIROKU_ANCHOR_KEY',
    kind: 'text',
    metavar: 'FILE',
    description:
      'File with an Ed25519 private key in PEM that anchors are signed with. Default: they are not signed.',
  }),
  setting({
    key: 'anchorEvery',
    flag: 'anchor-every',
    env: 'KIROKU_ANCHOR_EVERY',
    kind: 'int',
    min: 1,
    default: '1000',
    metavar: 'N',
    description: 'Records of a partition between two anchors.',
  }),
  setting({
    key: 'console',
    flag: 'console',
    env: 'KIROKU_CONSOLE',
    kind: 'choice',
    choices: ['on', 'read-only', 'off'],
    description:
      'The browser console, at `/` of the HTTP API. `read-only`: browsers can look but change nothing, whatever their token. Default: `on` if the HTTP API listens on loopback, else `read-only`.',
  }),
  setting({
    key: 'logFormat',
    flag: 'log-format',
    env: 'KIROKU_LOG_FORMAT',
    kind: 'choice',
    choices: ['human', 'json'],
    default: 'human',
    description: 'Format of log lines on stderr.',
  }),
  setting({
    key: 'logLevel',
    flag: 'log-level',
    env: 'KIROKU_LOG_LEVEL',
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    description: 'Minimum level of log lines.',
  }),
  setting({
    key: 'natsServer',
    flag: 'nats-server',
    env: 'NATS_SERVER',
    kind: 'text',
    metavar: 'FILE',
    description:
      'The nats-server executable that `kiroku up` runs. Default: from PATH, else from the cache, else downloaded.',
  }),
  setting({
    key: 'natsRelease',
    flag: 'nats-release',
    env: 'KIROKU_NATS_RELEASE',
    kind: 'text',
    metavar: 'ADDRESS',
    description:
      'Where to download nats-server from if there is none: a folder with the archives of a release and its `SHA256SUMS`, as an http, https or file address or a path; `{version}` stands for the version. Default: the releases of nats-server on GitHub, then the Debian package if apt can get it.',
  }),
  setting({
    key: 'natsVersion',
    flag: 'nats-version',
    env: 'KIROKU_NATS_VERSION',
    kind: 'text',
    metavar: 'VERSION',
    description:
      'The nats-server version to download if none is on PATH, 2.12.0 or newer. Default: the newest in the cache, else the one that Kiroku is tested with.',
  }),
] as const

/** Key of a setting. */
export type SettingKey = (typeof settingsTable)[number]['key']

type Row<K extends SettingKey> = Extract<(typeof settingsTable)[number], { key: K }>
type Value<R> = R extends { kind: 'int' | 'duration' | 'bytes' }
  ? number
  : R extends { choices: readonly (infer C)[] }
    ? C
    : string

/** Resolved settings: numbers in ms and bytes; undefined where nothing was given and there is no default. */
export type Settings = {
  readonly [K in SettingKey]: Row<K> extends { default: string } ? Value<Row<K>> : Value<Row<K>> | undefined
}

/** Environment variables that are not settings of a command. */
export const otherVariables = [
  { env: 'KIROKU_DEBUG', description: '1 shows stack traces of errors.' },
  {
    env: 'NODE_OPTIONS',
    description:
      'Flags of Node. Engines start with --max-semi-space-size=16 --min-semi-space-size=16, which keeps their young generation in the processor cache and from shrinking in quiet times, and with a --v8-pool-size of one less than the processors, at most 4, so that collecting garbage leaves one to the engine; set any of them to override all. With less than 1 GiB of memory, both sizes are 4 and --no-incremental-marking keeps garbage from gathering during a full collection.',
  },
  {
    env: 'GLIBC_TUNABLES',
    description:
      'Tunables of glibc. Engines on Linux start with glibc.malloc.hugetlb=1 added, so that memory for bodies comes in pages of 2 MB where Linux allows it; glibc.malloc.hugetlb=0 turns that off. With less than 1 GiB of memory they start with settings of glibc.malloc that give freed memory back at once; naming glibc.malloc.mmap_threshold turns that off.',
  },
  {
    env: 'GOMEMLIMIT',
    description:
      'Memory beyond which a nats-server that `kiroku up` starts collects garbage rather than grows; default: a sixth of what the container or machine has.',
  },
  {
    env: 'HTTPS_PROXY',
    description: 'Proxy for the download of nats-server; `HTTP_PROXY` and `NO_PROXY` work as well.',
  },
  { env: 'NO_COLOR', description: 'Any value switches colours off.' },
] as const
