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
  /** Folder of one server, by its place in `ports`, instead of the one in `dataDir`. */
  readonly folders?: Readonly<Record<number, string>>
  /** The keys without which nobody enters; absent: they are open to every user of this machine. */
  readonly access?: Access
  /**
   * The port by which one server reaches another, by their places in `ports`, for what stands between them; servers and
   * clients hear of no other way then. Left out: the other's own.
   */
  readonly between?: (from: number, to: number) => number
}

/** Told to other servers where they must not connect by themselves. */
const nowhere = '127.0.0.1:1'

/**
 * Starts nats-servers on loopback that form one JetStream cluster, and live at most as long as this process. Their
 * JetStream has no leader yet: wait for what you need.
 *
 * @throws KirokuError `PortInUse`, `NatsServerMissing`, `NatsTooOld`, `NatsUnreachable`
 */
export const startNatsCluster = async ({
  ports,
  dataDir,
  folders = {},
  access,
  between,
}: NatsClusterOptions): Promise<NatsCluster> => {
  // What connects as another server is told everything, so these need a secret among them too.
  const password = randomBytes(24).toString('hex')
  const authorization = `authorization { user: server, password: "${password}" }`
  const route = (port: number): string => `nats://server:${password}@127.0.0.1:${port}`
  const clusterConfig = (from: number): string => {
    const routes = ports.flatMap(({ servers }, to) => {
      if (between === undefined) return [route(servers)]
      return from === to ? [] : [route(between(from, to))]
    })
    const only = between === undefined ? '' : `, no_advertise: true, advertise: "${nowhere}"`
    const listen = `listen: "127.0.0.1:${ports[from]!.servers}"`
    return `cluster { name: kiroku, ${listen}, ${authorization}, routes: [${routes.join(', ')}]${only} }`
  }
  const folderOf = (i: number): string | undefined =>
    folders[i] ?? (dataDir === undefined ? undefined : join(dataDir, `n${i + 1}`))
  const started = await Promise.allSettled(
    ports.map((port, i) => {
      const folder = folderOf(i)
      return startServer({
        serverName: `n${i + 1}`,
        port: port.clients,
        extraConfig: clusterConfig(i),
        ...(access === undefined ? {} : { access }),
        ...(folder === undefined ? {} : { dataDir: folder }),
      })
    }),
  )
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  const failed = started.find((each) => each.status === 'rejected')
  if (failed === undefined) return { servers, urls: servers.map(({ url }) => url), stop }
  await stop()
  throw failed.reason
}
