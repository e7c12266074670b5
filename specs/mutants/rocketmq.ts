import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises of RocketMQ. */
export const rocketmqMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'RMQ-01',
    file: 'libs/partition/src/evolve.ts',
    from: 'sub.waitingRetry++',
    to: '',
    what: 'messages that wait for their retry are not counted',
  },
  {
    id: 'RMQ-02',
    file: 'libs/partition/src/timers.ts',
    from: 'live.simple[slot] === 1 ? 0 : ',
    to: '',
    what: "a simple consumer's expired message pauses like a push consumer's",
  },
  {
    id: 'RMQ-03',
    file: 'libs/client/src/LeaseKeeper.ts',
    from: 'renews && leftMs',
    to: 'leftMs',
    what: 'leases are renewed whether the consumer wants it or not, so that nothing ever times out',
  },
  {
    id: 'RMQ-04',
    file: 'libs/message/src/retry.ts',
    from: 'Math.min(attempt, delaysMs.length) - 1',
    to: 'attempt - 1',
    what: 'behind the end of the table there is no pause',
  },
  {
    id: 'RMQ-06',
    file: 'libs/partition/src/state/Subscription.ts',
    from: 'attemptsMax: c.retriesMax + 1',
    to: 'attemptsMax: c.retriesMax',
    what: 'retries count the first delivery',
  },
  {
    id: 'RMQ-07',
    file: 'libs/partition/src/decide/settle.ts',
    from: 'retry.dueAt = turn.now + pause',
    to: 'retry.dueAt = live.enqueuedAt[slot]! + pause',
    what: 'the pause counts from the send, not from the failure',
  },
  {
    id: 'RMQ-08',
    file: 'libs/engine/src/Forwarder.ts',
    from: 'meta.lineage?.messageId ??',
    to: '',
    what: 'a message that dies for the second time becomes another message',
  },
  {
    id: 'RMQ-09',
    file: 'libs/partition/src/decide/settle.ts',
    from: "cause, error, 'exhausted'",
    to: "cause, '', 'exhausted'",
    what: 'the record does not say why a message was discarded',
  },
]
