import { KeyReader, type Log, type PartitionLog } from '@kiroku/log'
import { type PartitionState, type QueueState } from '@kiroku/partition'
import {
  type EnvelopeMeta,
  type Grants,
  isKirokuError,
  KirokuError,
  mainSubscription,
  type MessageAddress,
  messageId,
  partitionOf,
  roleOn,
  type StateName,
  stateNames,
} from '@kiroku/protocol'
import { passedBy } from '../hidden/passedBy.ts'
import { seenNow, type Sight } from '../hidden/Sight.ts'
import { openEnvelope } from '../bodies/openEnvelope.ts'
import { readEnvelopes } from '../bodies/readEnvelopes.ts'
import { type PastOptions, type PastPart } from '../past/PastLog.ts'
import { PastReader } from '../past/PastReader.ts'
import type { AskedMoment } from '../past/QueueMoment.ts'
import { messageOf, messageSpans, type StandingMessage } from '../past/messageSpans.ts'
import { progressRecords } from '../replay/Progress.ts'
import { Replay } from '../replay/Replay.ts'
import type { DeadLetter } from './DeadLetter.ts'
import { DeadLetters } from './DeadLetters.ts'

/** How dead letters are read. */
export interface DeadLetterOptions extends Omit<PastOptions, 'now'>, Partial<Pick<PastOptions, 'now'>> {
  /** The moment to read; default: now. */
  readonly moment?: AskedMoment
  /** Subscription of the dead-letter queue; default `main`. */
  readonly subscription?: string
  /** Who looks; default: someone who sees everything. */
  readonly sight?: Sight
  /** The queues that they may know of: errors of others are left out; absent: all. */
  readonly grants?: Grants | undefined
}

/** Letters between two yields. */
const pauseLetters = 1_000

/**
 * Reads the messages in a queue, now or at a moment of the past, with why they got there: from the log alone,
 * without a receive. Covers all parts of a spread queue. Calls back per message, within a partition in the
 * order of the log. Errors: `UnknownQueue`, `UnknownSubscription`, `LogDamaged`, and those of the log; of a
 * moment also `FutureMoment`, and `BeyondRecord` when what was there then is no longer on record.
 */
export const readDeadLetters = async (
  log: Log,
  queue: string,
  options: DeadLetterOptions,
  visit: (letter: DeadLetter) => void,
): Promise<void> => {
  const { moment, now = Number.MAX_SAFE_INTEGER } = options
  if (moment !== undefined) {
    const looker = new PastReader(log, { ...options, now })
    try {
      for (const place of (await looker.at(queue, moment)).places) await readPast(log, place, options, visit)
    } finally {
      await looker.close()
    }
    return
  }
  const home = partitionOf(queue, log.meta.partitions)
  const others = await readPartition(log, home, queue, options, visit)
  if (others === undefined) throw new KirokuError('UnknownQueue', `there is no queue "${queue}"`)
  for (const partition of others) await readPartition(log, partition, queue, options, visit)
}

/** Reads the messages in a queue and groups them by kind. Errors: as `readDeadLetters`. */
export const gatherDeadLetters = async (
  log: Log,
  queue: string,
  options: DeadLetterOptions,
): Promise<DeadLetters> => {
  const letters = new DeadLetters()
  await readDeadLetters(log, queue, options, (letter) => letters.accept(letter))
  return letters
}

/** Returns the queue's other partitions; undefined when it is not on this one. */
const readPartition = async (
  log: Log,
  partition: number,
  name: string,
  options: DeadLetterOptions,
  visit: (letter: DeadLetter) => void,
): Promise<number[] | undefined> => {
  const handle = await log.partition(partition)
  try {
    const state = await presentState(handle, options)
    const queue = state.names.get(name)
    if (queue === undefined) return undefined
    await readStanding(log, handle, state, queue, options, visit)
    return queue.spread?.parts.filter((part) => part.queue !== 0).map((part) => part.partition) ?? []
  } finally {
    await handle.close()
  }
}

/** Reads the messages that were in one place of a queue. */
const readPast = async (
  log: Log,
  { partition, state, queue }: PastPart,
  options: DeadLetterOptions,
  visit: (letter: DeadLetter) => void,
): Promise<void> => {
  const handle = await log.partition(partition)
  try {
    await readStanding(log, handle, state, queue, options, visit)
  } catch (e) {
    const oldest = (await handle.state()).firstSeq
    if (!isKirokuError(e) || e.id !== 'LogDamaged' || oldest === 1) throw e
    // A body is trimmed once its message is final and its record old enough.
    throw new KirokuError(
      'BeyondRecord',
      `partition ${partition} begins with sequence ${oldest} and no longer holds what was in "${queue.name}" then`,
      { cause: e },
    )
  } finally {
    await handle.close()
  }
}

/** Reads the messages in a queue according to a state. */
const readStanding = async (
  log: Log,
  handle: PartitionLog,
  state: PartitionState,
  queue: QueueState,
  options: DeadLetterOptions,
  visit: (letter: DeadLetter) => void,
): Promise<void> => {
  const { partition } = handle
  const wanted = options.subscription ?? mainSubscription
  const sub = queue.named(wanted)
  if (sub === undefined)
    throw new KirokuError('UnknownSubscription', `queue "${queue.name}" has no subscription "${wanted}"`)
  const { incarnation } = log.meta
  const here = { incarnation, partition, queue: queue.id }
  const standing: StandingMessage[] = []
  for (const span of messageSpans(state, queue))
    if (span.sub === undefined || span.sub === sub)
      for (let n = span.first; n < span.first + span.count; n++) standing.push(messageOf(state, span, n))
  const keys = new KeyReader(log.keys)
  const { grants } = options
  const mayKnow = (name: string | undefined): boolean =>
    grants === undefined || name === undefined || roleOn(grants, name) !== undefined
  let count = 0
  for await (const { place, frame, envelope } of readEnvelopes(handle, queue.id, standing)) {
    const at = queue.config.retentionFrom === 'arrival' ? place.enqueuedAt : frame.at
    const { meta, body, unreadable } = await openEnvelope(keys, envelope)
    const letter = letterOf({ ...here, number: place.number }, stateNames[place.state], at, meta, body)
    const { hidden, shows } = await seenNow(options.sight, passedBy([here], meta.lineage))
    visit({
      ...letter,
      ...(unreadable === undefined ? {} : { unreadable }),
      ...(hidden === undefined ? {} : { hidden }),
      ...(shows.errors && mayKnow(letter.origin?.queue) ? {} : { error: '' }),
    })
    if (++count % pauseLetters === 0) await options.pause?.()
  }
}

/** A partition's state at the end of its log. */
const presentState = async (
  log: PartitionLog,
  { decodeCheckpoint, moments, onProgress, pause }: DeadLetterOptions,
): Promise<PartitionState> => {
  const { partition } = log
  const { lastSeq } = await log.state()
  const pass = await Replay.open(log, {
    decodeCheckpoint,
    near: Number.MAX_SAFE_INTEGER,
    ...(moments === undefined ? {} : { moments }),
    ...(pause === undefined ? {} : { pause }),
    onRecord: (seq, events) => {
      if (seq % progressRecords === 0) onProgress?.({ partition, seq, lastSeq, events })
    },
  })
  await pass.run()
  return pass.state
}

const letterOf = (
  address: MessageAddress,
  state: StateName,
  at: number,
  { tag, group, attributes, contentType, lineage }: EnvelopeMeta,
  body: Uint8Array,
): DeadLetter => {
  // A sender may put anything into an envelope.
  const from = isRecord(lineage) ? lineage : undefined
  const placeId = messageId(address)
  const redrives = Number.isInteger(from?.redrives) ? from!.redrives! : 0
  const cause = typeof from?.cause === 'string' ? from.cause : 'sent'
  return {
    partition: address.partition,
    number: address.number,
    messageId: typeof from?.messageId === 'string' ? from.messageId : placeId,
    placeId,
    at,
    state,
    ...(typeof from?.queue === 'string' && cause !== 'redriven'
      ? { origin: { queue: from.queue, subscription: from.subscription ?? mainSubscription } }
      : {}),
    cause,
    error: typeof from?.error === 'string' ? from.error : '',
    attempts: Number.isInteger(from?.attempts) ? from!.attempts : 0,
    cameBack: cause === 'redriven' ? 0 : redrives,
    redrives,
    sentAt: Number.isFinite(from?.enqueuedAt) ? from!.enqueuedAt : at,
    ...(typeof tag === 'string' ? { tag } : {}),
    ...(typeof group === 'string' ? { messageGroup: group } : {}),
    attributes: isRecord(attributes) ? attributes : {},
    ...(typeof contentType === 'string' ? { contentType } : {}),
    body,
  }
}

const isRecord = <A>(value: A | undefined): value is A => typeof value === 'object' && value !== null
