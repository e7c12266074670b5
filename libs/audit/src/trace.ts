import { KirokuError, isKirokuError, stateNames } from '@kiroku/message'
import { decodeRecord, type DecodedRecord, type Log, type LogRecord, type PartitionLog } from '@kiroku/log'
import { parseMessageId } from '@kiroku/partition'
import type { DecodeCheckpoint } from './Checkpoint.ts'
import { PlaceFold, type Place } from './PlaceFold.ts'
import { progressRecords, type OnProgress } from './Progress.ts'
import type { Trace, TraceStep, UnreadableRecord } from './TraceStep.ts'

/** How to look for a message. */
export interface TraceOptions {
  /** Lets queues be named whose creation the record holds no more. */
  readonly decodeCheckpoint?: DecodeCheckpoint
  readonly onProgress?: OnProgress
}

/**
 * Finds everything on record about a message, live or long gone, through every queue that it was dead-lettered to.
 * Reads on past damage and says what it could not read. Errors: `InvalidArgument` (not a message id),
 * `UnknownMessage`, and what the log's reading throws.
 */
export const trace = async (log: Log, messageId: string, options: TraceOptions = {}): Promise<Trace> => {
  const { incarnation, ...first } = parseMessageId(messageId)
  if (incarnation !== log.meta.incarnation || first.partition >= log.meta.partitions)
    throw new KirokuError('UnknownMessage', `message ${messageId} is not one of log ${log.meta.name}`)
  const steps: TraceStep[] = []
  const queues: string[] = []
  const unreadable = new Map<string, UnreadableRecord>()
  let state: Trace['state'] = 'Available'
  let events = 0
  const places: Place[] = [first]
  for (let place = places.shift(); place !== undefined; place = places.shift()) {
    const fold: PlaceFold = new PlaceFold(place)
    const partition = await log.partition(place.partition)
    try {
      if (options.decodeCheckpoint !== undefined) await nameQueues(partition, fold, options.decodeCheckpoint)
      events = await scan(partition, fold, unreadable, events, options.onProgress)
    } finally {
      await partition.close()
    }
    if (fold.steps.length === 0) continue
    queues.push(fold.queue)
    steps.push(...fold.steps)
    state = stateNames[fold.state]
    places.push(...fold.nexts)
  }
  const [begin] = steps
  if (begin === undefined)
    throw new KirokuError('UnknownMessage', `the record holds nothing about message ${messageId}`)
  const complete = begin.event === 'Enqueued' || begin.event === 'ForwardReceived'
  return { messageId, queues, state, steps, complete, unreadable: [...unreadable.values()] }
}

/** Feeds every frame that can be read to the fold. */
const scan = async (
  log: PartitionLog,
  fold: PlaceFold,
  unreadable: Map<string, UnreadableRecord>,
  eventsBefore: number,
  onProgress: OnProgress | undefined,
): Promise<number> => {
  const { partition } = log
  const { firstSeq, lastSeq } = await log.state()
  const miss = (seq: number): void => void unreadable.set(`${partition}/${seq}`, { partition, seq })
  let events = eventsBefore
  let next = firstSeq
  for await (const stored of log.read(firstSeq, lastSeq)) {
    for (; next < stored.seq; next++) miss(next)
    next++
    if (!stored.foreign) {
      const record = tryDecode(stored)
      if (record === undefined) miss(stored.seq)
      else if (record.kind === 'frame') {
        events += record.events.length
        fold.accept(stored.seq, record.at, record.events)
      }
    }
    if (next % progressRecords === 0) onProgress?.({ partition, seq: stored.seq, lastSeq, events })
  }
  for (; next <= lastSeq; next++) miss(next)
  onProgress?.({ partition, seq: lastSeq, lastSeq, events })
  return events
}

const tryDecode = (stored: LogRecord): DecodedRecord | undefined => {
  try {
    return decodeRecord(stored.data)
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}

/** Where the log's beginning was trimmed, a checkpoint still knows the queues' names. */
const nameQueues = async (log: PartitionLog, fold: PlaceFold, decode: DecodeCheckpoint): Promise<void> => {
  if ((await log.state()).firstSeq === 1) return
  for (const seq of (await log.checkpoints.list()).reverse()) {
    const bytes = await log.checkpoints.get(seq)
    if (bytes === undefined) continue
    try {
      for (const { id, name, config, subs } of decode(bytes).snapshot.queues) {
        fold.nameQueue(id, name, config)
        for (const sub of subs) fold.nameSubscription(id, sub.id, sub.name)
      }
    } catch (e) {
      if (!isKirokuError(e)) throw e
      // A damaged checkpoint is the concern of `verify`; another one may know the names.
    }
  }
}
