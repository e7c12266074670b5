/**
 * The native HTTP door. Owns the API's definition, its OpenAPI page, health and metrics.
 * Knows nothing of NATS or the engine's inside; talks to a `@kiroku/client`, whatever its transport.
 */
export { httpDoor } from './httpDoor.ts'
export { startApi, type ApiOptions } from './startApi.ts'
export type { ConsolePages } from './console/ConsolePages.ts'
export { waitingPage } from './console/waitingPage.ts'
export type { ApiDependencies, MatchingQuestion, SettleMatching } from './ApiDependencies.ts'

export { queueMetrics } from './metrics/queueMetrics.ts'
