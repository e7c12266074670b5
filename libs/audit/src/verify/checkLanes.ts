import {
  eachNumber,
  type LogEventOf,
  mainSubscription,
  isSameQueue,
  rangesInOrder,
  rangeTotal,
} from '@kiroku/protocol'
import { refuse, type LawScope } from './LawScope.ts'

/** Messages that enter the lane to another queue. */
export const entersLane = (law: LawScope, e: LogEventOf<'DeadLettered' | 'Redriven'>): void => {
  const { state } = law
  const next = state.lane(e.queue, e.target)?.next ?? state.firstForward
  if (e.forward !== next) refuse(`forward ${e.forward} comes where ${next} is next`)
  const source = { partition: state.partition, queue: e.queue }
  law.forwards.sent(source, e.target, e.forward, rangeTotal(e.numbers), law.seq)
}

export const checkForwarded = (law: LawScope, e: LogEventOf<'Forwarded'>): void => {
  const { state } = law
  const lane = state.lane(e.source, e.target)
  if (lane === undefined || e.upTo > lane.next)
    return refuse(`forwards up to ${e.upTo} are confirmed, but were never decided`)
  const from = lane.entries[0]?.forward
  if (from === undefined || e.upTo <= from || e.outcome !== 'stored') return
  law.forwards.confirmed({ partition: state.partition, queue: e.source }, e.target, from, e.upTo, law.seq)
}

/**
 * Letters go to the queue that now has the deleted one's name, or to the one their subscription is set to.
 */
export const checkReaddressed = (law: LawScope, e: LogEventOf<'Readdressed'>): void => {
  const { state } = law
  const { source, from, target, forwards } = e
  const lane = state.lane(source, from)
  if (forwards.length === 0 || !rangesInOrder(forwards))
    refuse(`letters of queue ${source} are not readdressed in their order`)
  const isBack =
    isSameQueue(from, target) || isSameQueue({ partition: state.partition, queue: source }, target)
  if (isBack) refuse(`letters of queue ${source} are readdressed to queue ${target.queue}`)
  const next = state.lane(source, target)?.next ?? state.firstForward
  if (e.forward !== next) refuse(`forward ${e.forward} comes where ${next} is next`)
  const entries = new Map(lane?.entries.map((entry) => [entry.forward, entry]))
  const isSameName = lane?.name === undefined || (lane.name === e.name && from.partition === target.partition)
  eachNumber(forwards, (forward) => {
    const entry = entries.get(forward)
    if (entry === undefined) return refuse(`forward ${forward} of queue ${source} is not on its way`)
    const sub = state.queues.get(source)?.named(entry.subscription ?? mainSubscription)
    const meant = entry.cause === 'redriven' ? undefined : sub?.config.deadLetter
    if (!isSameName && (meant === null || meant === undefined || !isSameQueue(meant, target)))
      refuse(
        `forward ${forward} of queue ${source} is readdressed to "${e.name}", which was never configured`,
      )
  })
  const place = { partition: state.partition, queue: source }
  law.forwards.readdressed(place, from, forwards, law.seq)
  law.forwards.sent(place, target, e.forward, rangeTotal(forwards), law.seq)
}

/**
 * They are empty and get no more letters: their queue was deleted, or the last letter was just readdressed.
 */
export const checkLanesClosed = (law: LawScope, { source, targets }: LogEventOf<'LanesClosed'>): void => {
  const { state } = law
  const { queues, partition } = state
  for (let i = 0; i < targets.length; i += 2) {
    const target = { partition: targets[i]!, queue: targets[i + 1]! }
    const lane = state.lane(source, target)
    if (lane !== undefined && (queues.has(source) || lane.entries.length > 0))
      refuse(`a lane of queue ${source} is closed that is in use`)
    law.forwards.closed({ partition, queue: source }, target)
  }
}

export const checkLanesForgotten = (
  law: LawScope,
  { partition, lanes }: LogEventOf<'LanesForgotten'>,
): void => {
  for (let i = 0; i < lanes.length; i += 2) {
    const source = { partition, queue: lanes[i]! }
    if (law.state.nextForward(source, lanes[i + 1]!) === undefined)
      refuse(`an unknown lane of queue ${source.queue} of partition ${partition} is forgotten`)
    law.forwards.forgotten(source, { partition: law.state.partition, queue: lanes[i + 1]! }, law.seq)
  }
}

export const checkLanesEnded = ({ state }: LawScope, e: LogEventOf<'LanesEnded'>): void => {
  if (state.queues.has(e.source)) refuse(`the lanes of queue ${e.source} end, but the queue exists`)
  for (const { source, entries } of state.outbox.values())
    if (source === e.source && entries.length > 0)
      refuse(`the lanes of queue ${e.source} end with ${entries.length} letters in one`)
}
