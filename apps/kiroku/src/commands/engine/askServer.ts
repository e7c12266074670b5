import type { NatsOptions } from '@kiroku/nats'
import { catalogueStream } from '../../log/logAdapter.ts'
import type { Nats } from '../../serve/describeCluster.ts'
import { askAccess } from './askAccess.ts'
import type { NatsAccess } from './judgeAccess.ts'

/** What a NATS server reports of itself; undefined if this account may not know. */
export interface ServerAnswers {
  /** `always` or a duration. */
  readonly syncInterval: string | undefined
  /** Where it keeps its streams, on its machine. */
  readonly storeFolder: string | undefined
  /** Its time minus ours, in ms. */
  readonly clockSkewMs: number | undefined
  readonly access: NatsAccess
}

const askMs = 1_000

/**
 * Asks the server for its configuration (the system account only) and its time (JetStream's answers carry it), and who can
 * enter.
 */
export const askServer = async (nats: Nats, target: NatsOptions): Promise<ServerAnswers> => {
  const [varz, time, access] = await Promise.all([
    ask<Varz>(nats, '$SYS.REQ.SERVER.PING.VARZ'),
    timeOf(nats),
    askAccess(nats, target),
  ])
  const config = varz?.data?.jetstream?.config
  const syncInterval =
    config === undefined
      ? undefined
      : config.sync_always === true
        ? 'always'
        : nanoseconds(config.sync_interval)
  return { syncInterval, storeFolder: config?.store_dir, clockSkewMs: time, access }
}

interface Varz {
  readonly data?: {
    readonly jetstream?: {
      readonly config?: {
        readonly sync_always?: boolean
        readonly sync_interval?: number
        readonly store_dir?: string
      }
    }
  }
}

const timeOf = async (nats: Nats): Promise<number | undefined> => {
  const startedMs = Date.now()
  const info = await ask<{ readonly ts?: string }>(nats, `$JS.API.STREAM.INFO.${catalogueStream}`)
  if (info?.ts === undefined) return undefined
  return Date.parse(info.ts) - (startedMs + Date.now()) / 2
}

const ask = async <A>(nats: Nats, subject: string): Promise<A | undefined> => {
  try {
    return (await nats.request(subject, '', { timeout: askMs })).json<A>()
  } catch {
    return undefined
  }
}

const nanoseconds = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${value / 1e9}s`
