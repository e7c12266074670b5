/** What can be counted of the messages of a queue, in this order where it is kept. */
export const tallyFields = [
  'sent',
  'delivered',
  'redelivered',
  'committed',
  'failed',
  'released',
  'deadLettered',
  'discarded',
  'waiting',
] as const

/** Name of a count. */
export type TallyField = (typeof tallyFields)[number]

/**
 * What happened to messages in a stretch of the record. Where several subscriptions get a message it counts once for
 * each, but for `sent`. `failed` are attempts that came to nothing, `released` those that were given back, and
 * `waiting` is by how much the messages grew that are due and not final.
 */
export type Tally = Readonly<Record<TallyField, number>>
