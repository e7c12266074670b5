import {
  ChainError,
  decodeRecord,
  hexOf,
  readChain,
  zeroHash,
  type ChainAnchor,
  type Log,
  type PartitionLog,
} from '@kiroku/log'
import { snapshot } from '@kiroku/partition'
import { isKirokuError, KirokuError, partitionOf } from '@kiroku/protocol'
import type { RecordedFrame, RecordedJump, Recording, RecordingPart } from '../browser/Recording.ts'
import { Replay } from '../replay/Replay.ts'
import { ReplayStarts } from '../replay/ReplayStarts.ts'
import { replayCost } from '../replay/replayCost.ts'
import { type PastOptions } from './PastLog.ts'
import { PastReader } from './PastReader.ts'
import type { AskedMoment } from './QueueMoment.ts'

/** What to record. */
export interface RecordingOptions extends PastOptions {
  /** Default: the queue's home. */
  readonly partition?: number
  /** Include the state from which it begins; without it the recording begins after the moment itself. */
  readonly withState?: boolean
  /** Frames beyond the moment. Default: 1,000. */
  readonly framesMax?: number
  /** Work of these frames; see `workOf`. Default: 50,000. */
  readonly workMax?: number
}

/**
 * With a state, a recording begins this many records and about this much work earlier, so that a reader can
 * step back.
 */
const recordsBefore = 200
const workBefore = 60_000
/** Records that are read together. */
const pieceRecords = 500
/** Bytes of the log, bodies included, that are read for one recording at most. */
const readBytesMax = 64 * 1024 * 1024
/** Frames between two yields. */
const pauseFrames = 50

/**
 * A range of the partition that holds a queue, from a moment on, for a `Replayer`. The chain is checked
 * against the log. Errors: `FutureMoment`, `BeyondRecord`, `InvalidArgument`, `LogDamaged`, and those of the
 * log.
 */
export const recordingOf = async (
  log: Log,
  queue: string,
  asked: AskedMoment,
  options: RecordingOptions,
): Promise<Recording> => {
  const { partitions, incarnation } = log.meta
  const { partition = partitionOf(queue, partitions), withState = false } = options
  if (!(partition >= 0 && partition < partitions))
    throw new KirokuError('InvalidArgument', `log ${log.meta.name} has no partition ${partition}`)
  const askedSeq = await seqOf(log, partition, asked, options)
  const handle = await log.partition(partition)
  try {
    const { firstSeq, lastSeq } = await handle.state()
    const starts = new ReplayStarts(handle, options.decodeCheckpoint, options.moments)
    const begun = withState
      ? await stateBefore(handle, starts, askedSeq, options)
      : { start: await placeAt(handle, askedSeq) }
    const { start } = begun
    const { framesMax = 1_000, workMax = 50_000 } = options
    const steps: (RecordedFrame | RecordedJump)[] = []
    let end: ReadPart = start
    let [frames, work, bytes, reachesEnd] = [0, 0, 0, true]
    for await (const { step, hash, sizeBytes } of stepsBehind(handle, starts, start, lastSeq)) {
      const isBeyond = step.seq > askedSeq
      if (isBeyond && (frames >= framesMax || work >= workMax || bytes >= readBytesMax)) {
        reachesEnd = false
        break
      }
      steps.push(step)
      end = { seq: step.seq, at: step.at, hash }
      bytes += sizeBytes
      if (isBeyond && 'events' in step) {
        frames++
        for (const event of step.events) work += replayCost(event)
      }
      if (steps.length % pauseFrames === 0) await options.pause?.()
    }
    const places = { start: placeOf(start), end: placeOf(end) }
    return { incarnation, partition, firstSeq, lastSeq, askedSeq, ...begun, ...places, steps, reachesEnd }
  } finally {
    await handle.close()
  }
}

/** Progress of reading the log. */
type ReadPart = Omit<RecordingPart, 'hash'> & { readonly hash: Uint8Array }

const placeOf = (place: ReadPart): RecordingPart => ({ ...place, hash: hexOf(place.hash) })

const seqOf = async (
  log: Log,
  partition: number,
  asked: AskedMoment,
  options: PastOptions,
): Promise<number> => {
  const looker = new PastReader(log, options)
  try {
    if ('time' in asked) return await looker.seqUpTo(partition, asked.time)
    const own = asked.partition ?? partition
    return own === partition
      ? await looker.seqOf(partition, asked)
      : await looker.seqUpTo(partition, await looker.timeOf(own, asked.seq))
  } finally {
    await looker.close()
  }
}

/** The state a little before a record, where it is known. */
const stateBefore = async (
  log: PartitionLog,
  starts: ReplayStarts,
  askedSeq: number,
  options: PastOptions,
): Promise<Pick<Recording, 'state'> & { readonly start: ReadPart }> => {
  const { decodeCheckpoint, moments, pause } = options
  const known = (await starts.firstKnown()) ?? 0
  const near = Math.min(askedSeq, Math.max(known, askedSeq - (await recordsWithin(log, askedSeq))))
  const pass = await Replay.open(log, {
    decodeCheckpoint,
    near,
    ...(moments === undefined ? {} : { moments }),
    ...(pause === undefined ? {} : { pause }),
  })
  await pass.run(near)
  const { lost } = pass
  // The state is known again where the damaged part ends.
  if (lost?.bridged === true && lost.upTo <= askedSeq) await pass.run(lost.upTo)
  if (pass.seq > askedSeq || pass.lost?.bridged === true)
    throw new KirokuError(
      'BeyondRecord',
      `the state of partition ${log.partition} is not known at sequence ${askedSeq}`,
    )
  const { seq, hash, state } = pass
  return { start: { seq, at: state.at, hash }, state: snapshot(state) }
}

/**
 * How many records before one make up about the work by which a recording may begin earlier, estimated from a
 * sample.
 */
const recordsWithin = async (log: PartitionLog, seq: number): Promise<number> => {
  const samples = await Promise.all(
    [0, 0.25, 0.5, 1].map(async (share) => {
      const stored = await log.get(Math.max(1, seq - Math.round(share * recordsBefore)))
      if (stored === undefined || stored.foreign) return 1
      try {
        const record = decodeRecord(stored.data)
        return record.kind === 'frame' ? record.events.reduce((sum, event) => sum + replayCost(event), 0) : 1
      } catch (e) {
        // A replay reports damage.
        if (!isKirokuError(e)) throw e
        return 1
      }
    }),
  )
  const work = Math.max(1, ...samples)
  return Math.max(1, Math.min(recordsBefore, Math.floor(workBefore / work)))
}

/** The record after which a recording without a state begins. */
const placeAt = async (log: PartitionLog, seq: number): Promise<ReadPart> => {
  if (seq === 0) return { seq, at: 0, hash: zeroHash }
  const { firstSeq } = await log.state()
  if (seq < firstSeq)
    throw new KirokuError(
      'BeyondRecord',
      `the record of partition ${log.partition} begins with ${firstSeq}, after ${seq}`,
    )
  const stored = await log.get(seq)
  const record = stored === undefined || stored.foreign ? undefined : decodeRecord(stored.data)
  if (record === undefined)
    throw new KirokuError(
      'InvalidArgument',
      `sequence ${seq} is not a record of Kiroku: request a state with it`,
    )
  return { seq, at: record.kind === 'frame' ? record.at : 0, hash: record.hash }
}

/** A step as read from the log. */
interface ReadStep {
  readonly step: RecordedFrame | RecordedJump
  readonly hash: Uint8Array
  /** Of its record, with the bodies. */
  readonly sizeBytes: number
}

/** The frames after a place, in pieces, so that a caller who has enough reads little beyond that. */
async function* stepsBehind(
  log: PartitionLog,
  starts: ReplayStarts,
  place: ChainAnchor,
  lastSeq: number,
): AsyncGenerator<ReadStep, void, undefined> {
  let anchor = place
  let isWide = false
  while (anchor.seq < lastSeq) {
    const toSeq = isWide ? lastSeq : Math.min(lastSeq, anchor.seq + pieceRecords)
    const from = anchor.seq === 0 ? {} : { from: anchor }
    try {
      for await (const entry of readChain(log, { ...from, toSeq })) {
        if (entry.kind === 'foreign') anchor = { ...anchor, seq: entry.seq }
        else if (entry.kind === 'ours') {
          const { seq, record } = entry
          const { hash, epoch, sizeBytes } = record
          anchor = { seq, hash, epoch }
          if (record.kind === 'frame')
            yield { step: { seq, at: record.at, events: record.events }, hash, sizeBytes }
        } else if (entry.bridged) {
          const known = await starts.at(entry.upTo)
          if (known === undefined) throw entry.damage
          const { seq, hash, state } = known
          anchor = { seq, hash }
          yield { step: { seq, at: state.at, state: snapshot(state) }, hash, sizeBytes: 0 }
        }
      }
    } catch (damage) {
      if (!(damage instanceof ChainError) || damage.id !== 'LogDamaged' || toSeq === lastSeq) throw damage
      // A repair further on says how damage is passed over.
      isWide = true
    }
  }
}
