import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { natsSettings } from '../../cli/sharedFlags.ts'
import type { SettingKey } from '../../config/settings.ts'

/** Settings of the commands that run a node. */
const nodeSettings: readonly SettingKey[] = [
  'config',
  'log',
  'partitions',
  'replicas',
  'record',
  'recordBytes',
  'deadAfter',
  'weight',
  'zone',
  'standby',
  'link',
  'http',
  'httpTlsCert',
  'httpTlsKey',
  'httpBody',
  'httpBytes',
  'httpRequests',
  'httpConnections',
  'httpHeaderTime',
  'httpRequestTime',
  'httpIdleTime',
  'tokens',
  'tokensFile',
  'oidcIssuer',
  'oidcAudience',
  'oidcRoles',
  'oidcName',
  'sqs',
  'sqsKeysFile',
  'sqsAccount',
  'sqsUrl',
  'sqsPauses',
  'audit',
  'anchors',
  'anchorKey',
  'anchorEvery',
  'console',
  'logFormat',
  'logLevel',
]

/** `up`, `serve`, `status` and `open`. */
export const engineCommands: readonly CommandSpec[] = [
  {
    name: 'up',
    summary: 'Run an engine here: managed NATS, node and HTTP API on loopback.',
    description:
      'Runs a managed nats-server, a node and the HTTP API on loopback, with their data in .kiroku/ of this folder. Other commands in this folder find it by themselves. Ctrl-C drains and stops.',
    examples: [
      { command: 'kiroku up', description: 'Start; in another terminal: kiroku queue create mail' },
      {
        command: 'kiroku up --sample',
        description: 'Start with a small shop at work, to look around in the console',
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
    settings: ['dataDir', 'natsPort', 'natsServer', 'natsRelease', 'natsVersion', ...nodeSettings],
    load: () => import('./up.ts'),
  },
  {
    name: 'serve',
    summary: 'Run a node on a given NATS; several share the partitions.',
    description:
      'Waits for a NATS that is not there yet, or has no quorum, and says so in its log. Ctrl-C or SIGTERM ends it, also while it waits.',
    examples: [
      {
        command: 'kiroku serve --nats nats://10.0.0.5:4222',
        description: 'One node; start it on several machines',
      },
    ],
    settings: [...natsSettings, ...nodeSettings.filter((key) => key !== 'log')],
    load: () => import('./serve.ts'),
  },
  {
    name: 'status',
    summary: 'Engine, partitions, queues and problems on one screen.',
    settings: natsSettings,
    load: () => import('./status.ts'),
  },
  {
    name: 'open',
    summary: 'Open the console in the browser; without a browser, print its address.',
    settings: ['dataDir'],
    load: () => import('./open.ts'),
  },
]

/** `machine`. */
export const machineCommand: CommandSpec = {
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
  load: () => import('./machine.ts'),
}

/** `doctor`. */
export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'Check NATS, the log and the machine for current and looming problems.',
  flags: [
    {
      name: 'deep',
      kind: 'boolean',
      description:
        'Read the whole record; without this, large partitions are read from their latest checkpoint.',
    },
  ],
  settings: [...natsSettings, 'natsServer'],
  load: () => import('./doctor.ts'),
}

/** `completions`. */
export const completionsCommand: CommandSpec = {
  name: 'completions',
  summary: 'Print the completion script of a shell.',
  description:
    'Completes commands and flags, and, if an engine runs in the folder, the names of its queues and the ids of its latest messages.',
  examples: [
    {
      command: 'kiroku completions bash > /etc/bash_completion.d/kiroku',
      description: 'Install for bash',
    },
  ],
  arguments: [{ name: 'shell', description: 'bash, zsh, fish or powershell.' }],
  load: () => import('./completions.ts'),
}
