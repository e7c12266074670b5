import { hostname } from 'node:os'
import type { LocalOwners } from '@kiroku/client'
import { placement, type PlacementEvent, refuseNewerLog } from '@kiroku/cluster'
import { Node, noteFilesIn, TailNotes, type ActorState } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { answerDirectory, requestCommands, serveCommands, type CommandServing } from '@kiroku/nats'
import { type Answer, featureLevel, KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import manifest from '../../package.json' with { type: 'json' }
import { lostLogs, tailsFolder } from '../audit/tailsOf.ts'
import type { Logger } from './Logger.ts'
import { Outages } from './Outages.ts'
import type { Nats } from './describeCluster.ts'
import { memoryMax } from './memoryMax.ts'
import { startLink } from './startLink.ts'
import type { Connection } from './watchConnection.ts'

/** How long a command to another node's partition may take, in ms. */
const routeTimeoutMs = 10_000

/** How long a partition may take to answer a ping, in ms. */
const answerTimeoutMs = 2_000

/** Shortest and longest pause before silent partitions are asked again, in ms. */
const askPauseMsMin = 20
const askPauseMsMax = 500

/** What a node runs on. */
export interface NodeSetup {
  readonly nats: Nats
  readonly connection: Connection
  readonly log: Log
  /** Folder of the node's tail notes. */
  readonly dataDir: string
  readonly logger: Logger
  /** Time without a heartbeat after which a node counts as dead, in ms; undefined: as the log has it. */
  readonly deadAfterMs: number | undefined
  /** Its share of the partitions, relative to the others'. */
  readonly weight: number
  /** Where it stands; empty: it does not say. */
  readonly zone: string
  /** Whether clients on this machine may reach its partitions without NATS. */
  readonly link: 'on' | 'off'
  /** Whether it follows partitions of others, to take them over. */
  readonly isStandby: boolean
}

/** A node that takes part in a log's cluster. */
export interface RunningNode {
  readonly node: Node
  /** The partitions that are served here, for clients in this process. */
  readonly owners: LocalOwners
  /** Its partitions that are down. */
  readonly outages: Pick<Outages, 'notReady' | 'hasServed' | 'warnings'>
  /** When its last heartbeat that was stored was sent, in monotonic ms. */
  readonly beatAtMs: () => number
  /** Time without a heartbeat after which a node of this log counts as dead, in ms. */
  readonly deadAfterMs: number
  /**
   * How many partitions no owner has answered for yet, here or elsewhere. Those of others are asked, less and less often,
   * until they have. A damaged one answers that it is closed.
   */
  silent(): Promise<number>
  /** Hands every partition over and leaves the cluster. */
  close(): Promise<void>
}

/**
 * Joins the nodes of a log: runs the actors of the partitions that fall to this process, and serves their commands.
 * Errors: `FutureVersion` (the log is of a cluster version that this node does not read), and those of `placement`.
 */
export const startNode = async (setup: NodeSetup): Promise<RunningNode> => {
  const { nats, connection, log, dataDir, logger, deadAfterMs, weight, zone, isStandby } = setup
  const { meta } = log
  for (const { incarnation, lastSeq } of lostLogs(dataDir, log))
    logger('error', 'this is not the log that this node wrote to: `kiroku doctor` says more', {
      log: meta.name,
      incarnation,
      lastSeq,
    })
  const servings = new Map<number, CommandServing>()
  /** Tell the placement that a partition has arrived. */
  const arrivals = new Map<number, () => void>()
  const silent = new Set(Array.from({ length: meta.partitions }, (_, partition) => partition))
  let askAtMs = -Infinity
  let askPauseMs = askPauseMsMin
  const outages = new Outages(() => performance.now())
  const requester = requestCommands(nats, { log: meta.name })
  await refuseNewerLog(meta.partitions, (partition, commands) =>
    requester.request(partition, commands, { timeoutMs: answerTimeoutMs }),
  ).catch((error: unknown) => {
    requester.close()
    throw error
  })
  const node: Node = new Node({
    log,
    name: `${hostname()}-${process.pid}`,
    memoryBytes: memoryMax(),
    remote: (partition, commands) => requester.request(partition, commands, { timeoutMs: routeTimeoutMs }),
    tailNotes: new TailNotes(noteFilesIn(tailsFolder(dataDir)), meta.incarnation, meta.name, (file) =>
      logger('warn', 'note of the end ignored', { file, why: 'it is damaged; the next one replaces it' }),
    ),
    onTrouble: (partition, what) => logger('warn', 'partition trouble', { partition, what }),
    onMemoryFull: (reason) => logger('warn', 'memory is full', { reason }),
    onState: (partition, state, epoch, reason) => {
      logger(levelOf(state, epoch), 'partition', { partition, state, epoch, reason })
      outages.changed(partition, state, reason)
      const isServing = state === 'Active' || state === 'Quarantined'
      // While it waits for its turn to load, what is asked of it tells how urgent that is.
      if ((isServing || state === 'Recovering') && !servings.has(partition))
        servings.set(partition, serve(partition))
      if (!isServing) return
      arrivals.get(partition)?.()
      silent.delete(partition)
      if (state === 'Active') servings.get(partition)?.announce(epoch)
    },
  })
  const at = (partition: number): CommandServing | undefined => {
    const life = node.actors.get(partition)?.life
    // While starting or stopping, an actor refuses everything; by then there may be another owner.
    return life === 'Active' || life === 'Quarantined' ? servings.get(partition) : undefined
  }
  const link =
    setup.link === 'off'
      ? undefined
      : await startLink({ dataDir, log: meta.name, nats, connection, logger, at })
  const serve = (partition: number): CommandServing =>
    serveCommands(nats, {
      log: meta.name,
      partition,
      link: link?.address,
      handle: (commands) => {
        const actor = node.actors.get(partition)
        if (actor === undefined)
          return Promise.reject(new KirokuError('NotOwner', `partition ${partition} was handed over`))
        return actor.request(commands)
      },
      undelivered: (items) => {
        for (const item of items) node.actors.get(partition)?.undelivered(item)
      },
      onDefect: (error) => logger('error', 'command failed', { partition, error }),
    })
  const stopping = new Set<Promise<void>>()
  /** What was asked is still answered; the next owner need not wait for that. */
  const stopServing = (partition: number) =>
    Effect.sync(() => {
      const serving = servings.get(partition)
      servings.delete(partition)
      if (serving === undefined) return
      const stopped = serving.stop().finally(() => stopping.delete(stopped))
      stopping.add(stopped)
    })

  const scope = await Effect.runPromise(Scope.make())
  const { beatAtMs, ttlMs } = await Effect.runPromise(
    Scope.provide(
      placement({
        nc: nats,
        log: meta.name,
        partitions: meta.partitions,
        replicas: meta.replicas,
        build: { version: manifest.version, featureLevel },
        weight,
        zone,
        ...(deadAfterMs === undefined ? {} : { heartbeatTtlMs: deadAfterMs }),
        run: (partition, lease, serving) => {
          arrivals.set(partition, serving)
          outages.owned(partition, lease)
          return Effect.addFinalizer(() => stopServing(partition)).pipe(
            Effect.andThen(node.run(partition, lease)),
          )
        },
        loadAhead: (partition) => node.loadAhead(partition),
        taking: (partition) => node.expect(partition),
        ...(isStandby ? { reached: (partition) => node.ahead.get(partition)?.reachedSeq } : {}),
        onEvent: ({ kind, partition, reason }) => {
          logger(levelOfPlacement(kind), `placement ${kind}`, {
            partition,
            reason,
          })
          if (partition === undefined) return
          if (kind === 'restarted') outages.failed(partition, reason)
          else if (kind === 'lost' || kind === 'released') outages.left(partition)
        },
      }),
      scope,
    ),
  ).catch(async (error: unknown) => {
    await link?.close()
    throw error
  })
  const stopTelling = answerDirectory(nats, meta.name, {
    incarnation: meta.incarnation,
    partitions: meta.partitions,
  })
  return {
    node,
    owners: {
      request: (partition, commands) =>
        // Without NATS nothing can be stored, and the transport over NATS says so at once.
        connection.up() ? at(partition)?.request(commands) : undefined,
    },
    outages,
    beatAtMs,
    deadAfterMs: ttlMs,
    silent: async () => {
      if (performance.now() < askAtMs) return silent.size
      askAtMs = performance.now() + askPauseMs
      askPauseMs = Math.min(2 * askPauseMs, askPauseMsMax)
      await Promise.allSettled(
        [...silent].map(async (partition) => {
          const command = { type: 'DescribePartition' } as const
          const { answers } = await requester.request(partition, [command], { timeoutMs: answerTimeoutMs })
          if (isAnswer(answers[0])) silent.delete(partition)
        }),
      )
      return silent.size
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await Promise.all(stopping)
      await link?.close()
      stopTelling()
      requester.close()
    },
  }
}

/** Partitions come and go in every placement. */
const levelOfPlacement = (kind: PlacementEvent['kind']): 'debug' | 'info' | 'warn' => {
  switch (kind) {
    case 'acquired':
    case 'released':
    case 'restarted':
      return 'debug'
    case 'recovered':
      return 'info'
    case 'lost':
    case 'refused':
    case 'trouble':
      return 'warn'
  }
}

const isAnswer = (answer: Answer | undefined): boolean =>
  answer !== undefined && (answer.error === undefined || answer.error.id === 'Quarantined')

const levelOf = (state: ActorState, epoch: number): 'debug' | 'info' | 'warn' | 'error' => {
  if (state === 'Quarantined') return 'error'
  // An owner that fences again has to restart, which its clients notice.
  if (state === 'Fenced' || (state === 'Fencing' && epoch > 0)) return 'warn'
  return state === 'Active' || state === 'Released' ? 'info' : 'debug'
}
