import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** What becomes of requests to JetStream's API. */
export type ApiFate = 'pass' | 'drop' | { readonly lateMs: number }

/** Stands between one node and its nats-server. Requests to JetStream's API can be lost or late in it; all else passes. */
export class ApiProxy {
  fate: ApiFate = 'pass'
  /** Requests that were lost or late. */
  disturbed = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, '127.0.0.1')
      for (const socket of [client, server]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          client.destroy()
          server.destroy()
        })
      }
      client.on('data', this.#reader(server))
      server.pipe(client)
    })
  }

  /** Listens in front of the nats-server at a port of this machine. */
  static async start(port: number): Promise<ApiProxy> {
    const proxy = new ApiProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Takes what a client sends apart: a line each, and behind those that publish their payload. */
  #reader(server: Socket): (bytes: Buffer) => void {
    let rest: Buffer = Buffer.alloc(0)
    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const [verb = '', subject = '', ...sizes] = rest.toString('latin1', 0, end).split(/ +/)
        const publishes = /^H?PUB$/i.test(verb)
        const size = end + 2 + (publishes ? Number(sizes.at(-1)) + 2 : 0)
        if (rest.length < size) return
        const whole = Buffer.from(rest.subarray(0, size))
        rest = rest.subarray(size)
        if (publishes && subject.startsWith('$JS.API.')) this.#request(server, whole)
        else server.write(whole)
      }
    }
  }

  #request(server: Socket, bytes: Buffer): void {
    const { fate } = this
    if (fate === 'pass') return void server.write(bytes)
    this.disturbed++
    if (fate !== 'drop') setTimeout(() => server.writable && server.write(bytes), fate.lateMs).unref()
  }
}
