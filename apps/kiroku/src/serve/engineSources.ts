import { resolve } from 'node:path'
import type { ApiSources } from '@kiroku/api'
import { bodyOf } from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import manifest from '../../package.json' with { type: 'json' }
import { lookOptions } from '../audit/lookOptions.ts'
import { lookHere, lookSource } from '../audit/lookSource.ts'
import { traceMessage } from '../audit/traceMessage.ts'
import { askOrHere } from '../auditor/askOrHere.ts'
import { auditorMetrics } from '../auditor/auditorMetrics.ts'
import { searchSource } from '../auditor/searchSource.ts'
import type { RunningAuditor } from '../auditor/startAuditor.ts'
import { lettersHere, letterSource } from '../dlq/letterSource.ts'
import { feedSource } from '../feed/feedSource.ts'
import { matchingSource } from '../matching/matchingSource.ts'
import { describeCluster, type Nats } from './describeCluster.ts'
import { engineMetrics } from './engineMetrics.ts'
import { partitionTroubles } from './partitionTroubles.ts'
import type { RunningNode } from './startNode.ts'

/** What an engine runs, as its HTTP API needs it. */
export interface EngineParts {
  readonly nats: Nats
  readonly log: Log
  readonly dataDir: string
  readonly running: Pick<RunningNode, 'node' | 'outages'>
  readonly client: ApiSources['client']
  readonly auditor: RunningAuditor | undefined
  /** Why the engine as a whole does not serve; undefined: it does. */
  readonly notServing: () => string | undefined
}

/** Everything that the HTTP API asks an engine for. `close` ends the feed. */
export const engineSources = (
  parts: EngineParts,
): { readonly sources: ApiSources; readonly close: () => void } => {
  const { nats, log, dataDir, running, client, auditor, notServing } = parts
  const { name, incarnation, partitions } = log.meta
  const { actors } = running.node
  const feed = feedSource(running.node)
  const search = searchSource(log, dataDir, auditor)
  const options = () => lookOptions(log, dataDir)
  const sources: ApiSources = {
    about: {
      log: name,
      incarnation,
      partitions,
      version: manifest.version,
      startedAt: Date.now(),
      pid: process.pid,
      folder: resolve(dataDir),
    },
    client,
    trace: (messageId) =>
      askOrHere(auditor, 'trace', { messageId }, () => traceMessage(log, dataDir, messageId)),
    body: (trace) => bodyOf(log, trace),
    search,
    settleMatching: matchingSource(client, search),
    feed,
    look: lookSource(lookHere(log, options), auditor),
    deadLetters: letterSource(lettersHere(log, options), auditor),
    clusterStatus: async () => ({
      ...(await describeCluster(nats, name, client)),
      ...(auditor === undefined ? {} : { auditor: auditor.status() }),
    }),
    metrics: () => [
      ...engineMetrics(actors.values()),
      ...(auditor === undefined ? [] : auditorMetrics(auditor.status())),
    ],
    ownedPartitions: () => new Set(actors.keys()),
    warnings: () => [
      ...partitionTroubles([...actors.values()].map((actor) => actor.describe())),
      ...running.outages.warnings,
    ],
    notReady: () => notServing() ?? running.outages.notReady,
  }
  return { sources, close: () => feed.close() }
}
