import { type Actor, type Grants, isRestricted, type LogEventType, roleOn } from '@kiroku/protocol'

/** An administrative act on a queue, a subscription, a message's time, or the log itself. */
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
  /** Who did it, from where, and the reason if one was given. */
  readonly by: Actor
  /** The values it changed, before; only those that differ. */
  readonly before: Readonly<Record<string, unknown>>
  /** The same values, after. */
  readonly after: Readonly<Record<string, unknown>>
}

/** Which acts to return; an act must match everything given. */
export interface ActFilter {
  readonly queue?: string
  readonly actor?: string
  /** At this moment or later, and before this one, in ms since 1970. */
  readonly since?: number
  readonly until?: number
  /** Only those of queues that somebody with these grants may see. */
  readonly grants?: Grants
}

/** Whether an act matches. */
export const passesActFilter = ({ queue, actor, since, until, grants }: ActFilter, act: Act): boolean =>
  (grants === undefined || !isRestricted(grants) || roleOn(grants, act.queue) !== undefined) &&
  (queue === undefined || act.queue === queue) &&
  (actor === undefined || act.by.name === actor) &&
  (since === undefined || act.at >= since) &&
  (until === undefined || act.at < until)
