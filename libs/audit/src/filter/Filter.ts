import type { StateName } from '@kiroku/protocol'

/** How a number is compared. */
export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** Fields whose value is text. */
export type TextField =
  | 'queue'
  | 'subscription'
  | 'id'
  | 'reason'
  | 'error'
  | 'fingerprint'
  | 'group'
  | 'tag'
  | 'consumer'
  | 'producer'

/** Fields whose value is a whole number. */
export type NumberField = 'partition' | 'number' | 'attempt' | 'redrives'

/** Fields whose value is a moment. */
type TimeField = 'time' | 'sent'

/**
 * A text that a value must equal. `*` matches any characters; case is ignored. An `error` need only contain
 * it.
 */
export interface Pattern {
  readonly text: string
  /** The pieces between its stars, in lower case; one piece: no star. */
  readonly pieces: readonly string[]
}

/** One condition on a message. */
export type Condition = {
  /** Negated: the message must not match. */
  readonly not: boolean
  /** Place of the condition in the filter's text: its first character, and the one after its last. */
  readonly from: number
  readonly to: number
} & (
  | { readonly field: 'state'; readonly states: readonly StateName[] }
  | { readonly field: TextField; readonly any: readonly Pattern[] }
  | { readonly field: NumberField; readonly op: Comparison; readonly value: number }
  /** At `from` or later and before `until`, in ms since 1970. */
  | { readonly field: TimeField; readonly atFrom: number; readonly atUntil: number }
  | { readonly field: 'attribute'; readonly key: string; readonly any: readonly Pattern[] }
  /** A value in the body, by its path; in a list, any of its values. */
  | {
      readonly field: 'payload'
      readonly path: string
      readonly op: Comparison
      readonly value: number
    }
  | { readonly field: 'payloadText'; readonly path: string; readonly any: readonly Pattern[] }
)

/** A filter; a message must meet all conditions. */
export interface Filter {
  readonly text: string
  readonly conditions: readonly Condition[]
}

/** What a filter can look at. */
export interface FilterField {
  readonly name: string
  readonly example: string
  readonly says: string
}

/** Every field of the filter language, for its documentation, its errors and completion. */
export const filterFields: readonly FilterField[] = [
  {
    name: 'state',
    example: 'state:dlq',
    says: 'State: held, delayed, available, inflight, waiting, committed, dlq, discarded; or ready, live, final.',
  },
  { name: 'queue', example: 'queue:mail', says: 'Name of the queue.' },
  { name: 'subscription', example: 'subscription:billing', says: 'Name of the subscription.' },
  { name: 'id', example: 'id:3k2-0-1-5', says: 'Message id, or that of a message it was forwarded from.' },
  { name: 'attempt', example: 'attempt:>3', says: 'Deliveries so far.' },
  { name: 'reason', example: 'reason:expired', says: 'Why it was discarded or became a dead letter.' },
  { name: 'error', example: 'error:"timed out"', says: 'Text contained in its last error.' },
  { name: 'fingerprint', example: 'fingerprint:1a2b*', says: 'Fingerprint of its last error.' },
  { name: 'group', example: 'group:customer-42', says: 'Message group or tenant.' },
  { name: 'tag', example: 'tag:urgent', says: 'Tag.' },
  { name: 'consumer', example: 'consumer:worker-*', says: 'Who it was last delivered to.' },
  { name: 'producer', example: 'producer:api-7', says: 'Who sent it.' },
  { name: 'attr.', example: 'attr.region:eu', says: 'An attribute, by its name.' },
  {
    name: 'payload.',
    example: 'payload.user.id:42',
    says: 'A value in the body, where the queue indexes it.',
  },
  { name: 'redrives', example: 'redrives:>0', says: 'How often it was redriven.' },
  { name: 'partition', example: 'partition:2', says: 'Partition.' },
  { name: 'number', example: 'number:>=100', says: 'Number in its queue.' },
  {
    name: 'time',
    example: 'time:>2026-11-20T14:00',
    says: 'When something last happened to it; a time without a zone is UTC.',
  },
  { name: 'sent', example: 'sent:2026-11-20', says: 'When it arrived in the queue.' },
  { name: 'since', example: 'since:24h', says: 'Something happened to it within this time.' },
  { name: 'until', example: 'until:2h', says: 'Nothing happened to it for this long.' },
]
