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
      summary: 'Serve clients of Amazon SQS until Ctrl-C, by default on 127.0.0.1:9324.',
      examples: [
        {
          command: 'kiroku door sqs',
          description: 'Let AWS_ENDPOINT_URL_SQS=http://127.0.0.1:9324 reach it',
        },
      ],
      settings: [
        ...natsSettings,
        'sqs',
        'sqsKeysFile',
        'sqsAccount',
        'sqsUrl',
        'sqsPauses',
        'logFormat',
        'logLevel',
      ],
      load: () => import('./doorSqs.ts'),
    },
  ],
}
