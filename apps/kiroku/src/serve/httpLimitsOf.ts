import { httpLimitsDefault, type HttpLimits } from '@kiroku/doors'
import type { Settings } from '../config/settings.ts'
import { memoryMax } from './memoryMax.ts'

/** What an engine needs besides the connections to its API: NATS, links, the index, its log. */
const otherFiles = 100

/** The most of a process's memory that the bodies of requests take. */
const memoryShare = 1 / 8

/**
 * The limits of the HTTP API by the settings.
 * @param openFilesMax of the process; undefined: not known
 * @param memoryBytes that the process may take
 */
export const httpLimitsOf = (
  settings: Settings,
  openFilesMax = Infinity,
  memoryBytes = memoryMax(),
): HttpLimits => ({
  ...httpLimitsDefault,
  // Beyond what it may open, a process closes connections without a word, and has no file left for anything else.
  connectionsMax: Math.max(1, Math.min(settings.httpConnections, openFilesMax - otherFiles)),
  requestsMax: settings.httpRequests,
  bytesMax: Math.min(settings.httpBytes, memoryBytes * memoryShare),
  headerMs: settings.httpHeaderTime,
  requestMs: settings.httpRequestTime,
  idleMs: settings.httpIdleTime,
})
