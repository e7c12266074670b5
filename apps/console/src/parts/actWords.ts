/** What was done, by the name of the event. */
const whats: Readonly<Record<string, string>> = {
  QueueCreated: 'created the queue',
  QueueConfigured: 'changed the queue',
  QueueDeleted: 'deleted the queue',
  QueuePurged: 'purged the queue',
  QueueSpread: 'spread the queue',
  DeliveryPaused: 'paused delivery',
  DeliveryResumed: 'resumed delivery',
  SubscriptionCreated: 'created a subscription',
  SubscriptionConfigured: 'changed a subscription',
  SubscriptionReset: 'reset a subscription',
  SubscriptionDeleted: 'deleted a subscription',
  Discarded: 'discarded messages',
  Recalled: 'recalled a message',
  Rescheduled: 'rescheduled a message',
  RedriveStarted: 'began a redrive',
  RedriveEnded: 'cancelled a redrive',
  Erased: 'erased messages',
  BodyEdited: 'edited a body',
  Repaired: 'repaired the log',
}

/** What an event of the record is as an act, in words; one that is not known keeps its name. */
export const actWords = (event: string): string => whats[event] ?? event
