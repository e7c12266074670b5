import { limits } from '../limits.ts'
import type { QueueConfig } from './QueueConfig.ts'
import type { RetryPolicy } from './RetryPolicy.ts'

/** Groups of settings in the order in which people ask for them. */
export const settingGroups = [
  'Delivery',
  'Failure',
  'Limits',
  'Batches',
  'Order and repeats',
  'Keeping',
  'Bodies',
] as const

/** One row of the table of queue settings. */
export type QueueSetting = {
  /** Its name for people. */
  readonly title: string
  readonly group: (typeof settingGroups)[number]
  /** What it sets, in a sentence. */
  readonly says: string
  /** What 0 stands for, where that is not just none. */
  readonly zeroMeans?: string
  /** Fixed when the queue is created. */
  readonly setOnce?: true
  /** A subscription may set it for itself; the other settings are the queue's alone. */
  readonly subscription?: true
} & (
  | {
      /** A whole number: of ms, of bytes, or of what the sentence names. */
      readonly kind: 'duration' | 'bytes' | 'count'
      readonly default: number
      /** Both ends are included. */
      readonly min: number
      readonly max: number
      /** It may also be `unlimited`. */
      readonly orUnlimited?: true
    }
  | { readonly kind: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | { readonly kind: 'retry'; readonly default: RetryPolicy }
  /** Another queue, or none. */
  | { readonly kind: 'queue'; readonly default: null }
  /** A JSON Schema, or none. */
  | { readonly kind: 'schema'; readonly default: null }
)

/**
 * Everything that can be set for a queue, with the defaults of the native door. What is checked, the flags of the
 * command line and their help, the console's forms, the schema of the HTTP API and `docs/reference/configuration.md` are
 * all made from this table.
 */
export const queueSettings = {
  leaseMs: {
    title: 'lease',
    group: 'Delivery',
    kind: 'duration',
    default: 30_000,
    min: limits.leaseMsMin,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'Lease of a delivery, unless the receive asks for another.',
  },
  leaseMinMs: {
    title: 'shortest lease',
    group: 'Delivery',
    kind: 'duration',
    default: 1,
    min: limits.leaseMsMin,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'Shortest lease that a receive or an extension may ask for; a lease of 0 counts an attempt and leaves the message available.',
  },
  leaseCapMs: {
    title: 'lease cap',
    group: 'Delivery',
    zeroMeans: 'no cap',
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'A lease cannot be extended beyond this, counted from the receive; 0 is no cap.',
  },
  retriesMax: {
    title: 'retries',
    group: 'Failure',
    kind: 'count',
    default: 3,
    min: 0,
    max: limits.retriesMax,
    orUnlimited: true,
    subscription: true,
    says: 'Retries after the first delivery; `unlimited` retries until the retention ends.',
  },
  retry: {
    title: 'retry delay',
    group: 'Failure',
    kind: 'retry',
    default: { kind: 'fixed', delayMs: 0 },
    subscription: true,
    says: 'Delay before a retry.',
  },
  exhaustion: {
    title: 'retries exhausted',
    group: 'Failure',
    kind: 'choice',
    default: 'onExpiry',
    choices: ['onExpiry', 'onNextReceive'],
    subscription: true,
    says: 'When an exhausted message leaves: as its last lease ends, or at the next receive.',
  },
  lateHandles: {
    title: 'late acks',
    group: 'Delivery',
    kind: 'choice',
    default: 'accept',
    choices: ['accept', 'reject'],
    subscription: true,
    says: 'Whether an ack counts after the lease has expired.',
  },
  deadLetter: {
    title: 'dead letters go to',
    group: 'Failure',
    kind: 'queue',
    default: null,
    subscription: true,
    says: 'Queue for exhausted messages, created if it is missing; without one they are discarded.',
  },
  groups: {
    title: 'groups',
    group: 'Order and repeats',
    setOnce: true,
    kind: 'choice',
    default: 'none',
    choices: ['none', 'ordered', 'fair'],
    says: "What a message's group means: strict order within the group, or fair sharing of deliveries among groups. Fixed when the queue is created.",
  },
  erasable: {
    title: 'erasable by',
    group: 'Keeping',
    setOnce: true,
    kind: 'choice',
    default: 'none',
    choices: ['none', 'message', 'group'],
    says: 'Encrypt what is stored with one key per message or per message group, which `erase` deletes. Fixed when the queue is created.',
  },
  dedup: {
    title: 'deduplication',
    group: 'Order and repeats',
    kind: 'choice',
    default: 'off',
    choices: ['off', 'id', 'content'],
    says: 'Drop repeated sends: by dedup id, which is then required, or by body where a send has none.',
  },
  dedupScope: {
    title: 'deduplication within',
    group: 'Order and repeats',
    kind: 'choice',
    default: 'queue',
    choices: ['queue', 'group'],
    says: 'Whether repeats are looked for in the whole queue or in the group.',
  },
  dedupWindowMs: {
    title: 'deduplication window',
    group: 'Order and repeats',
    kind: 'duration',
    default: 300_000,
    min: limits.dedupWindowMsMin,
    max: limits.dedupWindowMsMax,
    says: 'How long a repeated send is recognized; after that it is a new message.',
  },
  retentionMs: {
    title: 'retention',
    group: 'Keeping',
    kind: 'duration',
    default: 4 * 86_400_000,
    min: limits.retentionMsMin,
    max: limits.retentionMsMax,
    says: 'Messages that are not final after this time are discarded.',
  },
  retentionFrom: {
    title: 'retention counts from',
    group: 'Keeping',
    kind: 'choice',
    default: 'arrival',
    choices: ['arrival', 'original'],
    says: 'Count retention from the arrival in this queue, or from the first send of a forwarded message.',
  },
  deliveryDelayMs: {
    title: 'delivery delay',
    group: 'Delivery',
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.delayMsMax,
    says: 'Delay of sends that give none.',
  },
  receiveWaitMs: {
    title: 'receive wait',
    group: 'Delivery',
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.receiveWaitMsMax,
    subscription: true,
    says: 'How long a receive waits if it does not say.',
  },
  batchMessages: {
    title: 'batch size',
    group: 'Batches',
    kind: 'count',
    default: 100,
    min: 1,
    max: limits.messagesPerReceiveMax,
    subscription: true,
    says: "Maximum number of messages in a consumer's batch.",
  },
  batchWaitMs: {
    title: 'batch wait',
    group: 'Batches',
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.batchWaitMsMax,
    subscription: true,
    says: 'How long a batch waits for more messages, from its first available one; 0 delivers at once.',
  },
  batchBytes: {
    title: 'batch bytes',
    group: 'Batches',
    kind: 'bytes',
    default: 1024 * 1024,
    min: 1,
    max: 64 * 1024 * 1024,
    subscription: true,
    says: 'Maximum size of a batch.',
  },
  rateMax: {
    title: 'rate limit',
    group: 'Limits',
    zeroMeans: 'no limit',
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.rateMax,
    subscription: true,
    says: 'Maximum deliveries per second, with bursts of up to one second; 0 is no limit.',
  },
  inflightMax: {
    title: 'max in flight',
    group: 'Limits',
    zeroMeans: 'no limit',
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.inflightMax,
    subscription: true,
    says: 'Maximum number of messages in flight; 0 is no limit.',
  },
  concurrencyMax: {
    title: 'max concurrent deliveries',
    group: 'Limits',
    zeroMeans: 'no limit',
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.concurrencyMax,
    subscription: true,
    says: 'Maximum number of batches in flight; 0 is no limit.',
  },
  bodyBytesMax: {
    title: 'max body size',
    group: 'Bodies',
    kind: 'bytes',
    default: 1024 * 1024,
    min: 1,
    max: limits.bodyBytesMax,
    says: 'Maximum size of a body.',
  },
  indexBody: {
    title: 'bodies searchable',
    group: 'Bodies',
    kind: 'choice',
    default: 'off',
    choices: ['off', 'on'],
    says: 'Index JSON bodies, so that `kiroku search` finds messages by values in them; for messages sent from then on.',
  },
  bodyHidden: {
    title: 'bodies hidden',
    group: 'Bodies',
    kind: 'choice',
    default: 'off',
    choices: ['off', 'on'],
    says: 'Hide bodies in the HTTP API and console, and attributes from viewers; operators may reveal a body, which is logged. Follows messages that are forwarded from here, also after the queue is deleted.',
  },
  errorHidden: {
    title: 'errors hidden',
    group: 'Bodies',
    kind: 'choice',
    default: 'on',
    choices: ['off', 'on'],
    says: 'With bodyHidden: hide the texts of errors from viewers as well, since handlers put what they handled into them.',
  },
  bodySchema: {
    title: 'body schema',
    group: 'Bodies',
    kind: 'schema',
    default: null,
    says: 'JSON Schema for bodies; `bodyCheck` says which.',
  },
  bodyCheck: {
    title: 'bodies checked',
    group: 'Bodies',
    kind: 'choice',
    default: 'edits',
    choices: ['edits', 'all'],
    says: 'Which bodies must fit bodySchema: edited ones only, or every body sent or redriven to this queue. Dead letters always arrive.',
  },
  idleMs: {
    title: 'delete when idle for',
    group: 'Keeping',
    zeroMeans: 'never',
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.idleMsMax,
    says: 'Delete the queue with its messages after this long without a receive; 0 is never.',
  },
} as const satisfies Readonly<Record<keyof QueueConfig, QueueSetting>>
