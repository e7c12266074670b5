import { type QueueState } from '@kiroku/partition'
import { eachNumber, type LogEventOf, runNumbers } from '@kiroku/protocol'
import { nameOf, refuse, type LawScope } from './LawScope.ts'

export const checkGeneration = (
  law: LawScope,
  e: LogEventOf<'SubscriptionCreated' | 'SubscriptionReset'>,
): void => {
  const queue = law.queue(e.queue)
  const before = queue.named(e.name)
  if (e.sub < queue.nextSub) refuse(`generation ${e.sub} of queue ${e.queue} was there before`)
  if (e.type === 'SubscriptionCreated' && before !== undefined)
    refuse(`subscription "${e.name}" of queue ${e.queue} is created twice`)
  if (e.type === 'SubscriptionReset' && before === undefined)
    refuse(`subscription "${e.name}" of queue ${e.queue} is reset, but does not exist`)
  if (e.readFrom === undefined ? e.from !== queue.nextNumber : e.from >= queue.nextNumber)
    refuse(`a generation begins at message ${e.from}, where ${queue.nextNumber} is next`)
  if (e.readFrom !== undefined && (e.readFrom <= law.state.trimmedTo || e.readFrom > law.seq))
    refuse(`record ${e.readFrom}, from which the past is read, is missing`)
  if (e.from < queue.purgedTo) refuse(`a generation begins with messages that were purged`)
  law.transitions += before?.live ?? 0
}

export const checkRestored = (law: LawScope, e: LogEventOf<'RunsRestored'>): void => {
  law.restores.check(e, law.sub(e), law.arrivals)
  for (let i = 1; i < e.runs.length; i += runNumbers) law.transitions += e.runs[i]!
}

export const checkErased = (law: LawScope, e: LogEventOf<'Erased'>): void => {
  const queue = law.queue(e.queue)
  if (e.erasure < law.state.nextErasure) refuse(`erasure ${e.erasure} is on record twice`)
  if (queue.config.erasable !== (e.group === undefined ? 'message' : 'group'))
    refuse(`erasure ${e.erasure} is not one that queue ${e.queue} allows`)
  if ((e.by.reason ?? '') === '') refuse(`erasure ${e.erasure} has no reason`)
  eachNumber(e.numbers ?? [], (n) => {
    if (n < 1 || n >= queue.nextNumber) refuse(`${nameOf(e, n)} is erased, but never arrived`)
  })
}

/**
 * Time moves within a frame only in a dispute about it, and leases are lengthened by no more than the time
 * that passed.
 */
export const checkResumed = (
  law: LawScope,
  { now, gapMs, dispute, clock }: LogEventOf<'ClockResumed'>,
): void => {
  const { at } = law.state
  const endsDispute = law.state.dispute !== undefined && dispute === undefined
  if (clock !== undefined && !endsDispute) refuse('there is no dispute between clocks to settle')
  if (now > at && law.state.dispute === undefined)
    refuse(`time continues at ${now}, but the frame is of ${at}`)
  const passedMs = Math.max(now, at) - law.before
  if (gapMs < 0 || gapMs > passedMs) refuse(`leases are lengthened by ${gapMs} ms, but ${passedMs} ms passed`)
}

/** Facts about a queue that name no message. */
export const checkQueue = (
  law: LawScope,
  e: LogEventOf<
    | 'QueueCreated'
    | 'QueueConfigured'
    | 'QueueNoted'
    | 'QueuePurged'
    | 'QueueDeleted'
    | 'DeliveryPaused'
    | 'DeliveryResumed'
    | 'DeliveryHeld'
  >,
): void => {
  const { state } = law
  switch (e.type) {
    case 'QueueCreated':
      if (e.queue < state.nextQueue) refuse(`queue id ${e.queue} was in use before`)
      if (state.names.has(e.name)) refuse(`queue "${e.name}" is created twice`)
      return
    case 'QueueConfigured':
    case 'QueueNoted':
      law.queue(e.queue)
      return
    case 'QueuePurged': {
      const queue = law.queue(e.queue)
      if (e.upTo !== queue.nextNumber) refuse(`a purge up to ${e.upTo} is not one of all that was sent`)
      law.transitions += liveIn(queue)
      return
    }
    case 'QueueDeleted':
      law.transitions += liveIn(law.queue(e.queue))
      return
    case 'DeliveryPaused':
    case 'DeliveryResumed':
      if (e.sub === undefined) law.queue(e.queue)
      else law.sub({ queue: e.queue, sub: e.sub })
      return
    case 'DeliveryHeld': {
      const before = law.sub(e).hold?.until ?? 0
      if (e.until <= Math.max(before, state.at))
        refuse(`subscription ${e.queue}/${e.sub} is held until ${e.until}, which is no longer than before`)
    }
  }
}

const liveIn = (q: QueueState): number => q.subs.reduce((sum, sub) => sum + sub.live, q.delayed)
