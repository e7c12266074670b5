import type { CommandType } from '@kiroku/protocol'

/** What every command may be answered, and a few things more where the log had to be asked. */
const anywhere = ['NotOwner', 'Unavailable', 'Quarantined', 'StorageFull', 'MemoryFull', 'Busy']

/**
 * Every outcome of each command that the world must bring about: `ok` or the id of an error, for settling also the
 * refusals of single messages. The others that may come of it stand behind `seldom`, with the reason.
 */
const outcomes: Readonly<Record<CommandType, { readonly must: string; readonly seldom?: string }>> = {
  Enqueue: {
    must: 'ok repeated moved UnknownQueue InvalidArgument BodyTooLarge MalformedRequest QueueMoved KeysUnavailable StorageFull Busy OutOfOrder',
  },
  Recall: { must: 'ok UnknownMessage NotDelayed InvalidArgument' },
  Reschedule: { must: 'ok UnknownMessage NotDelayed InvalidArgument' },
  Receive: {
    must: 'ok empty repeated UnknownQueue UnknownSubscription InvalidArgument LeaseTooShort QueueMoved KeysUnavailable Busy',
    // A record that is damaged before it is delivered from is mostly found by the next owner.
    seldom: 'LogDamaged NatsUnreachable Stopped KeysLost',
  },
  CancelReceive: { must: 'ok cancelled' },
  Ack: { must: 'ok refused-UnknownReceipt refused-ReceiptExpired InvalidReceipt' },
  Retry: { must: 'ok refused-UnknownReceipt refused-ReceiptExpired InvalidReceipt InvalidArgument' },
  Extend: {
    must: 'ok refused-UnknownReceipt refused-ReceiptExpired refused-LeaseCapReached refused-LeaseTooShort InvalidReceipt InvalidArgument',
  },
  Release: { must: 'ok refused-UnknownReceipt refused-ReceiptExpired InvalidReceipt InvalidArgument' },
  DeadLetter: { must: 'ok refused-UnknownReceipt refused-ReceiptExpired InvalidReceipt InvalidArgument' },
  CreateQueue: { must: 'ok QueueExists InvalidQueueName InvalidConfig InvalidArgument LimitReached' },
  ConfigureQueue: { must: 'ok UnknownQueue InvalidConfig InvalidArgument QueueMoved' },
  DeleteQueue: { must: 'ok UnknownQueue QueueInUse', seldom: 'QueueMoved' },
  Discard: {
    must: 'ok',
    // It is asked just ahead of a purge, so that both find the queue or neither.
    seldom: 'UnknownQueue UnknownSubscription QueueMoved InvalidArgument',
  },
  PurgeQueue: { must: 'ok UnknownQueue', seldom: 'QueueMoved' },
  PauseDelivery: { must: 'ok UnknownQueue UnknownSubscription QueueMoved' },
  ResumeDelivery: { must: 'ok UnknownQueue UnknownSubscription QueueMoved' },
  CreateSubscription: {
    must: 'ok UnknownQueue SubscriptionExists InvalidQueueName InvalidConfig InvalidArgument BeyondRecord QueueMoved LimitReached',
    seldom: 'LogDamaged NatsUnreachable Stopped Timeout',
  },
  ConfigureSubscription: { must: 'ok UnknownQueue UnknownSubscription InvalidConfig QueueMoved' },
  ResetSubscription: {
    must: 'ok UnknownQueue UnknownSubscription InvalidArgument BeyondRecord QueueMoved',
    seldom: 'LogDamaged NatsUnreachable Stopped Timeout',
  },
  DeleteSubscription: { must: 'ok UnknownQueue UnknownSubscription QueueMoved' },
  SpreadQueue: { must: 'ok UnknownQueue InvalidConfig InvalidArgument QueueMoved' },
  PlacePart: {
    must: 'ok',
    // Names lie where their hash says, so that only a home that was lost and made again finds its own parts.
    seldom: 'QueueMoved QueueExists UnknownQueue',
  },
  DropPart: { must: 'ok', seldom: 'QueueMoved' },
  StartRedrive: {
    must: 'ok UnknownQueue UnknownSubscription InvalidArgument RedriveRunning',
    seldom: 'QueueMoved',
  },
  CancelRedrive: { must: 'ok UnknownQueue UnknownRedrive', seldom: 'UnknownSubscription QueueMoved' },
  DescribeRedrives: { must: 'ok UnknownQueue' },
  Erase: { must: 'ok UnknownQueue NotErasable InvalidArgument UnknownMessage KeysUnavailable' },
  EditBody: {
    must: 'ok UnknownQueue UnknownMessage NotEditable BodyTooLarge BodyMismatch Busy',
    seldom: 'LogDamaged NatsUnreachable Stopped Timeout',
  },
  DescribeQueue: { must: 'ok UnknownQueue' },
  ListQueues: { must: 'ok' },
  DescribeGroups: { must: 'ok UnknownQueue UnknownSubscription' },
  DescribePartition: { must: 'ok' },
  ConfirmClock: { must: 'ok InvalidArgument' },
  RaiseClusterVersion: { must: 'ok InvalidArgument FutureVersion' },
  FollowPartition: { must: 'ok Busy' },
  Forward: {
    must: 'stored targetGone InvalidArgument Busy',
    // A subscription that goes between a redrive's decision and its forward: it takes a race of milliseconds.
    seldom: 'UnknownSubscription QueueMoved BodyTooLarge KeysUnavailable',
  },
  ForgetLanes: { must: 'ok InvalidArgument' },
}

/** Outcomes that must occur, as they are counted. */
export const expectedOutcomes = (): string[] =>
  Object.entries(outcomes).flatMap(([type, { must }]) => must.split(' ').map((what) => `${type} ${what}`))

/** Whether this outcome is expected; an unexpected one is reported like a missing one. */
export const isExpectedOutcome = (outcome: string): boolean => {
  const [type, what] = outcome.split(' ') as [CommandType, string]
  const { must, seldom = '' } = outcomes[type]
  return anywhere.includes(what) || must.split(' ').includes(what) || seldom.split(' ').includes(what)
}
