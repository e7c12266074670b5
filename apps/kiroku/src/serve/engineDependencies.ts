import type { ApiDependencies } from '@kiroku/api'
import { bodyOf } from '@kiroku/audit'
import { answerRecord, type AuditedLog, type SharedAuditor } from '@kiroku/auditor'
import { finalizeCluster } from '@kiroku/cluster'
import type { DoorRequests } from '@kiroku/doors'
import { liveFeed } from '@kiroku/feed'
import manifest from '../../package.json' with { type: 'json' }
import { auditorMetrics } from '../auditor/auditorMetrics.ts'
import { settleFound } from '../matching/settleFound.ts'
import { describeCluster, type Nats } from './describeCluster.ts'
import { engineMetrics } from './engineMetrics.ts'
import { partitionTroubles } from './partitionTroubles.ts'
import type { RunningNode } from './startNode.ts'

/** The parts of an engine that its HTTP API needs. */
export interface EngineParts {
  readonly nats: Nats
  readonly audited: AuditedLog
  readonly running: Pick<RunningNode, 'node' | 'outages'>
  readonly client: ApiDependencies['client']
  readonly auditor: SharedAuditor
  /** To doors for clients of other systems. */
  readonly requests: DoorRequests
  /** Why the engine cannot serve; undefined: it can. Takes a second at most. */
  readonly notReady: () => Promise<string | undefined>
  readonly outage: ApiDependencies['outage']
}

/** Everything that the HTTP API needs from an engine. `close` ends the feed. */
export const engineDependencies = (
  parts: EngineParts,
): { readonly dependencies: ApiDependencies; readonly close: () => void } => {
  const { nats, audited, running, client, auditor, requests, notReady, outage } = parts
  const { log, dataDir } = audited
  const { name, incarnation, partitions } = log.meta
  const { actors } = running.node
  const feed = liveFeed({
    name: running.node.name,
    incarnation,
    partitions,
    request: (partition, commands) => running.node.request(partition, commands),
  })
  const record = answerRecord(auditor)
  const dependencies: ApiDependencies = {
    about: {
      log: name,
      incarnation,
      partitions,
      version: manifest.version,
      startedAt: Date.now(),
      pid: process.pid,
      folder: dataDir,
    },
    client,
    record,
    body: (trace) => bodyOf(log, trace),
    settleMatching: settleFound(client, record),
    feed,
    clusterStatus: async () => ({
      ...(await describeCluster(nats, name, client, outage)),
      auditor: auditor.status(),
    }),
    finalizeCluster: (by) =>
      finalizeCluster(nats, name, (partition, commands) => running.node.request(partition, commands), by),
    metrics: () => [
      ...engineMetrics(running.node),
      requests.family(),
      ...(auditor.isHere() ? auditorMetrics(auditor.status()) : []),
    ],
    owned: () => running.node.describe(),
    warnings: () => [
      ...partitionTroubles([...actors.values()].map((actor) => actor.describe())),
      ...running.outages.warnings,
    ],
    notReady,
    outage,
  }
  return { dependencies, close: () => feed.close() }
}
