/** Limits of a partition; the unit is in the name. */
export const limits = {
  queueNameCharactersMax: 80,
  subscriptionsPerQueueMax: 100,
  /** Parts of a spread queue beside its home. */
  partsPerQueueMax: 255,
  homesLeftMax: 1_000,
  /** Lanes that are closed, and that a partition is told of, at once; about. */
  lanesClosedMax: 1_000,
  tagCharactersMax: 128,
  tagsPerFilterMax: 100,
  attemptCharactersMax: 128,
  consumerCharactersMax: 1_000,
  /** Consumers of a subscription whose beginning is remembered, and that are told of. */
  consumersKept: 1_000,
  consumersDescribedMax: 100,
  /** One that was silent for longer begins again. */
  consumerSilenceMs: 5 * 60_000,
  /** Latest deliveries of a partition of which is known who got them. */
  consumerDeliveriesMax: 8_192,
  /** How long a receive that is repeated gets the batch of the first. */
  attemptMs: 5 * 60_000,
  dedupIdCharactersMax: 128,
  /** Keys of all queues of a partition together. */
  dedupKeysMax: 1_000_000,
  dedupWindowMsMin: 1_000,
  dedupWindowMsMax: 14 * 86_400_000,
  groupCharactersMax: 128,
  groupsDescribedMax: 1_000,
  bodyBytesMax: 4 * 1024 * 1024,
  bodySchemaCharactersMax: 32 * 1024,
  /** What any message may carry beside its body; more shares the room that its queue gives bodies (`metaBytesMax`). */
  envelopeMetaBytesMax: 16 * 1024,
  /** The most that a message carries beside its body: its length has 21 bits, and a dead letter adds where it comes from. */
  envelopeMetaBytesEver: 2 * 1024 * 1024 - 64 * 1024,
  messagesPerSendMax: 1_000,
  messagesPerReceiveMax: 1_000,
  queuesMax: 10_000,
  /** How long a partition knows the names of deleted queues, and how many. */
  deletedNamesMs: 120_000,
  deletedNamesMax: 10_000,
  pollsMax: 20_000,
  producerCharactersMax: 128,
  /**
   * Producers that are remembered; beyond it others get `Busy`, until one was silent for as long as is remembered. A
   * replay counts on it, and on both limits below.
   */
  producersMax: 100_000,
  /** Answers kept for a producer; it may have at most half as many sends without an answer. */
  producerWindowSends: 64,
  /** How long an answer is remembered at least; clients repeat a send for 5 minutes less at most. */
  producerIdleMs: 15 * 60_000,
  delayMsMax: 14 * 86_400_000,
  leaseMsMin: 0,
  leaseMsMax: 12 * 3_600_000,
  retentionMsMin: 1_000,
  retentionMsMax: 14 * 86_400_000,
  retriesMax: 1_000,
  /** Attempts of a message whose retries are unlimited: at one every 0.3 ms it takes two weeks to make as many. */
  attemptsMax: 2 ** 32 - 1,
  idleMsMax: 14 * 86_400_000,
  receiveWaitMsMax: 60_000,
  batchWaitMsMax: 60_000,
  rateMax: 1_000_000,
  inflightMax: 1_000_000,
  concurrencyMax: 100_000,
  /** Sources of sections that a queue remembers; a replay counts on it. */
  appliedSourcesMax: 16,
  appliedCharactersMax: 100,
  notesPerQueueMax: 100,
  noteNameCharactersMax: 200,
  /** Names and texts of all notes of a queue together. */
  notesCharactersMax: 64 * 1024,
  /** Names, origins and reasons of acts; longer ones are cut. */
  actorCharactersMax: 200,
  reasonCharactersMax: 500,
  errorCharactersMax: 1_000,
  /** Redrives of a queue that are remembered after their end. */
  redrivesKept: 10,
  redriveRequestCharactersMax: 200,
  redriveRateMax: 100_000,
  redriveFilterBytesMax: 16 * 1024,
  /** Messages that one discard may name. */
  discardMessagesMax: 1_000,
  /** Ranges of numbers that a redrive may select; they are one event. */
  redriveRangesMax: 10_000,
  /** Followers of a partition at once, and how long one may stay away. */
  followersMax: 64,
  followerLingerMs: 3_000,
  /**
   * Processing times are kept for this many intervals; each takes 2 KiB per busy queue and per busy
   * subscription.
   */
  timeStretchMs: 20_000,
  timeStretches: 4,
  /** Forms of errors, and texts of each, that are distinguished within an interval, by their beginnings. */
  recentErrorsMax: 20,
  recentTextsMax: 5,
  /** Texts per subscription and interval whose form is determined. */
  recentErrorsRead: 200,
  recentErrorCharactersMax: 200,
  /** Settled attempts of the last minute, and of this hour and the one before, by which a lease counts as too short or too long. */
  shortLeaseAttemptsMin: 20,
  longLeaseAttemptsMin: 100,
  /** A lease is too short where this share of the settlements came after its end… */
  lateShareMin: 0.05,
  /** …or where half of the attempts take this many leases; and too long if it is this many times the longest attempt… */
  leaseDistance: 20,
  /** …and this long; the lease that is proposed then is not shorter than that. */
  longLeaseMsMin: 5 * 60_000,
  leaseMsCalm: 30_000,
  /** Moments of deliveries that are remembered, to know how long ago one was. */
  timedDeliveriesMax: 8_192,
} as const
