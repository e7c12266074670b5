import { resolve as resolvePath } from 'node:path'
import { startApi } from '@kiroku/api'
import { bodyOf, type Trace } from '@kiroku/audit'
import { createClient, ownerFirst, type Client } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { openLog, type Disk } from '@kiroku/log-jetstream'
import { connect, type NatsOptions } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import manifest from '../../package.json' with { type: 'json' }
import { lookOptions } from '../audit/lookOptions.ts'
import { lookHere, lookSource } from '../audit/lookSource.ts'
import { traceMessage } from '../audit/traceMessage.ts'
import { askOrHere } from '../auditor/askOrHere.ts'
import { auditorMetrics } from '../auditor/auditorMetrics.ts'
import { searchSource } from '../auditor/searchSource.ts'
import { startAuditor } from '../auditor/startAuditor.ts'
import type { Settings } from '../config/settings.ts'
import { consoleMode } from '../console/consoleMode.ts'
import { startConsole } from '../console/startConsole.ts'
import { lettersHere, letterSource } from '../dlq/letterSource.ts'
import { feedSource } from '../feed/feedSource.ts'
import { matchingSource } from '../matching/matchingSource.ts'
import type { Logger } from './Logger.ts'
import { describeCluster } from './describeCluster.ts'
import { engineMetrics } from './engineMetrics.ts'
import { logClientEvent } from './logClientEvent.ts'
import type { Door } from './openDoor.ts'
import { partitionTroubles } from './partitionTroubles.ts'
import { describeLimits, recordLimits, recordTooLarge } from './recordLimits.ts'
import { startNode } from './startNode.ts'
import { watchConnection } from './watchConnection.ts'

/** How long HTTP requests under way may take to finish when the engine stops, in ms. */
const httpDrainMs = 2_000

/** What an engine runs on. */
export interface EngineSetup {
  readonly nats: NatsOptions
  /** The disk of NATS, where it is known. */
  readonly disk?: () => Disk | undefined
  readonly settings: Settings
  readonly logger: Logger
  /** What was checked before: tokens, and where the HTTP API listens. */
  readonly door: Door
  /** Told in a line what is worth to know meanwhile. */
  readonly note: (line: string) => void
}

/** A running engine: a node of a log's cluster, with or without the HTTP API. */
export interface RunningEngine {
  readonly apiUrl: string | undefined
  /** Where the console is, whether it is being built now, and whether it is there, once that is known; undefined: it is off. */
  readonly console:
    { readonly url: string; readonly building: () => boolean; readonly ready: Promise<boolean> } | undefined
  readonly partitions: number
  /** A client of the whole log. */
  readonly client: Client
  /** Resolves when every partition has an owner that answers, be it that the partition is damaged. Errors: `Stopped` when `signal` is aborted. */
  ready(signal: AbortSignal): Promise<void>
  /** Answers what is under way, hands the partitions over, closes everything. */
  close(): Promise<void>
}

/**
 * Wires NATS, log, node and API together. What was opened before a failure is closed again.
 * Errors: `NatsUnreachable`, `NatsTooOld`, `JetStreamDisabled`, `ForeignStream`, `StorageFull`, `InvalidConfig`,
 * `PortInUse` (another process took the address in between).
 */
export const startEngine = async (setup: EngineSetup): Promise<RunningEngine> => {
  const { settings, logger } = setup
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse())
      await closer().catch((error: unknown) => logger('warn', 'closing failed', { error }))
  }
  try {
    const { tokens, address, release } = setup.door
    closers.push(release)
    const pages = address === undefined || settings.console === 'off' ? undefined : startConsole(logger)
    if (pages !== undefined) closers.push(() => pages.close())
    const [nats, reader] = await Promise.all([connect(setup.nats), connect(setup.nats)])
    closers.push(
      () => nats.close(),
      () => reader.close(),
    )
    const limits = recordLimits(settings)
    let isNew = false
    const log = await openLog(nats, {
      name: settings.log,
      create: {
        partitions: settings.partitions,
        replicas: settings.replicas,
        ...limits,
      },
      record: limits,
      onChanged: (before, now) => {
        for (const line of describeLimits(before, now)) setup.note(line)
      },
      onMade: () => (isNew = true),
      reader,
      onHealed: (what) => logger('warn', what, { log: settings.log }),
      disk: async () => setup.disk?.(),
    })
    closers.push(() => log.close())
    const tooLarge = isNew ? recordTooLarge(log.meta, await log.room()) : undefined
    if (tooLarge !== undefined) setup.note(tooLarge)
    const running = await startNode({ nats, log, dataDir: settings.dataDir, logger })
    closers.push(() => running.close())
    const connection = watchConnection(nats)
    const client = createClient(
      ownerFirst(
        {
          // Without NATS nothing can be stored, and the way over it says so at once.
          request: (partition, commands) =>
            connection.up() ? running.owners.request(partition, commands) : undefined,
        },
        natsTransport(nats, { log: log.meta.name }),
      ),
      { name: `api-${process.pid}`, onEvent: logClientEvent(logger) },
    )
    closers.push(() => client.close())
    const auditor =
      settings.audit === 'off'
        ? undefined
        : startAuditor(
            { nats: setup.nats, log: log.meta.name, dataDir: resolvePath(settings.dataDir) },
            logger,
          )
    if (auditor !== undefined) closers.push(() => auditor.close())
    const feed = feedSource(running.node)
    closers.push(() => Promise.resolve(feed.close()))
    let stopping = false
    const { name, incarnation, partitions } = log.meta
    const search = searchSource(log, settings.dataDir, auditor)
    const sources = {
      about: {
        log: name,
        incarnation,
        partitions,
        version: manifest.version,
        startedAt: Date.now(),
        pid: process.pid,
        folder: resolvePath(settings.dataDir),
      },
      client,
      trace: (messageId: string) =>
        askOrHere(auditor, 'trace', { messageId }, () => traceMessage(log, settings.dataDir, messageId)),
      body: (trace: Trace) => bodyOf(log, trace),
      search,
      settleMatching: matchingSource(client, search),
      feed,
      look: lookSource(
        lookHere(log, () => lookOptions(log, settings.dataDir)),
        auditor,
      ),
      deadLetters: letterSource(
        lettersHere(log, () => lookOptions(log, settings.dataDir)),
        auditor,
      ),
      clusterStatus: async () => ({
        ...(await describeCluster(nats, log.meta.name, client)),
        ...(auditor === undefined ? {} : { auditor: auditor.status() }),
      }),
      metrics: () => [
        ...engineMetrics(running.node.actors.values()),
        ...(auditor === undefined ? [] : auditorMetrics(auditor.status())),
      ],
      ownedPartitions: () => new Set(running.node.actors.keys()),
      warnings: () => {
        const partitions = [...running.node.actors.values()].map((actor) => actor.describe())
        return [...partitionTroubles(partitions), ...running.outages.warnings]
      },
      notReady: () => {
        if (stopping) return 'stopping'
        return connection.up() ? running.outages.notReady : 'no connection to NATS'
      },
    }
    await release()
    const api =
      address === undefined
        ? undefined
        : await startApi(sources, {
            ...address,
            ...(pages === undefined
              ? {}
              : { console: { ...pages, isReadOnly: consoleMode(settings, address.host) !== 'on' } }),
            tokens,
            bodyBytesMax: settings.httpBody,
            drainMs: httpDrainMs,
            onReveal: ({ by, ...what }) =>
              logger('info', 'hidden body revealed', { ...what, by: by.name, from: by.origin }),
            onDefect: (error, request) => logger('error', 'request failed', { request, error }),
          })
    if (api !== undefined) closers.push(() => api.close())
    return {
      apiUrl: api?.url,
      console:
        pages === undefined || api === undefined
          ? undefined
          : { url: `${api.url}/`, building: pages.building, ready: pages.ready },
      partitions: log.meta.partitions,
      client,
      ready: async (signal) => {
        while ((await running.answering()) < log.meta.partitions)
          if (signal.aborted) throw new KirokuError('Stopped', 'stopped before every partition had an owner')
          else await new Promise((resolve) => setTimeout(resolve, readyPollMs))
      },
      close: () => {
        stopping = true
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

const readyPollMs = 20
