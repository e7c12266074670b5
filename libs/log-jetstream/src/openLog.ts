import { type Log, type PartitionLog } from '@kiroku/log'
import { Publisher, requireJetStream, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { type NatsConnection } from '@nats-io/nats-core'
import { Ballast } from './Ballast.ts'
import { ByteBudget } from './ByteBudget.ts'
import { Catalogue } from './Catalogue.ts'
import { JetStreamCheckpoints } from './JetStreamCheckpoints.ts'
import { JetStreamKeys } from './JetStreamKeys.ts'
import { JetStreamPartition } from './JetStreamPartition.ts'
import { JetStreamRoom } from './JetStreamRoom.ts'
import type { OpenLogOptions } from './OpenLogOptions.ts'
import { StoredNews } from './StoredNews.ts'
import { StreamReader } from './StreamReader.ts'
import { currentEntry, findOrCreate, keepKeysLonger } from './findOrCreate.ts'
import { keepBuckets } from './keepBuckets.ts'
import {
  appendTimeoutMs,
  headerBytesMax,
  keepBucketsMs,
  payloadBytesDefault,
  readerBytesMax,
} from './limits.ts'
import { checkLogName, checkpointBucket, streamName, subjectName } from './names.ts'
import { openCheckpoints } from './openCheckpoints.ts'
import { checkStream, complement, restoreStream } from './partitionStream.ts'

/**
 * Opens the log `name`, and creates it first if it is missing and `create` is given. The caller keeps the
 * connections. Errors: `InvalidArgument` (no such log), `ForeignStream`, `LogDamaged` (a stream of it is
 * gone), `NatsTooOld`, `JetStreamDisabled`, `NatsUnreachable`, `StorageFull`.
 */
export const openLog = async (nc: NatsConnection, options: OpenLogOptions): Promise<Log> => {
  const { name, create, reader = nc } = options
  checkLogName(name)
  const jsm = await requireJetStream(nc)
  try {
    const catalogue = new Catalogue(nc)
    let entry = await findOrCreate(nc, jsm, catalogue, options)
    const bucket = checkpointBucket(name)
    const store = await openCheckpoints(reader, jsm, bucket, entry, options)
    const stopKeeping =
      create === undefined
        ? undefined
        : keepBuckets({
            catalogue,
            entry: () => ({ ...entry, complete: true }),
            openCheckpoints: () => openCheckpoints(reader, jsm, bucket, entry, options),
            onHealed: options.onHealed,
            everyMs: options.keepBucketsMs ?? keepBucketsMs,
          })
    const appends = new Publisher(nc, { timeoutMs: appendTimeoutMs })
    const fences = new Publisher(nc)
    const recordBytesMax = () => (nc.info?.max_payload ?? payloadBytesDefault) - headerBytesMax
    const budget = new ByteBudget(readerBytesMax)
    const news = new StoredNews(nc, name)
    const { incarnation, replicas } = entry.meta
    // Streams with their own limits refuse writes by themselves.
    const ballast =
      create === undefined || entry.bytesMax > 0
        ? undefined
        : new Ballast({ log: name, incarnation, replicas }, jsm, reader)
    const refused = () => ballast?.refused() ?? Promise.resolve()
    let keysLast: Promise<void> | undefined
    const partition = async (n: number): Promise<PartitionLog> => {
      if (!Number.isInteger(n) || n < 0 || n >= entry.meta.partitions)
        throw new KirokuError('InvalidArgument', `log ${name} has no partition ${n}`)
      // Another node may have changed the limits since.
      if (create !== undefined) {
        entry = await currentEntry(catalogue, entry)
        // Buckets of an older version keep keys for less time. If it cannot be changed now, the next
        // partition tries again.
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
        nc,
        jsm,
        appends,
        fences,
        reader: new StreamReader(reader, jsm, stream, subject, budget),
        checkpoints: new JetStreamCheckpoints(n, bucket, store, jsm, reader, refused),
        news,
        refused,
      })
    }
    const keys = new JetStreamKeys(reader, jsm, entry.meta)
    const restore = (n: number) => restoreStream(jsm, name, n, entry)
    const room = new JetStreamRoom(nc, jsm, replicas, options.disk, ballast)
    return {
      get meta() {
        return entry.meta
      },
      keys,
      partition,
      restore,
      room: () => room.look(),
      close: async () => {
        stopKeeping?.()
        news.close()
        appends.close()
        fences.close()
      },
    }
  } catch (cause) {
    throw toKirokuError(cause, `cannot open log ${name}`)
  }
}
