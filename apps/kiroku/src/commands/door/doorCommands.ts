import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { natsSettings } from '../../cli/sharedFlags.ts'

/** `kiroku door`: doors for foreign clients, each in a process of its own. */
export const doorCommands: CommandSpec = {
  name: 'door',
  summary: 'Serve clients of other systems, each door in its own process.',
  examples: [{ command: 'kiroku door sqs', description: 'Clients of Amazon SQS, on 127.0.0.1:9324' }],
  subcommands: [
    {
      name: 'sqs',
      summary: 'Serve clients of Amazon SQS until Ctrl-C. An early version: see docs/sqs.md.',
      examples: [
        {
          command: 'kiroku door sqs',
          description: 'Let AWS_ENDPOINT_URL_SQS=http://127.0.0.1:9324 reach it',
        },
      ],
      settings: [...natsSettings, 'logFormat', 'logLevel'],
      flags: [
        {
          name: 'listen',
          kind: 'text',
          metavar: 'HOST:PORT',
          description: 'Where to listen; beyond loopback only with keys. [127.0.0.1:9324]',
        },
        {
          name: 'keys-file',
          kind: 'text',
          metavar: 'FILE',
          description:
            'Keys with which callers sign, a line each: `name:role:key id:secret`, with roles as tokens of the HTTP API have them. Without it every program of this machine is served.',
        },
        {
          name: 'account',
          kind: 'text',
          metavar: 'DIGITS',
          description: 'Account in queue URLs and ARNs. [000000000000]',
        },
      ],
      load: () => import('./doorSqs.ts'),
    },
  ],
}
