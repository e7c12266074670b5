import type { RetryPolicy } from '@kiroku/message'
import { limits } from './limits.ts'

/** One row of the table of queue settings. */
export type QueueSetting = {
  /** What it sets, in a sentence. */
  readonly says: string
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
 * command line and their help, the schema of the HTTP API and `docs/reference/configuration.md` are all made from this table.
 */
export const queueSettings = {
  leaseMs: {
    kind: 'duration',
    default: 30_000,
    min: limits.leaseMsMin,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'Lease of a delivery, unless the receive asks for another.',
  },
  leaseMinMs: {
    kind: 'duration',
    default: limits.leaseMsMin,
    min: limits.leaseMsMin,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'Shortest lease that a receive or an extension may ask for.',
  },
  leaseCapMs: {
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.leaseMsMax,
    subscription: true,
    says: 'No extension moves a lease further than this from its receive; 0 is no cap.',
  },
  retriesMax: {
    kind: 'count',
    default: 3,
    min: 0,
    max: limits.retriesMax,
    subscription: true,
    says: 'Retries after the first delivery.',
  },
  retry: {
    kind: 'retry',
    default: { kind: 'fixed', delayMs: 0 },
    subscription: true,
    says: 'Pause before a retry.',
  },
  exhaustion: {
    kind: 'choice',
    default: 'onExpiry',
    choices: ['onExpiry', 'onNextReceive'],
    subscription: true,
    says: 'When a message whose attempts are used up leaves.',
  },
  lateHandles: {
    kind: 'choice',
    default: 'accept',
    choices: ['accept', 'reject'],
    subscription: true,
    says: 'Whether an ack after the end of the lease counts.',
  },
  deadLetter: {
    kind: 'queue',
    default: null,
    subscription: true,
    says: 'Queue that exhausted messages go to, created if it is missing; without one they are discarded.',
  },
  groups: {
    kind: 'choice',
    default: 'none',
    choices: ['none', 'ordered', 'fair'],
    says: "What a message's group means: strict order within it, or a fair share of deliveries among groups. Set once, when the queue is created.",
  },
  erasable: {
    kind: 'choice',
    default: 'none',
    choices: ['none', 'message', 'group'],
    says: 'Encrypt what is stored with a key a message, or a message group, which `erase` deletes. Set once, when the queue is created.',
  },
  dedup: {
    kind: 'choice',
    default: 'off',
    choices: ['off', 'id', 'content'],
    says: 'Store a message once that is sent again: known by the id that every send must give, or by the body where a send gives none.',
  },
  dedupScope: {
    kind: 'choice',
    default: 'queue',
    choices: ['queue', 'group'],
    says: 'Whether a repeat is looked for in the whole queue or in its group.',
  },
  dedupWindowMs: {
    kind: 'duration',
    default: 300_000,
    min: limits.dedupWindowMsMin,
    max: limits.dedupWindowMsMax,
    says: 'A message that is sent again after this is a new one.',
  },
  retentionMs: {
    kind: 'duration',
    default: 4 * 86_400_000,
    min: limits.retentionMsMin,
    max: limits.retentionMsMax,
    says: 'A message that is not final after this is discarded.',
  },
  retentionFrom: {
    kind: 'choice',
    default: 'arrival',
    choices: ['arrival', 'original'],
    says: 'Count retention from the arrival here, or from the first send of a forwarded message.',
  },
  deliveryDelayMs: {
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.delayMsMax,
    says: 'Delay of a send that asks for none.',
  },
  receiveWaitMs: {
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.receiveWaitMsMax,
    subscription: true,
    says: 'Long poll of a receive that asks for none.',
  },
  batchMessages: {
    kind: 'count',
    default: 100,
    min: 1,
    max: limits.messagesPerReceiveMax,
    subscription: true,
    says: "A consumer's batch closes at this many messages.",
  },
  batchWaitMs: {
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.batchWaitMsMax,
    subscription: true,
    says: 'A batch waits this long, from its first available message, for more of them; 0 delivers at once.',
  },
  batchBytes: {
    kind: 'bytes',
    default: 1024 * 1024,
    min: 1,
    max: 64 * 1024 * 1024,
    subscription: true,
    says: 'A batch closes at this size.',
  },
  rateMax: {
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.rateMax,
    subscription: true,
    says: 'Messages delivered a second; a pause saves up to one second of them. 0 is no limit.',
  },
  inflightMax: {
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.inflightMax,
    subscription: true,
    says: 'Messages in flight at most; 0 is no limit.',
  },
  concurrencyMax: {
    kind: 'count',
    default: 0,
    min: 0,
    max: limits.concurrencyMax,
    subscription: true,
    says: 'Deliveries, that is batches, in flight at most; 0 is no limit.',
  },
  bodyBytesMax: {
    kind: 'bytes',
    default: 1024 * 1024,
    min: 1,
    max: limits.bodyBytesMax,
    says: 'Largest body that a send may have.',
  },
  indexBody: {
    kind: 'choice',
    default: 'off',
    choices: ['off', 'on'],
    says: 'Whether `kiroku search` finds messages by values in their bodies, where these are JSON; for messages sent from then on.',
  },
  bodyHidden: {
    kind: 'choice',
    default: 'off',
    choices: ['off', 'on'],
    says: 'Whether the HTTP API and its console show bodies only to operators who ask for them, of which the log of the engine tells; for messages wherever they go from here.',
  },
  bodySchema: {
    kind: 'schema',
    default: null,
    says: 'JSON Schema that a body must fit when it is edited, here or on its way back to here.',
  },
  bodyCheck: {
    kind: 'choice',
    default: 'edits',
    choices: ['edits', 'all'],
    says: 'What bodySchema holds for: edited bodies only, or every body that is sent or redriven to here. Dead letters always arrive.',
  },
  idleMs: {
    kind: 'duration',
    default: 0,
    min: 0,
    max: limits.idleMsMax,
    says: 'Without a receive for so long the queue is deleted with its messages; 0 is never.',
  },
} as const satisfies Readonly<Record<string, QueueSetting>>
