import { limits as partitionLimits } from '@kiroku/protocol'

/** Limits of a client; the unit is in the name. */
export const limits = {
  /** Concurrent requests per partition: with sends, and with settling. */
  sendRequestsMax: 4,
  settleRequestsMax: 4,
  /** A request closes at this many messages, bytes or commands. */
  requestMessagesMax: 1_000,
  requestBytesMax: 784 * 1024,
  requestCommandsMax: 256,
  /** A gathered send closes at this many bytes: three bodies of 256 KB, within what NATS takes by default. */
  sendBytesMax: 784 * 1024,
  /** Memory that is used again for the envelopes of large sends, per client. */
  envelopes: {
    slabBytes: 1024 * 1024,
    envelopeBytesMin: 4 * 1024,
    keptSlabsMax: 16,
    slabsMax: 64,
  },
  /** Sends of one producer without an answer; half of what a partition remembers. */
  producerWindowSends: partitionLimits.producerWindowSends / 2,
  producersMax: 32,
  /** Bodies that wait for a partition; beyond it sends get `Busy`. */
  pendingBytesMax: 256 * 1024 * 1024,
  /** Messages of one settling command: its partition decides it in one turn, which must not take long. */
  settleMessagesMax: 2_000,
  /**
   * How much work a consumer receives ahead of its handlers, in ms, and after how many times as long without a free
   * handler it gives that back; how many messages, which lose an attempt if the process dies, shared by the consumers that
   * got something within about this long; in how many receives, and how large one may become.
   */
  aheadMs: 20,
  aheadPatience: 5,
  receivesAhead: 3,
  aheadMessagesMax: 500,
  aheadSharedMs: 1_000,
  aheadBytesMax: 1024 * 1024,
  /** A consumer receives no more while as many of its messages were handled and their verdicts are not stored yet. */
  unsettledMessagesMax: 16_000,
  /** How long single messages that are slow keep a consumer from taking others. */
  slowPatienceMs: 100,
  /** Queues of which a client remembers where they are. */
  routesMax: 10_000,
  /** How long an empty or unresponsive part is not asked alone. */
  quietPlaceMs: 100,
  deafPlaceMs: 1_000,
  /** How long an unresponsive part is asked what it has. */
  partReplyMs: 2_000,
  /** Queues that a partition describes in one answer: that takes it a millisecond or two. */
  describedMax: 100,
  /** How long a dead-letter queue's retention is remembered before it is asked for again. */
  retentionKnownMs: 5_000,
  /** Repeated receives that are remembered, for answers that come late. */
  repeatsMax: 10_000,
  /**
   * How long a request may be repeated: less than a partition remembers its answer, by the time a last repeat
   * may be in flight and a clock may be ahead at a take-over.
   */
  timeoutMsMax: partitionLimits.producerIdleMs - 5 * 60_000,
  /** How long a send is repeated whose caller did not say how long, while its partition moves. */
  sendRepeatMs: 300_000,
  /**
   * How long a send waits while nothing answers at all, and how long nothing must have answered by then. With the time
   * that it takes to find out why, it stays below 5 s.
   */
  sendSilenceMs: 4_000,
  silenceMsMin: 3_000,
  backoffMsMin: 200,
  backoffMsMax: 5_000,
  /** How long a receive waits for the announcement of the next owner, after the one before refused it. */
  announcedMsMax: 1_000,
  /** After how long without an answer the engine counts as lost, and how long a partition without requests counts as silent. */
  silenceMsMax: 1_000,
  silenceForgottenMs: 30_000,
  /** Wait for a reply, beyond what the request itself waits for at the engine. */
  replyMsMax: 10_000,
  /** How often a client asks whether a dry run of a redrive is done. */
  redrivePollMsMin: 20,
  redrivePollMsMax: 1_000,
  closeMsMax: 10_000,
  /** Lease of a consumer that does not renew it, and how long any work may take before it counts as stuck. */
  fixedLeaseMs: 60_000,
  messageTimeoutMs: 12 * 3_600_000,
  /** How long a request waits for its reply. */
  replyTimeoutMs: 30_000,
  /**
   * How long a reply waits for its requester, which may have lost its connection, and how long the queue
   * lives without receives.
   */
  replyRetentionMs: 2 * 60_000,
  replyQueueIdleMs: 24 * 3_600_000,
  /** How long the quickest delivery stays the reference for others. */
  offsetSpanMs: 60_000,
} as const
