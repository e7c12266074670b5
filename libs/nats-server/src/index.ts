/**
 * Owns the nats-server program: finding or fetching it, its configuration, and its life as our child. Never speaks
 * the NATS protocol and knows nothing of streams. Talks to nobody but the operating system.
 */
export { diskBehind } from './diskBehind.ts'
export { ensureNatsServer, type EnsureOptions, type FoundNatsServer } from './ensureNatsServer.ts'
export { managedFolderOf } from './ManagedState.ts'
export { managedStatus, type ManagedStatus } from './managedStatus.ts'
export { startManaged, type ManagedServer, type StartManagedOptions } from './startManaged.ts'
export { startNatsCluster, type NatsCluster, type NatsClusterOptions } from './startNatsCluster.ts'
export { startServer, type Server, type StartServerOptions } from './startServer.ts'
