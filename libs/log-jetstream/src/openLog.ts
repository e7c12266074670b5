import type { Log, PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import { jetStreamCode, Publisher, requireJetStream, toKirokuError } from '@kiroku/nats'
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { Objm, setSha256Backend } from '@nats-io/obj'
import { ByteBudget } from './ByteBudget.ts'
import { Catalogue, type CatalogueEntry, type CreateLog } from './Catalogue.ts'
import { JetStreamCheckpoints } from './JetStreamCheckpoints.ts'
import { JetStreamKeys } from './JetStreamKeys.ts'
import { JetStreamPartition } from './JetStreamPartition.ts'
import { headerBytesMax, payloadBytesDefault, readerBytesMax } from './limits.ts'
import { checkLogName, checkpointBucket, streamName, subjectName } from './names.ts'
import { StreamReader } from './StreamReader.ts'

/** Which log to open. */
export interface OpenLogOptions {
  readonly name: string
  /** Makes the log when it does not exist; one that exists stays as it is. */
  readonly create?: CreateLog
  /** Connection for reading and for checkpoints, so that what is large cannot hold up appends. Default: the same one. */
  readonly reader?: NatsConnection
}

// The other one is written in JavaScript: a large checkpoint would keep the thread busy for seconds.
setSha256Backend('native')

/** Under this key a stream's metadata says whose it is. */
const marker = 'kiroku'

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
    const entry = await findOrCreate(nc, jsm, name, create)
    const bucket = checkpointBucket(name)
    const store = await new Objm(options.reader ?? nc).open(bucket)
    const publisher = new Publisher(nc)
    const recordBytesMax = (nc.info?.max_payload ?? payloadBytesDefault) - headerBytesMax
    const budget = new ByteBudget(readerBytesMax)
    const partition = async (n: number): Promise<PartitionLog> => {
      if (!Number.isInteger(n) || n < 0 || n >= entry.meta.partitions)
        throw new KirokuError('InvalidArgument', `log ${name} has no partition ${n}`)
      const [stream, subject] = [streamName(name, n), subjectName(name, n)]
      await checkStream(jsm, stream, entry)
      return new JetStreamPartition({
        partition: n,
        stream,
        subject,
        recordBytesMax,
        jsm,
        publisher,
        reader: new StreamReader(options.reader ?? nc, jsm, stream, subject, budget),
        checkpoints: new JetStreamCheckpoints(n, bucket, store, jsm),
      })
    }
    const keys = new JetStreamKeys(options.reader ?? nc, jsm, entry.meta)
    return { meta: entry.meta, keys, partition, close: async () => publisher.close() }
  } catch (cause) {
    throw toKirokuError(cause, `cannot open log ${name}`)
  }
}

const findOrCreate = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  name: string,
  create: CreateLog | undefined,
): Promise<CatalogueEntry> => {
  const catalogue = new Catalogue(nc)
  const found = (await catalogue.find(name)) ?? (create && (await catalogue.create(name, create)))
  if (!found) throw new KirokuError('InvalidArgument', `there is no log "${name}"`)
  const { entry, revision } = found
  if (entry.complete) return entry
  for (let n = 0; n < entry.meta.partitions; n++) await createStream(jsm, name, n, entry)
  await new Objm(nc).create(checkpointBucket(name), { replicas: entry.meta.replicas })
  await catalogue.complete(name, entry, revision)
  return entry
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
      metadata: { [marker]: entry.meta.incarnation },
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

const checkStream = async (jsm: JetStreamManager, stream: string, entry: CatalogueEntry): Promise<void> => {
  let info: StreamInfo
  try {
    info = await jsm.streams.info(stream)
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === jetStreamCode.streamNotFound)
      throw new KirokuError('LogDamaged', `stream ${stream} of log ${entry.meta.name} is gone`, { cause })
    throw toKirokuError(cause, `cannot open stream ${stream}`)
  }
  mustBeOurs(info, entry)
}

const mustBeOurs = ({ config }: StreamInfo, { meta }: CatalogueEntry): void => {
  if (config.metadata?.[marker] !== meta.incarnation)
    throw new KirokuError('ForeignStream', `stream ${config.name} was not made for this log "${meta.name}"`)
}
