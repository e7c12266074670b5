import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, unlink } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { KirokuError } from '@kiroku/protocol'
import { LinkedClient, type LinkedOwners } from './LinkedClient.ts'
import { isSocketName, nodeOf } from './address.ts'
import { addressBytesMax, connectionsMax, drainMs } from './limits.ts'

/** What a node serves over its links. */
export interface LinkService extends LinkedOwners {
  readonly log: string
  /** The largest request, as over NATS. */
  readonly requestBytesMax: number
  /** How long a connection may take to greet, in ms; default 2,000. */
  readonly greetingTimeoutMs?: number
  /** Called with a connection that broke the rules, and why. */
  readonly onTrouble: (what: string) => void
  readonly onDefect: (error: unknown) => void
}

/** The socket of one node, on which clients of the same machine reach the partitions that it owns. */
export class LinkServer {
  /** The absolute path of the socket. */
  readonly address: string
  readonly #server: net.Server
  readonly #clients = new Set<LinkedClient>()

  private constructor(address: string, service: LinkService) {
    this.address = address
    const expected = { log: service.log, node: nodeOf(address)! }
    this.#server = net.createServer({ pauseOnConnect: true }, (socket) => {
      if (this.#clients.size >= connectionsMax) {
        socket.destroy()
        return
      }
      const client = new LinkedClient(socket, expected, service)
      this.#clients.add(client)
      void client.closed.then(() => this.#clients.delete(client))
    })
  }

  /**
   * Listens on a socket of its own in a folder that only this user can enter, and removes the sockets of processes that are
   * gone. Errors: `InvalidArgument` (the path is too long for a socket), and those of the file system.
   */
  static async start(folder: string, service: LinkService): Promise<LinkServer> {
    const address = path.join(path.resolve(folder), `${randomBytes(8).toString('hex')}.sock`)
    if (Buffer.byteLength(address) > addressBytesMax)
      throw new KirokuError(
        'InvalidArgument',
        `${address} is longer than the ${addressBytesMax} bytes that a socket's path may have`,
      )
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await removeStale(folder)
    const link = new LinkServer(address, service)
    await new Promise<void>((resolve, reject) => {
      link.#server.once('error', reject)
      link.#server.listen(address, resolve)
    })
    await chmod(address, 0o600)
    return link
  }

  /** Ends all links at once; clients may come again. */
  disconnect(): void {
    for (const client of this.#clients) client.disconnect()
  }

  /** Takes no more clients, lets the replies out that are on their way, and removes the socket. */
  async close(): Promise<void> {
    this.#server.close()
    await Promise.all([...this.#clients].map((client) => client.close(drainMs)))
  }
}

/** A socket on which nobody listens was left by a process that was killed. */
const removeStale = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter(isSocketName)
  await Promise.all(
    names.map(async (name) => {
      const address = path.join(folder, name)
      if (await isStale(address)) await unlink(address).catch(() => undefined)
    }),
  )
}

const isStale = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(address)
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
