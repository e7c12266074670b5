import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy to a server on loopback that can hold traffic up and release it later. */
export class TcpProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #held: (() => void)[] | undefined

  private constructor(target: () => number) {
    this.#server = createServer((near) => this.#join(near, connect(target(), '127.0.0.1')))
  }

  /** @param target the port that it leads to, asked for at each connection */
  static async open(target: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** From now on nothing passes, neither way, not even the end of a connection. */
  hold(): void {
    this.#held ??= []
  }

  /** Passes on what was held up, in its order, and everything from now on. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const pass of held) pass()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(near: Socket, far: Socket): void {
    this.#lead(near, far)
    this.#lead(far, near)
  }

  #lead(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.setNoDelay()
    from.on('data', (bytes) => this.#pass(() => void to.write(bytes)))
    from.on('close', () => {
      this.#sockets.delete(from)
      this.#pass(() => to.end())
    })
    // The other side hears of it by the close that follows.
    from.on('error', () => {})
  }

  #pass(act: () => void): void {
    if (this.#held === undefined) act()
    else this.#held.push(act)
  }
}
