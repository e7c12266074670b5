import type { StateName } from '../../parts/StateMark.tsx'

/** A message as a row of the list: one subscription's side of it at one place. Times are ms of partition time. */
export interface FoundMessage {
  readonly messageId: string
  readonly partition: number
  readonly queue: string
  readonly subscription: string
  readonly number: number
  readonly state: StateName
  readonly attempt: number
  readonly reason: string
  readonly error: string
  readonly group: string
  readonly sentAt: number
  /** When it last changed; absent where only a moment is known. */
  readonly at?: number
}

/** How far an answer knows of a partition. */
export interface Reached {
  readonly partition: number
  readonly seq: number
  readonly at: number
}

/** What makes a row itself. */
export const foundKey = ({ partition, queue, number, subscription }: FoundMessage): string =>
  `${partition}/${queue}/${number}/${subscription}`

/** Rows as ndjson. */
export const ndjsonOf = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
