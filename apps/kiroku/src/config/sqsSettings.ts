import { setting } from './Setting.ts'

/** The door for clients of Amazon SQS. */
export const sqsSettings = [
  setting({
    key: 'sqs',
    flag: 'sqs',
    env: 'KIROKU_SQS',
    kind: 'text',
    metavar: 'HOST:PORT',
    description:
      'Address of the door for clients of Amazon SQS (docs/sqs.md), such as 127.0.0.1:9324, which needs keys beyond loopback. `auto`, the default of `up`: port 9324 of loopback, or a free one, unless the HTTP API has tokens and this door no keys. `off`, the default of `serve`: there is none.',
  }),
  setting({
    key: 'sqsKeysFile',
    flag: 'sqs-keys-file',
    env: 'KIROKU_SQS_KEYS_FILE',
    kind: 'text',
    metavar: 'FILE',
    description:
      'Keys with which clients of Amazon SQS sign, a line each: `name:role:key id:secret`, with roles as tokens have them, and `:` with 12 digits behind those of another account, which policies of queues let in; read again when it changes. Without it every program of this machine is served, unless the HTTP API has tokens.',
  }),
  setting({
    key: 'sqsAccount',
    flag: 'sqs-account',
    env: 'KIROKU_SQS_ACCOUNT',
    kind: 'text',
    default: '000000000000',
    metavar: 'DIGITS',
    description: 'Account in the queue URLs and ARNs of Amazon SQS, 12 digits.',
  }),
  setting({
    key: 'sqsUrl',
    flag: 'sqs-url',
    env: 'KIROKU_SQS_URL',
    kind: 'text',
    metavar: 'URL',
    description:
      'What the queue URLs that clients of Amazon SQS are told begin with, such as https://queues.example.org. Default: the address that the client asked; of a proxy on this machine, the one that it says in X-Forwarded-Proto and X-Forwarded-Host.',
  }),
  setting({
    key: 'sqsPauses',
    flag: 'sqs-pauses',
    env: 'KIROKU_SQS_PAUSES',
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'off',
    description:
      'Whether clients of Amazon SQS wait 60 s, as AWS has them, before they purge a queue again, and before they create one of a name that was deleted.',
  }),
] as const
