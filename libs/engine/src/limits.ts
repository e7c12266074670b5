/** Limits of the engine; the unit is in the name. */
export const limits = {
  /** Appends in flight at once; the fence has as many records. */
  appendsInFlight: 4,
  /**
   * While an append is under way, what comes waits and shares the next record. That leaves without waiting for the one
   * ahead of it once this much has gathered…
   */
  gatheredBytesMax: 64 * 1024,
  /** …or when the log takes longer than this for an append. */
  gatherMsMax: 5,
  frameBytesMax: 2 * 1024 * 1024,
  frameMessagesMax: 30_000,
  /** Messages settled in one turn, about; a turn must not hold the thread for long. */
  turnSettledMax: 2_000,

  /** Queues that are described at once for metrics. */
  describedQueues: 100,
  /** As many could be settled in the time that describing one queue takes, about. */
  describedAsSettled: 10,
  /** Bytes that a turn keeps for the few small facts of the engine's own work. */
  actBytes: 2 * 1024,
  /** A body above this has a record of its own. */
  inlineBodyBytesMax: 272 * 1024,
  /** What waits for a partition: its part of this share of the memory that the node may take, within these bounds. */
  mailboxShare: 1 / 16,
  mailboxBytesMin: 8 * 1024 * 1024,
  mailboxBytesMax: 64 * 1024 * 1024,
  mailboxCommandsMax: 100_000,
  /**
   * What messages are in memory, without their bodies: this share of what the node may take, or less where little is left beside
   * what it and its helpers take anyway; as much again is for garbage and copies. And how often it is added up.
   */
  stateShare: 1 / 5,
  stateShareMin: 1 / 16,
  otherBytes: 400 * 1024 * 1024,
  stateLookMs: 100,
  /** What messages that were delivered may take beyond, as a share of it; and at least, whatever the others take. */
  deliveredShare: 1 / 2,
  /** Bodies in memory, of all partitions of a node together: this share of what it may take, and a maximum. */
  bodyCacheShare: 1 / 16,
  bodyCacheBytesMax: 256 * 1024 * 1024,
  readAheadRecords: 64,
  readAheadBytesMax: 8 * 1024 * 1024,
  forwardWindowMessages: 100,
  forwardWindowBytesMax: 1024 * 1024,
  forwardBackoffMsMax: 5_000,
  /** How often a sealed part of a spread queue is asked whether it is empty, and every part which revision it follows. */
  partSealedMs: 1_000,
  partAssureMs: 60_000,
  /** Messages that a redrive looks at, and moves, in one turn. */
  redriveMessages: 500,
  redriveBytesMax: 4 * 1024 * 1024,
  /** Turns per second that a redrive with a rate spreads its messages over. */
  redriveTurnsPerSecond: 10,
  /** A redrive waits while the outbox holds this many messages of its queue. */
  redriveOutboxMax: 1_000,
  /** How long a queue that was looked up is taken to be where it was found. */
  redriveTargetMs: 1_000,
  /** Key entries in memory; one for 128 messages takes 4 KiB. */
  keyEntriesMax: 4_096,
  /** Messages of a queue for which keys are made ahead: at least, once it had to wait for one, and at most. */
  keysAheadMin: 128,
  keysAheadMax: 16_384,
  /** Bytes by which an encrypted message is longer, in addition to its tag and its group. */
  encryptedBytes: 192,
  /** How often the keys of letters that wait are checked. */
  letterKeysMs: 6 * 3_600_000,
  /** Edits of bodies under way at once. */
  editsUnderWay: 100,
  /** How long a replay, or work on a copy of the state, runs before it yields the thread. */
  sliceMs: 10,
  /** Least time between two reads of a standby from one partition. */
  followMs: 250,
  /** How long such a read runs before it yields the thread. */
  followSliceMs: 2,
  /** Most records per read of a standby. */
  followRecords: 2_000,
  /** A standby rests after each read for this multiple of the time that the read took. */
  followRest: 2,
  /** A standby that is further behind than this, in records, restarts from a newer stored state if there is one. */
  followBehindMax: 20_000,
  /** Pause before a standby that could not load a state, or whose state no longer fits the log, tries again; doubles. */
  followRetryMsMin: 1_000,
  followRetryMsMax: 60_000,
  /** A partition that takes longer to load lets the next begin. */
  loadTurnMs: 2_000,
  fenceTriesMsMax: 15_000,
  fenceReasonCharactersMax: 300,
  /** The pause between two tries to have appends stored that were not confirmed. */
  confirmPauseMsMin: 5,
  confirmPauseMsMax: 250,
  /**
   * How long an owner takes sends while the log confirms nothing. Beyond that nobody waits for their answers any more, and
   * each would be stored beside its repeats.
   */
  unconfirmedSendsMsMax: 5_000,
  lockPollMs: 20,
  checkpointBytesMin: 32 * 1024 * 1024,
  /** A checkpoint is made when the log grew by this multiple of the last one's size. */
  checkpointGrowth: 4,
  checkpointAgeMs: 3_600_000,
  /** What replaying takes of a core, by record and by byte, about: reading it from the store included. */
  replayRecordMs: 0.025,
  replayByteMs: 2e-6,
  /** A state is stored for the next owner when that would replay for longer than this… */
  replayMsMax: 250,
  /** …or for longer than this at a hand-over, which waits for it this long… */
  handOverReplayMsMax: 20,
  handOverStoreMs: 500,
  /** …and when the log grew by this multiple of the last stored state's size. */
  resumeGrowth: 10,
  /** States of this many slots or more get the memory for a snapshot allocated ahead. */
  snapshotSpaceFrom: 100_000,
  /** An old part of the log is carried forward when at most this share of it is still needed… */
  carryShareMax: 0.25,
  /** …in about this many runs and single messages at a time. */
  carryRunsMax: 5_000,
  carryWindowBytes: 512 * 1024,
  /** Runs of the past that one fact restores, about. */
  restoredRunsMax: 1_000,
  storageCheckMs: 2_000,
  /** How many checks a log at rest goes without. */
  storageChecksSkipped: 15,
  /** What sends leave free in a store: this share of what it can hold, up to a maximum. */
  reserveShare: 0.1,
  reserveBytesMax: 1024 ** 3,
  /** The shares of the reserve that stay free behind a send, behind what is stored again so that more can go, and behind a delivery. */
  reserveKept: { sends: 1 / 2, carried: 1 / 4, deliveries: 1 / 8 },
  /** A store that is short has checkpoints whenever the log grew by this share of it… */
  earlyShare: 0.001,
  /** …and, where the last one freed nothing, after a pause that doubles each time. */
  earlyPauseMsMin: 10_000,
  earlyPauseMsMax: 60_000,
  tailNoteMs: 1_000,
  /** An owner that holds leases and has nothing to record notes that it is alive: this long after its last frame… */
  aliveNoteMsMin: 1_000,
  /** …or after this share of what is left until its next timer, where that is longer. */
  aliveNoteShare: 0.01,
  /** The store's clock and a node's may be this far apart before a step of partition time needs an operator's decision… */
  clockDisputeMs: 5 * 60_000,
  /** …and how often it is checked whether they agree again. */
  clockCheckMs: 10_000,
  drainMs: 10_000,
  /** How often a quarantined partition checks whether its log was repaired. */
  quarantinePollMs: 1_000,
} as const
