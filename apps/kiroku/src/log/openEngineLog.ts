import { openLog, type Disk } from './logAdapter.ts'
import { connect, type NatsOptions } from '@kiroku/nats'
import type { Settings } from '../config/settings.ts'
import type { Logger } from '../serve/Logger.ts'
import type { Nats } from '../serve/describeCluster.ts'
import { describeIgnored } from './describeIgnored.ts'
import { describeLimits, recordLimits, recordTooLarge } from './recordLimits.ts'

/** Options of opening a log. */
export interface LogSetup {
  readonly nats: NatsOptions
  /** The disk of NATS, where it is known. */
  readonly disk?: () => Disk | undefined
  readonly settings: Settings
  readonly logger: Logger
  /** Called with one-line notes about the log. */
  readonly note: (line: string) => void
}

/** An open log, with the connection that an engine shares. */
export interface EngineLog {
  readonly nats: Nats
  readonly log: Awaited<ReturnType<typeof openLog>>
  /** It was made just now. */
  readonly isNew: boolean
}

/**
 * Connects to NATS and opens the log of an engine, or creates it. What is opened is passed to `opened`, so
 * that it is closed even if the rest fails. Errors: those of `connect` and `openLog`.
 */
export const openEngineLog = async (
  { nats: options, disk, settings, logger, note }: LogSetup,
  opened: (close: () => Promise<unknown>) => void,
): Promise<EngineLog> => {
  const nats = await connect(options)
  opened(() => nats.close())
  const reader = await connect(options)
  opened(() => reader.close())
  const limits = recordLimits(settings)
  let isNew = false
  const log = await openLog(nats, {
    name: settings.log,
    create: { partitions: settings.partitions, replicas: settings.replicas, ...limits },
    record: limits,
    onChanged: (before, now) => {
      for (const line of describeLimits(before, now)) note(line)
    },
    onMade: () => (isNew = true),
    reader,
    onHealed: (what) => logger('warn', what, { log: settings.log }),
    disk: async () => disk?.(),
  })
  opened(() => log.close())
  for (const line of describeIgnored(settings, log.meta)) note(line)
  const tooLarge = isNew ? recordTooLarge(log.meta, await log.room()) : undefined
  if (tooLarge !== undefined) note(tooLarge)
  return { nats, log, isNew }
}
