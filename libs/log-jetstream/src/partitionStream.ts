import { isStreamMissing, jetStreamCode, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { CatalogueEntry } from './CatalogueEntry.ts'
import { streamName, subjectName } from './names.ts'
import { rewriteDescription } from './rewriteDescription.ts'
import { incarnationOf, metadataOf, saysAll } from './streamMetadata.ts'

/** Makes the stream of a partition, or checks that the one there is ours. Errors: `ForeignStream`, those of JetStream. */
export const createStream = async (
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

/** Makes a stream again that NATS lost or cannot load. Errors: those of JetStream. */
export const restoreStream = async (
  jsm: JetStreamManager,
  log: string,
  partition: number,
  entry: CatalogueEntry,
): Promise<void> => {
  const stream = streamName(log, partition)
  try {
    await createStream(jsm, log, partition, entry)
    await rewriteDescription(jsm, stream)
  } catch (cause) {
    throw toKirokuError(cause, `cannot make stream ${stream} again`)
  }
}

/** The error of a question about a partition's stream: `LogDamaged` where NATS does not have it. */
export const streamError = (cause: unknown, stream: string, what: string): KirokuError =>
  isStreamMissing(cause)
    ? new KirokuError(
        'LogDamaged',
        `NATS has no stream ${stream} of this log: it cannot load it, or it was removed`,
        {
          cause,
        },
      )
    : toKirokuError(cause, what)

/** Errors: `LogDamaged` (there is none), `ForeignStream`. */
export const checkStream = async (
  jsm: JetStreamManager,
  stream: string,
  entry: CatalogueEntry,
): Promise<StreamInfo> => {
  let info: StreamInfo
  try {
    info = await jsm.streams.info(stream)
  } catch (cause) {
    throw streamError(cause, stream, `cannot open stream ${stream}`)
  }
  mustBeOurs(info, entry)
  return info
}

/**
 * Writes what the catalogue says into a stream of an older version or with other limits. It only helps later,
 * so a failure is ignored.
 */
export const complement = async (
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
    throw new KirokuError(
      'ForeignStream',
      `stream ${config.name} was not created for this log "${meta.name}"`,
    )
}
