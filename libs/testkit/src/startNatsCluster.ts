import { startServer, type Server } from '@kiroku/nats-server'
import { freePort } from './freePort.ts'

/** Nats-servers that form one JetStream cluster. */
export interface NatsCluster {
  readonly servers: readonly Server[]
  /** The address of each. */
  readonly urls: readonly string[]
  stop(): Promise<void>
}

/**
 * Starts a cluster of three real nats-servers; the caller stops it. Their JetStream has no leader yet: wait for what the
 * test needs.
 */
export const startNatsCluster = async (): Promise<NatsCluster> => {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ')
  const servers = await Promise.all(
    ports.map((port, i) =>
      startServer({
        serverName: `n${i}`,
        extraConfig: `cluster { name: three, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      }),
    ),
  )
  return {
    servers,
    urls: servers.map(({ url }) => url),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  }
}
