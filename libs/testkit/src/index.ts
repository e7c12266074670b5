/**
 * Owns what tests share: real servers, temporary folders, controlled time, waiting for a condition. Never imported
 * by what ships; benchmarks, which do not ship, find their browser (`/chromium`) and ports (`/free-port`)
 * here. Talks to `@kiroku/nats-server` and vitest.
 */
export { freePort } from './freePort.ts'
export { startNatsCluster } from './startNatsCluster.ts'
export type { NatsCluster } from '@kiroku/nats-server'
export { startTestNats, withNats } from './withNats.ts'
export { SmallDisk } from './SmallDisk.ts'
export { ManualTime } from './ManualTime.ts'
export { temporaryFolder, type TemporaryFolder } from './temporaryFolder.ts'
export { waitUntil } from './waitUntil.ts'
