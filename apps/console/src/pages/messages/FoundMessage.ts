import type { SearchResult } from '@kiroku/api/answers'

type Found = SearchResult['messages'][number]

/** A message as a row of the list, under one subscription at one place. Times are ms of partition time. */
export type FoundMessage = Pick<
  Found,
  | 'messageId'
  | 'partition'
  | 'queue'
  | 'subscription'
  | 'number'
  | 'state'
  | 'attempt'
  | 'reason'
  | 'error'
  | 'group'
  | 'sentAt'
> & {
  /** When it last changed; absent at a moment of the past. */
  readonly at?: Found['at']
}

/** How far an answer covers a partition. */
export type Reached = SearchResult['reached'][number]

/** The identity of a row. */
export const foundKey = ({ partition, queue, number, subscription }: FoundMessage): string =>
  `${partition}/${queue}/${number}/${subscription}`

/** Rows as ndjson. */
export const ndjsonOf = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
