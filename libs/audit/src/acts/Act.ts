import type { Actor, LogEventType } from '@kiroku/protocol'

/** What somebody did to a queue, a subscription, a message's time, or the log itself. */
export interface Act {
  readonly partition: number
  /** Sequence of the frame, and place of the event in it. */
  readonly seq: number
  readonly index: number
  /** ms of partition time. */
  readonly at: number
  readonly event: LogEventType
  /** Name of the queue; empty where it concerns the partition. */
  readonly queue: string
  readonly subscription?: string
  /** Who, from where, and why if they said so. */
  readonly by: Actor
  /** What it changed, as it was; only what is not the same afterwards. */
  readonly before: Readonly<Record<string, unknown>>
  /** And as it is since. */
  readonly after: Readonly<Record<string, unknown>>
}

/** Which acts to tell of; an act must be so in all that is given. */
export interface ActFilter {
  readonly queue?: string
  readonly actor?: string
  /** At this moment or later, and before this one, in ms since 1970. */
  readonly since?: number
  readonly until?: number
}

/** Whether an act is one that is asked for. */
export const passesActFilter = ({ queue, actor, since, until }: ActFilter, act: Act): boolean =>
  (queue === undefined || act.queue === queue) &&
  (actor === undefined || act.by.name === actor) &&
  (since === undefined || act.at >= since) &&
  (until === undefined || act.at < until)
