import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises of Amazon SQS. */
export const sqsMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'SQS-01',
    file: 'libs/partition/src/receive/decideReceive.ts',
    from: 'const leaseMs = command.leaseMs ?? ',
    to: 'const leaseMs = ',
    what: "a receive's own visibility timeout does not count",
  },
  {
    id: 'SQS-02',
    file: 'libs/message/src/machine.ts',
    from: 'context.leaseCap === 0 ||',
    to: 'true ||',
    what: 'extensions move the end of a lease beyond 12 hours',
  },
  {
    id: 'SQS-03',
    file: 'libs/message/src/machine.ts',
    from: "event.policy.lateHandles === 'accept' &&",
    to: '',
    what: 'late handles delete also where they are to be rejected',
  },
  {
    id: 'SQS-04',
    file: 'libs/partition/src/store/availableList.ts',
    from: 'state.watcher?.look(sub)',
    to: '',
    what: 'a message that comes back wakes no waiting receive',
  },
  {
    id: 'SQS-05',
    file: 'libs/partition/src/timers.ts',
    from: 'turn.ok(poll.token, {})',
    to: 'turn.ok(poll.token, {})\n      return',
    what: 'of long polls that end together only the first is answered',
  },
  {
    id: 'SQS-06',
    file: 'libs/client/src/backoff.ts',
    from: '2 ** (failures - 1)',
    to: 'failures',
    what: 'pauses grow by 200 ms each time',
  },
  {
    id: 'SQS-07',
    file: 'libs/message/src/machine.ts',
    from: 'context.attempt >= event.policy.attemptsMax',
    to: 'context.attempt > event.policy.attemptsMax',
    what: 'a message is received once more than its redrive policy says',
  },
  {
    id: 'SQS-08',
    file: 'libs/partition/src/read/describe.ts',
    from: 'at < before',
    to: 'at > before',
    what: 'the age is that of the youngest message',
  },
  {
    id: 'SQS-09',
    file: 'libs/partition/src/forward/evolveForward.ts',
    from: "queue.config.retentionFrom === 'arrival'",
    to: 'true',
    what: 'a DLQ counts retention from the arrival, whatever it was told',
  },
  {
    id: 'SQS-10',
    file: 'libs/protocol/src/settings/configWarnings.ts',
    from: 'config.retriesMax === 0',
    to: 'config.retriesMax === 1',
    what: 'the threshold that is warned about is 2',
  },
  {
    id: 'SQS-11',
    file: 'libs/client/src/ReplyAddress.ts',
    from: 'this.#waiters.get(correlationId)',
    to: 'this.#waiters.values().next().value',
    what: 'the first requester gets the next reply',
  },
  {
    id: 'SQS-12',
    file: 'libs/client/src/PartitionLink.ts',
    from: 'leftMs + limits.replyMsMax',
    to: 'limits.replyMsMax',
    what: 'a request waits for its answer as long as any other, however long its poll is',
  },
]
