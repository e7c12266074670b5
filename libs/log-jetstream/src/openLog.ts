import { keysKeptMs, type Log, type LogMeta, type PartitionLog } from '@kiroku/log'
import { isStreamMissing, jetStreamCode, Publisher, requireJetStream, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/nats-core'
import { Objm, setSha256Backend, type ObjectStore } from '@nats-io/obj'
import { Ballast } from './Ballast.ts'
import { ByteBudget } from './ByteBudget.ts'
import { Catalogue, type Found } from './Catalogue.ts'
import { newEntry, type CatalogueEntry, type CreateLog } from './CatalogueEntry.ts'
import { JetStreamCheckpoints } from './JetStreamCheckpoints.ts'
import { JetStreamKeys } from './JetStreamKeys.ts'
import { JetStreamPartition } from './JetStreamPartition.ts'
import { JetStreamRoom, type Disk } from './JetStreamRoom.ts'
import { StreamReader } from './StreamReader.ts'
import { canCopy, checkCreate } from './checkCreate.ts'
import { entryOfStreams } from './entryOfStreams.ts'
import { headerBytesMax, payloadBytesDefault, readerBytesMax } from './limits.ts'
import {
  catalogueBucket,
  checkLogName,
  checkpointBucket,
  keyBucket,
  streamName,
  subjectName,
} from './names.ts'
import { rewriteDescription } from './rewriteDescription.ts'
import { incarnationOf, metadataOf, saysAll } from './streamMetadata.ts'

/** How much of a log's record is kept; what is absent stays as it is. */
type RecordLimits = Partial<Pick<LogMeta, 'recordMs' | 'recordBytes'>>

/** Which log to open. */
export interface OpenLogOptions {
  readonly name: string
  /**
   * Makes the log when it does not exist; of one that exists it writes again what is missing in the catalogue and in
   * its streams' metadata. Without it nothing is written.
   */
  readonly create?: CreateLog
  /** Limits that its record has from now on, whatever it was made with; without `create` they change nothing. */
  readonly record?: RecordLimits
  /** Told when these were others before. */
  readonly onChanged?: (before: LogMeta, now: LogMeta) => void
  /** Told when the log did not exist. */
  readonly onMade?: () => void
  /** Told in a sentence what had to be written again. */
  readonly onHealed?: (what: string) => void
  /** Connection for reading and for checkpoints, so that what is large cannot hold up appends. Default: the same one. */
  readonly reader?: NatsConnection
  /** The disk of the store, where it is one of this machine and known. Default: it is not. */
  readonly disk?: () => Promise<Disk | undefined>
}

// The other one is written in JavaScript: a large checkpoint would keep the thread busy for seconds.
setSha256Backend('native')

/**
 * Opens the log `name`, and makes it first where it is missing and `create` is given. The connections stay the
 * caller's. Errors: `InvalidArgument` (no such log), `ForeignStream`, `LogDamaged` (a stream of it is gone),
 * `NatsTooOld`, `JetStreamDisabled`, `NatsUnreachable`, `StorageFull`.
 */
export const openLog = async (nc: NatsConnection, options: OpenLogOptions): Promise<Log> => {
  const { name, create } = options
  checkLogName(name)
  const jsm = await requireJetStream(nc)
  try {
    const catalogue = new Catalogue(nc)
    let entry = await findOrCreate(nc, jsm, catalogue, options)
    const bucket = checkpointBucket(name)
    const store = await openCheckpoints(options.reader ?? nc, jsm, bucket, entry, options)
    const publisher = new Publisher(nc)
    const recordBytesMax = () => (nc.info?.max_payload ?? payloadBytesDefault) - headerBytesMax
    const budget = new ByteBudget(readerBytesMax)
    const { incarnation, replicas } = entry.meta
    // Streams with limits of their own are refused by those.
    const ballast =
      create === undefined || entry.bytesMax > 0
        ? undefined
        : new Ballast({ log: name, incarnation, replicas }, jsm, options.reader ?? nc)
    const refused = () => ballast?.refused() ?? Promise.resolve()
    let keysLast: Promise<void> | undefined
    const partition = async (n: number): Promise<PartitionLog> => {
      if (!Number.isInteger(n) || n < 0 || n >= entry.meta.partitions)
        throw new KirokuError('InvalidArgument', `log ${name} has no partition ${n}`)
      // Another node may have changed the limits since.
      if (create !== undefined) {
        entry = await currentEntry(catalogue, entry)
        // Buckets of an older version keep keys for less. Where it cannot be changed now, the next partition tries again.
        await (keysLast ??= keepKeysLonger(jsm, name, entry.meta.recordMs).catch(
          () => void (keysLast = undefined),
        ))
      }
      const [stream, subject] = [streamName(name, n), subjectName(name, n)]
      const info = await checkStream(jsm, stream, entry)
      if (create !== undefined) await complement(jsm, info, entry)
      return new JetStreamPartition({
        partition: n,
        stream,
        subject,
        recordBytesMax,
        jsm,
        publisher,
        reader: new StreamReader(options.reader ?? nc, jsm, stream, subject, budget),
        checkpoints: new JetStreamCheckpoints(n, bucket, store, jsm, refused),
        refused,
      })
    }
    const keys = new JetStreamKeys(options.reader ?? nc, jsm, entry.meta)
    const restore = async (n: number): Promise<void> => {
      try {
        await createStream(jsm, name, n, entry)
        await rewriteDescription(jsm, streamName(name, n))
      } catch (cause) {
        throw toKirokuError(cause, `cannot make stream ${streamName(name, n)} again`)
      }
    }
    const room = new JetStreamRoom(jsm, replicas, options.disk, ballast)
    return {
      get meta() {
        return entry.meta
      },
      keys,
      partition,
      restore,
      room: () => room.look(),
      close: async () => publisher.close(),
    }
  } catch (cause) {
    throw toKirokuError(cause, `cannot open log ${name}`)
  }
}

const currentEntry = async (catalogue: Catalogue, known: CatalogueEntry): Promise<CatalogueEntry> => {
  // Without an answer, or with one of another log, the partition is opened by what was known.
  const found = await catalogue.find(known.meta.name).catch(() => undefined)
  const isSame = found?.entry.complete === true && found.entry.meta.incarnation === known.meta.incarnation
  return isSame ? found.entry : known
}

const findOrCreate = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  catalogue: Catalogue,
  options: OpenLogOptions,
): Promise<CatalogueEntry> => {
  const { name, create, onHealed, onMade } = options
  let found = await catalogue.find(name)
  if (found?.entry.complete === true) return changed(jsm, catalogue, found, options)
  // The catalogue lost what it knew, or an entry was begun beside the streams of the log that it had lost.
  const streams = await entryOfStreams(jsm, name, create)
  if (streams !== undefined && found?.entry.meta.incarnation !== streams.meta.incarnation) {
    if (create === undefined) return streams
    found = await catalogue.restore(name, streams, found)
    await rewriteDescription(jsm, `KV_${catalogueBucket}`)
    onHealed?.(`the catalogue had lost log "${name}"; it was written again from the streams`)
  } else if (create !== undefined && streams === undefined) {
    await checkCreate(nc, jsm, name, create)
    if (found === undefined) {
      found = await catalogue.create(name, create)
      onMade?.()
    }
    // It was begun with more copies than there can be, and never got a stream.
    if (
      found.entry.meta.replicas !== (create.replicas ?? 1) &&
      !(await canCopy(nc, jsm, name, found.entry.meta.replicas))
    )
      found = await catalogue.restore(name, newEntry(name, found.entry.meta.incarnation, create), found)
  }
  if (!found) throw new KirokuError('InvalidArgument', `there is no log "${name}"`)
  const { entry, revision } = found
  if (entry.complete) return changed(jsm, catalogue, found, options)
  for (let n = 0; n < entry.meta.partitions; n++) await createStream(jsm, name, n, entry)
  await new Objm(nc).create(checkpointBucket(name), { replicas: entry.meta.replicas })
  await catalogue.complete(name, entry, revision)
  return entry
}

/** Writes limits that were asked for into the catalogue and the streams, where they are others. */
const changed = async (
  jsm: JetStreamManager,
  catalogue: Catalogue,
  found: Found,
  options: OpenLogOptions,
): Promise<CatalogueEntry> => {
  const { name, create, record, onChanged } = options
  const { meta } = found.entry
  const { recordMs = meta.recordMs, recordBytes = meta.recordBytes } = record ?? {}
  if (create === undefined || (recordMs === meta.recordMs && recordBytes === meta.recordBytes))
    return found.entry
  if (recordMs > meta.recordMs) await keepKeysLonger(jsm, name, recordMs)
  const asked = { ...found.entry, meta: { ...meta, recordMs, recordBytes } }
  const stored = await catalogue.restore(name, asked, found)
  const { entry } = stored
  // Another process changed it at the same moment.
  if (entry !== asked) return changed(jsm, catalogue, stored, options)
  for (let n = 0; n < entry.meta.partitions; n++) {
    // A stream that cannot be loaded learns it when its partition is opened.
    const info = await jsm.streams.info(streamName(name, n)).catch(() => undefined)
    if (info !== undefined && incarnationOf(info.config) === meta.incarnation)
      await complement(jsm, info, entry)
  }
  onChanged?.(meta, entry.meta)
  return entry
}

/** Keys must outlive the record and every live message. They are never kept shorter: older messages may still need them. */
const keepKeysLonger = async (jsm: JetStreamManager, name: string, recordMs: number): Promise<void> => {
  const stream = `KV_${keyBucket(name)}`
  try {
    const { config } = await jsm.streams.info(stream)
    const max_age = nanos(keysKeptMs(recordMs))
    if (config.max_age < max_age) await jsm.streams.update(stream, { max_age })
  } catch (cause) {
    if (!isStreamMissing(cause)) throw cause
  }
}

/** Opens the checkpoints' bucket. One that NATS could not load comes back when it is made again: its files still lie there. */
const openCheckpoints = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  bucket: string,
  { meta: { replicas } }: CatalogueEntry,
  { create, onHealed }: OpenLogOptions,
): Promise<ObjectStore> => {
  const stores = new Objm(nc)
  try {
    return await stores.open(bucket)
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes('object store not found'))) throw cause
    if (create === undefined)
      throw new KirokuError('LogDamaged', `NATS has no bucket ${bucket}; an engine makes it when it starts`, {
        cause,
      })
    onHealed?.(`NATS had no bucket ${bucket} with the checkpoints; it was made again`)
    const made = await stores.create(bucket, { replicas })
    await rewriteDescription(jsm, `OBJ_${bucket}`)
    return made
  }
}

const createStream = async (
  jsm: JetStreamManager,
  log: string,
  partition: number,
  entry: CatalogueEntry,
): Promise<void> => {
  const stream = streamName(log, partition)
  try {
    const made = await jsm.streams.add({
      name: stream,
      subjects: [subjectName(log, partition)],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      num_replicas: entry.meta.replicas,
      max_bytes: entry.bytesMax > 0 ? entry.bytesMax : -1,
      allow_direct: true,
      allow_atomic: true,
      metadata: { ...metadataOf(entry) },
    })
    mustBeOurs(made, entry)
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw cause
    if (cause.code === jetStreamCode.subjectsOverlap)
      throw new KirokuError('ForeignStream', `another stream takes ${subjectName(log, partition)}`, { cause })
    if (cause.code !== jetStreamCode.streamNameInUse) throw cause
    await checkStream(jsm, stream, entry)
  }
}

const checkStream = async (
  jsm: JetStreamManager,
  stream: string,
  entry: CatalogueEntry,
): Promise<StreamInfo> => {
  let info: StreamInfo
  try {
    info = await jsm.streams.info(stream)
  } catch (cause) {
    if (isStreamMissing(cause))
      throw new KirokuError(
        'LogDamaged',
        `NATS has no stream ${stream} of log ${entry.meta.name}: it cannot load it, or it was removed`,
        { cause },
      )
    throw toKirokuError(cause, `cannot open stream ${stream}`)
  }
  mustBeOurs(info, entry)
  return info
}

/** Writes into a stream of an older version, or of other limits, what the catalogue says. It helps later; that it cannot be done now hinders nothing. */
const complement = async (
  jsm: JetStreamManager,
  { config }: StreamInfo,
  entry: CatalogueEntry,
): Promise<void> => {
  if (saysAll(config, entry)) return
  const metadata = { ...config.metadata, ...metadataOf(entry) }
  await jsm.streams.update(config.name, { metadata }).catch(() => undefined)
}

const mustBeOurs = ({ config }: StreamInfo, { meta }: CatalogueEntry): void => {
  if (incarnationOf(config) !== meta.incarnation)
    throw new KirokuError('ForeignStream', `stream ${config.name} was not made for this log "${meta.name}"`)
}
