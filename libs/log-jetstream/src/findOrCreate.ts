import { keysKeptMs } from '@kiroku/log'
import { isStreamMissing } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import type { JetStreamManager } from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/nats-core'
import { Objm } from '@nats-io/obj'
import type { Catalogue, Found } from './Catalogue.ts'
import { type CatalogueEntry, newEntry } from './CatalogueEntry.ts'
import type { OpenLogOptions } from './OpenLogOptions.ts'
import { canCopy, checkCreate } from './checkCreate.ts'
import { entryOfStreams } from './entryOfStreams.ts'
import { catalogueStream, checkpointBucket, keyBucket, streamName } from './names.ts'
import { complement, createStream } from './partitionStream.ts'
import { rewriteDescription } from './rewriteDescription.ts'
import { incarnationOf } from './streamMetadata.ts'

/**
 * What the catalogue says of a log; the log is made where it is missing and may be made, and healed where the catalogue or
 * a stream lost what they knew. Errors: those of `openLog`.
 */
export const findOrCreate = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  catalogue: Catalogue,
  options: OpenLogOptions,
): Promise<CatalogueEntry> => {
  const { name, create, onHealed, onMade } = options
  let found = await catalogue.find(name)
  if (found?.entry.complete === true) return changed(jsm, catalogue, found, options)
  // The catalogue lost the entry, or one was begun alongside the streams of the log that it had lost.
  const streams = await entryOfStreams(jsm, name, create)
  if (streams !== undefined && found?.entry.meta.incarnation !== streams.meta.incarnation) {
    if (create === undefined) return streams
    found = await catalogue.restore(name, streams, found)
    await rewriteDescription(jsm, catalogueStream)
    onHealed?.(`the catalogue had lost log "${name}"; it was written again from the streams`)
  } else if (create !== undefined && streams === undefined) {
    await checkCreate(nc, jsm, name, create)
    if (found === undefined) {
      found = await catalogue.create(name, create)
      onMade?.()
    }
    // It was begun with more replicas than possible, and never got a stream.
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

/** Writes requested limits to the catalogue and the streams, where they differ. */
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
    // A stream that cannot be loaded is updated when its partition is opened.
    const info = await jsm.streams.info(streamName(name, n)).catch(() => undefined)
    if (info !== undefined && incarnationOf(info.config) === meta.incarnation)
      await complement(jsm, info, entry)
  }
  onChanged?.(meta, entry.meta)
  return entry
}

/** Keys must outlive the record and every live message. They are never kept shorter: older messages may still need them. */
export const keepKeysLonger = async (
  jsm: JetStreamManager,
  name: string,
  recordMs: number,
): Promise<void> => {
  const stream = `KV_${keyBucket(name)}`
  try {
    const { config } = await jsm.streams.info(stream)
    const max_age = nanos(keysKeptMs(recordMs))
    if (config.max_age < max_age) await jsm.streams.update(stream, { max_age })
  } catch (cause) {
    if (!isStreamMissing(cause)) throw cause
  }
}

/** What the catalogue says of a log now. */
export const currentEntry = async (catalogue: Catalogue, known: CatalogueEntry): Promise<CatalogueEntry> => {
  // Without an answer, or with another log's, the partition is opened by what was known.
  const found = await catalogue.find(known.meta.name).catch(() => undefined)
  const isSame = found?.entry.complete === true && found.entry.meta.incarnation === known.meta.incarnation
  return isSame ? found.entry : known
}
