/** Limits of a partition; the unit is in the name. */
export const limits = {
  queueNameCharactersMax: 80,
  bodyBytesMax: 4 * 1024 * 1024,
  envelopeMetaBytesMax: 16 * 1024,
  messagesPerSendMax: 1_000,
  messagesPerReceiveMax: 1_000,
  queuesMax: 10_000,
  pollsMax: 20_000,
  producersMax: 100_000,
  /** Answers kept for a producer; it may have at most half as many sends without an answer. */
  producerWindowSends: 64,
  producerIdleMs: 15 * 60_000,
  delayMsMax: 14 * 86_400_000,
  leaseMsMin: 1,
  leaseMsMax: 12 * 3_600_000,
  retentionMsMin: 1_000,
  retentionMsMax: 14 * 86_400_000,
  retriesMax: 1_000,
  receiveWaitMsMax: 60_000,
  batchWaitMsMax: 60_000,
  errorCharactersMax: 1_000,
} as const
