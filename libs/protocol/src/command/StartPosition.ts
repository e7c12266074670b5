/**
 * Where a generation of a subscription begins: with what is sent from now on, with everything that is on record, with
 * a message's number in its queue, or with what arrived from a time on, in ms of partition time.
 */
export type StartPosition = 'latest' | 'earliest' | { readonly number: number } | { readonly time: number }
