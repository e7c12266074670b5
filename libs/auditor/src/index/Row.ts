import { State } from '@kiroku/protocol'

/** A message under one subscription, to be written. Texts are ids; null: none, or unchanged. */
export class Row {
  readonly number: number
  /** Whether this is the whole row, or only the changes. */
  readonly whole: boolean
  state: State = State.Available
  attempt = 0
  at = 0
  seq = 0
  sentAt = 0
  sentSeq = 0
  reason: number | null = null
  error: number | null = null
  group: number | null = null
  tag: number | null = null
  consumer: number | null = null
  producer: number | null = null
  attributes: string | null = null
  /** Id of the message that it was forwarded from. */
  origin: string | null = null
  redrives = 0
  /** The queues that it passed; see `passedText`. */
  passed: number | null = null
  /** Where it went: partition, queue and number of the forward. */
  next: string | null = null

  constructor(number: number, whole: boolean) {
    this.number = number
    this.whole = whole
  }
}
