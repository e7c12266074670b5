/** What is counted of a queue's messages, in the order in which it is stored. */
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
 * What happened to messages in a range of the record. A message counts once per subscription that gets it,
 * except in `sent`. `failed` are failed attempts, `released` those given back, and `waiting` is the change in
 * the number of messages that are due and not final.
 */
export type Tally = Readonly<Record<TallyField, number>>
