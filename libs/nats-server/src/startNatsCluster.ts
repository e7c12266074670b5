import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Access } from '@kiroku/nats-access'
import { startServer, type Server } from './startServer.ts'

/** Nats-servers of one machine that form one JetStream cluster. */
export interface NatsCluster {
  readonly servers: readonly Server[]
  /** The address of each. */
  readonly urls: readonly string[]
  /** Ends all of them. */
  stop(): Promise<void>
}

/** Settings of {@link startNatsCluster}. */
export interface NatsClusterOptions {
  /** Ports on loopback of each server: for clients, 0 for a free one, and for the other servers. */
  readonly ports: readonly { readonly clients: number; readonly servers: number }[]
  /** Where each has a folder, `n1`, `n2` and so on, kept at `stop`. Temporary folders when left out. */
  readonly dataDir?: string
  /** The keys without which nobody enters; absent: they are open to every user of this machine. */
  readonly access?: Access
}

/**
 * Starts nats-servers on loopback that form one JetStream cluster, and live at most as long as this process. Their
 * JetStream has no leader yet: wait for what you need.
 *
 * @throws KirokuError `PortInUse`, `NatsServerMissing`, `NatsTooOld`, `NatsUnreachable`
 */
export const startNatsCluster = async ({
  ports,
  dataDir,
  access,
}: NatsClusterOptions): Promise<NatsCluster> => {
  // What connects as another server is told everything, so these need a secret among them too.
  const password = randomBytes(24).toString('hex')
  const routes = ports.map(({ servers }) => `nats://server:${password}@127.0.0.1:${servers}`).join(', ')
  const authorization = `authorization { user: server, password: "${password}" }`
  const started = await Promise.allSettled(
    ports.map((port, i) =>
      startServer({
        serverName: `n${i + 1}`,
        port: port.clients,
        extraConfig: `cluster { name: kiroku, listen: "127.0.0.1:${port.servers}", ${authorization}, routes: [${routes}] }`,
        ...(access === undefined ? {} : { access }),
        ...(dataDir === undefined ? {} : { dataDir: join(dataDir, `n${i + 1}`) }),
      }),
    ),
  )
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  const failed = started.find((each) => each.status === 'rejected')
  if (failed === undefined) return { servers, urls: servers.map(({ url }) => url), stop }
  await stop()
  throw failed.reason
}
