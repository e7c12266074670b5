import { KirokuError } from '@kiroku/protocol'
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import { newEntry, type CatalogueEntry, type CreateLog } from './CatalogueEntry.ts'
import { streamName, subjectName } from './names.ts'
import { entryIn, incarnationOf } from './streamMetadata.ts'

/**
 * The catalogue entry of a log, according to its streams; undefined: it has none. Streams of older versions
 * name only the log's incarnation: then the partitions are counted, and `create` says how long the record is
 * kept. Errors: `ForeignStream`, when the streams do not belong together.
 */
export const entryOfStreams = async (
  jsm: JetStreamManager,
  log: string,
  create: CreateLog | undefined,
): Promise<CatalogueEntry | undefined> => {
  const streams = await streamsOf(jsm, log)
  const incarnations = [...new Set(streams.map(({ config }) => incarnationOf(config)!))]
  if (incarnations.length === 0) return undefined
  if (incarnations.length > 1)
    throw new KirokuError(
      'ForeignStream',
      `the streams of log "${log}" were created by several logs of that name: ${streams.map(({ config }) => `${config.name} by ${incarnationOf(config)}`).join(', ')}`,
    )
  for (const { config } of streams) {
    const entry = entryIn(config)
    if (entry !== undefined) return entry
  }
  const { config } = streams[0]!
  const numbers = streams.map(({ config: { name } }) => numberOf(log, name)!)
  return {
    ...newEntry(log, incarnations[0]!, {
      ...create,
      partitions: Math.max(...numbers) + 1,
      replicas: config.num_replicas,
      bytesMax: Math.max(0, config.max_bytes),
    }),
    complete: true,
  }
}

/** The streams that were created for a log of this name. */
const streamsOf = async (jsm: JetStreamManager, log: string): Promise<StreamInfo[]> => {
  const found: StreamInfo[] = []
  for await (const info of jsm.streams.list(subjectName(log, '*')))
    if (numberOf(log, info.config.name) !== undefined && incarnationOf(info.config) !== undefined)
      found.push(info)
  return found
}

/** The partition of a log's stream; undefined: not one of its streams. */
const numberOf = (log: string, stream: string): number | undefined => {
  const n = Number(stream.slice(stream.lastIndexOf('_') + 1))
  return stream === streamName(log, n) ? n : undefined
}
