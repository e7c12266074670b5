import type { Chance } from '../core/Chance.ts'
import type { WorldLimits } from '../core/takeOverLimits.ts'

/** Limits of one seed: those of every engine, or some of them so small that the world reaches them. */
export const drawLimits = (chance: Chance, queues: number): WorldLimits => {
  if (chance.happens(0.4)) return { engine: {}, partition: {} }
  const draw = <K extends string>(
    small: Readonly<Record<K, readonly number[]>>,
  ): Partial<Record<K, number>> =>
    Object.fromEntries(
      Object.entries<readonly number[]>(small).flatMap(([name, from]) => {
        const value = chance.pick(from)
        return chance.happens(0.4) ? [[name, value]] : []
      }),
    ) as Partial<Record<K, number>>
  // All queues may lie, or have a part, in one partition, and one more is made in the end.
  return { engine: draw(engine), partition: draw({ ...partition, queuesMax: [queues + 2] }) }
}

const engine = {
  frameMessagesMax: [1, 7],
  turnSettledMax: [1, 5],
  inlineBodyBytesMax: [20, 500],
  mailboxCommandsMax: [4, 12],
  // No less than one command may have, or it could never be sent.
  mailboxBytesMax: [500_000],
  bodyCacheBytesMax: [0, 3_000],
  readAheadRecords: [1, 3],
  readAheadBytesMax: [500],
  forwardWindowMessages: [1, 3],
  forwardWindowBytesMax: [1, 2_000],
  redriveMessages: [1, 3],
  redriveBytesMax: [1],
  redriveOutboxMax: [1],
  keyEntriesMax: [4, 8],
  keysAheadMin: [1],
  keysAheadMax: [2],
  editsUnderWay: [1],
  checkpointGrowth: [0, 1],
  snapshotSpaceFrom: [0],
  carryShareMax: [1],
  carryRunsMax: [0, 3],
  carryWindowBytes: [1, 3_000],
  restoredRunsMax: [1, 3],
  sliceMs: [0],
  followMs: [1, 50],
  followSliceMs: [0],
  followRecords: [1, 5],
  followBehindMax: [0, 10],
} as const

const partition = {
  // Everybody who consumes must find a place in the end.
  pollsMax: [8, 16],
  dedupKeysMax: [30],
  // Whoever has sent its last is forgotten soon enough for the others.
  producersMax: [6],
  producerIdleMs: [60_000],
  groupsDescribedMax: [1],
  redrivesKept: [1],
  followersMax: [1],
  timedDeliveriesMax: [1],
  subscriptionsPerQueueMax: [2],
} as const
