import { KirokuError, type RetryPolicy } from '@kiroku/message'
import type { QueueSettings } from '@kiroku/client'
import type { QueueConfig } from '@kiroku/partition'
import type { FlagSpec, Invocation } from '../cli/CommandSpec.ts'
import { parseBytes, parseDurationMs } from './units.ts'

type QueueKey = Exclude<keyof QueueConfig, 'deadLetter'>

interface QueueFlag {
  readonly key: QueueKey
  readonly flag: string
  readonly kind: 'int' | 'duration' | 'bytes' | 'retry' | 'choice'
  readonly choices?: readonly string[]
  readonly description: string
}

/** How each part of a queue's configuration is written on the command line. */
export const queueFlags: readonly QueueFlag[] = [
  {
    key: 'leaseMs',
    flag: 'lease',
    kind: 'duration',
    description: 'Lease of a delivery, 1ms to 12h; default 30s.',
  },
  {
    key: 'leaseCapMs',
    flag: 'lease-cap',
    kind: 'duration',
    description: 'Extensions end this long after the receive; 0 is no cap, the default.',
  },
  {
    key: 'retriesMax',
    flag: 'retries',
    kind: 'int',
    description: 'Retries after the first delivery, 0 to 1000; default 3.',
  },
  {
    key: 'retry',
    flag: 'retry',
    kind: 'retry',
    description:
      'Pause before a retry: a duration, exponential:BASE,FACTOR,MAX,JITTER, rocketmq, or list:D1,D2,…; default 0.',
  },
  {
    key: 'exhaustion',
    flag: 'exhaustion',
    kind: 'choice',
    choices: ['onExpiry', 'onNextReceive'],
    description: 'When a message whose attempts are used up leaves; default onExpiry.',
  },
  {
    key: 'lateHandles',
    flag: 'late-handles',
    kind: 'choice',
    choices: ['accept', 'reject'],
    description: 'Whether an ack after the end of the lease counts; default accept.',
  },
  {
    key: 'retentionMs',
    flag: 'retention',
    kind: 'duration',
    description: 'What is not final after this is discarded, 1s to 14d; default 4d.',
  },
  {
    key: 'retentionFrom',
    flag: 'retention-from',
    kind: 'choice',
    choices: ['arrival', 'original'],
    description: 'Count retention of forwarded messages from here or from their first send; default arrival.',
  },
  {
    key: 'deliveryDelayMs',
    flag: 'delay',
    kind: 'duration',
    description: 'Delay of a send that asks for none, up to 14d; default 0.',
  },
  {
    key: 'receiveWaitMs',
    flag: 'receive-wait',
    kind: 'duration',
    description: 'Long poll of a receive that asks for none, up to 60s; default 0.',
  },
  {
    key: 'batchMessages',
    flag: 'batch-messages',
    kind: 'int',
    description: "A consumer's batch closes at this many messages, 1 to 1000; default 10.",
  },
  {
    key: 'batchWaitMs',
    flag: 'batch-wait',
    kind: 'duration',
    description: '…or this long after the first available message, up to 60s; default 5s.',
  },
  { key: 'batchBytes', flag: 'batch-bytes', kind: 'bytes', description: '…or at this size; default 1MiB.' },
  {
    key: 'bodyBytesMax',
    flag: 'body-max',
    kind: 'bytes',
    description: 'Largest body of a send, up to 4MiB; default 1MiB.',
  },
]

/** The flags of `queue create` and `queue update`. */
export const queueFlagSpecs: readonly FlagSpec[] = [
  ...queueFlags.map((row): FlagSpec => {
    const { flag: name, description, choices } = row
    if (choices !== undefined) return { name, kind: 'choice', choices, description }
    if (row.kind === 'int') return { name, kind: 'int', description }
    return {
      name,
      kind: 'text',
      metavar: row.kind === 'retry' ? 'POLICY' : row.kind.toUpperCase(),
      description,
    }
  }),
  {
    name: 'dead-letter',
    kind: 'text',
    metavar: 'QUEUE',
    description:
      'Queue that exhausted messages go to; `none` takes it away. Default none: they are discarded.',
  },
]

/** Reads the queue flags that were given. Errors: `InvalidArgument`. */
export const queueConfigOf = (invocation: Pick<Invocation, 'text' | 'int'>): QueueSettings => {
  const config: Record<string, unknown> = {}
  for (const row of queueFlags) {
    const value = row.kind === 'int' ? invocation.int(row.flag) : invocation.text(row.flag)
    if (value !== undefined) config[row.key] = typeof value === 'number' ? value : read(row, value)
  }
  const deadLetter = invocation.text('dead-letter')
  if (deadLetter !== undefined) config['deadLetter'] = deadLetter === 'none' ? null : deadLetter
  return config
}

const read = (row: QueueFlag, text: string): unknown => {
  const what = `--${row.flag}`
  if (row.kind === 'duration') return parseDurationMs(text, what)
  if (row.kind === 'bytes') return parseBytes(text, what)
  return row.kind === 'retry' ? parseRetryPolicy(text) : text
}

/** Reads a retry policy. Errors: `InvalidArgument`. */
export const parseRetryPolicy = (text: string): RetryPolicy => {
  if (text === 'rocketmq') return { kind: 'rocketmq' }
  const [kind, rest] = split(text)
  if (kind === 'list')
    return { kind, delaysMs: rest.split(',').map((delay) => parseDurationMs(delay, '--retry list')) }
  if (kind === 'exponential') {
    const [base, factor = '2', max = '1h', jitter = '0'] = rest.split(',')
    const numbers = { factor: Number(factor), jitter: Number(jitter) }
    if (!(numbers.factor >= 1) || !(numbers.jitter >= 0 && numbers.jitter <= 1))
      throw new KirokuError(
        'InvalidArgument',
        `--retry: "${text}" needs a factor from 1 and a jitter from 0 to 1, like exponential:1s,2,10m,0.2`,
      )
    return {
      kind,
      baseMs: parseDurationMs(base!, '--retry exponential, base'),
      maxMs: parseDurationMs(max, '--retry exponential, max'),
      ...numbers,
    }
  }
  return { kind: 'fixed', delayMs: parseDurationMs(kind === 'fixed' ? rest : text, '--retry') }
}

/** Writes a retry policy as `--retry` reads it. */
export const formatRetryPolicy = (policy: RetryPolicy): string => {
  switch (policy.kind) {
    case 'fixed':
      return `${policy.delayMs}ms`
    case 'exponential':
      return `exponential:${policy.baseMs}ms,${policy.factor},${policy.maxMs}ms,${policy.jitter}`
    case 'rocketmq':
      return 'rocketmq'
    case 'list':
      return `list:${policy.delaysMs.map((delay) => `${delay}ms`).join(',')}`
  }
}

const split = (text: string): [string, string] => {
  const colon = text.indexOf(':')
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
}
