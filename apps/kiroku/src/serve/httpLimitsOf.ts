import { httpLimitsDefault, type HttpLimits } from '@kiroku/doors'
import type { Settings } from '../config/settings.ts'

/** The limits of the HTTP API by the settings. */
export const httpLimitsOf = (settings: Settings): HttpLimits => ({
  ...httpLimitsDefault,
  connectionsMax: settings.httpConnections,
  requestsMax: settings.httpRequests,
  bytesMax: settings.httpBytes,
  headerMs: settings.httpHeaderTime,
  requestMs: settings.httpRequestTime,
  idleMs: settings.httpIdleTime,
})
