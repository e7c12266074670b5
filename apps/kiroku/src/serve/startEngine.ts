import { createClient, ownerFirst, type Client } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { DoorRequests, type Door } from '@kiroku/doors'
import { findOutage } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../audit/auditedLog.ts'
import { anchorsOf } from '../auditor/anchorsOf.ts'
import { engineAuditor } from '../auditor/engineAuditor.ts'
import { startConsole } from '../console/startConsole.ts'
import { catalogueStream } from '../log/logAdapter.ts'
import type { LogSetup } from '../log/openEngineLog.ts'
import { engineDependencies } from './engineDependencies.ts'
import { httpDoorOf } from './httpDoorOf.ts'
import { finalizeNewLog, joinLog } from './joinLog.ts'
import type { KeptAddress } from './keepAddress.ts'
import { logClientEvent } from './logClientEvent.ts'
import { prepareMemory } from './prepareMemory.ts'
import { Readiness } from './Readiness.ts'
import { sqsDoorsOf } from './sqsDoorsOf.ts'
import { startFirst } from './startFirst.ts'

/** How long requests under way may take to finish when the engine stops, in ms. */
const drainMs = 2_000

/** What an engine runs on. */
export interface EngineSetup extends LogSetup {
  /** Results of earlier checks: tokens, and where the HTTP API listens. */
  readonly kept: KeptAddress
  /** Waits for a NATS that is not there yet until this is aborted; absent: that is an error. */
  readonly waitsUntil?: AbortSignal
}

/** A running engine: a node of a log's cluster, with or without the HTTP API. */
export interface RunningEngine {
  readonly apiUrl: string | undefined
  /** The door for clients of Amazon SQS, and whether they sign; undefined: there is none. */
  readonly sqs: { readonly url: string; readonly hasKeys: boolean } | undefined
  /**
   * The console's address, whether it is being built, and whether it is available, once known; undefined: it
   * is off.
   */
  readonly console:
    | { readonly url: string; readonly building: () => boolean; readonly ready: Promise<boolean> }
    | undefined
  readonly partitions: number
  /** A client of the whole log. */
  readonly client: Client
  /**
   * Resolves when every partition has an owner that answers, even if only that the partition is damaged.
   * Errors: `Stopped` when `signal` is aborted.
   */
  ready(signal: AbortSignal): Promise<void>
  /** Answers requests in flight, hands the partitions over, closes everything. */
  close(): Promise<void>
}

/**
 * Wires NATS, log, node and API together. What was opened before a failure is closed again.
 * Errors: those of `joinLog` (`Stopped` while it waits), `InvalidConfig`,
 * `PortInUse` (another process took the address in between).
 */
export const startEngine = async (setup: EngineSetup): Promise<RunningEngine> => {
  const { settings, logger } = setup
  prepareMemory(settings, logger)
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse())
      await closer().catch((error: unknown) => logger('warn', 'closing failed', { error }))
  }
  try {
    const { tokens, address, release } = setup.kept
    closers.push(release)
    // What is wrong with its settings is found before partitions move here.
    const sqs = sqsDoorsOf(settings, tokens)
    for (const stopFollowing of [setup.kept.follow(logger), sqs?.follow(logger)])
      closers.push(() => Promise.resolve(stopFollowing?.()))
    const pages = address === undefined || settings.console === 'off' ? undefined : startConsole(logger)
    if (pages !== undefined) closers.push(() => pages.close())
    const joined = await joinLog(
      setup,
      setup.waitsUntil && { signal: setup.waitsUntil, onWait: (reason) => setup.kept.waitsFor(reason) },
    )
    closers.push(() => joined.close())
    const { nats, connection, log, running } = joined
    const client = createClient(
      // No node listens to another.
      ownerFirst(running.owners, natsTransport(nats, { log: log.meta.name, link: 'off' })),
      { name: `api-${process.pid}`, onEvent: logClientEvent(logger) },
    )
    closers.push(() => client.close())
    const audited = auditedLog(log, settings.dataDir)
    const auditor = await engineAuditor({
      nats,
      node: running.node.name,
      isConnected: connection.up,
      mayRun: settings.audit === 'on',
      opens: {
        nats: setup.nats,
        log: log.meta.name,
        dataDir: audited.dataDir,
        ...anchorsOf(settings),
      },
      logger,
    })
    closers.push(() => auditor.close())
    let stopping = false
    const readiness = new Readiness({
      nowMs: () => performance.now(),
      beatAtMs: running.beatAtMs,
      deadAfterMs: running.deadAfterMs,
      outages: running.outages,
      isConnected: connection.up,
      ask: () => findOutage(nats, readyCheckMs, catalogueStream),
    })
    const notReady = async () => (stopping ? 'stopping' : readiness.notReady())
    const outage = () => readiness.outage()
    const requests = new DoorRequests()
    const parts = { nats, audited, running, client, auditor, requests, notReady, outage }
    const { dependencies, close: closeFeed } = engineDependencies(parts)
    closers.push(() => Promise.resolve(closeFeed()))
    const http = httpDoorOf({ settings, kept: setup.kept, dependencies, pages, logger })
    await release()
    const openFirst = async (doors: readonly Door[]): Promise<string | undefined> => {
      const open = await startFirst(doors, {
        client,
        tokens,
        drainMs,
        outage,
        requests,
        onDefect: (error, request) => logger('error', 'request failed', { request, error }),
        onRefused: ({ origin, id, message, count }) =>
          logger('warn', 'request refused', { from: origin, error: id, why: message, count }),
      })
      if (open !== undefined) closers.push(() => open.close())
      return open?.url
    }
    const apiUrl = await openFirst(http === undefined ? [] : [http])
    const sqsUrl = await openFirst(sqs?.doors ?? [])
    return {
      apiUrl,
      sqs: sqsUrl === undefined ? undefined : { url: sqsUrl, hasKeys: sqs!.hasKeys },
      console:
        pages === undefined || apiUrl === undefined
          ? undefined
          : { url: `${apiUrl}/`, building: pages.building, ready: pages.ready },
      partitions: log.meta.partitions,
      client,
      ready: async (signal) => {
        while ((await running.silent()) > 0)
          if (signal.aborted) throw new KirokuError('Stopped', 'stopped before every partition had an owner')
          else await new Promise((resolve) => setTimeout(resolve, readyPollMs))
        if (joined.isNew) await finalizeNewLog(joined, logger)
        readiness.completed()
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

/** How often it is looked whether all partitions have answered, in ms; NATS is not asked as often. */
const readyPollMs = 20

/** How long JetStream may take to say why this node is not ready, in ms. */
const readyCheckMs = 800
