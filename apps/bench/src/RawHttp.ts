import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const endOfHead = Buffer.from('\r\n\r\n')

/** The bytes of a request. */
export const requestBytes = (head: string, body: string): Buffer =>
  Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

/** A connection that carries one request at a time, for as little processor time as that can cost. */
export class RawHttp {
  readonly #socket: Socket
  #answer: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  #chunks: Buffer[] = []
  /** Bytes of the answer; -1 while its head has not arrived. */
  #length = -1
  #arrived = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#answer?.reject(error))
    socket.on('close', () => this.#answer?.reject(new Error('The server closed the connection.')))
  }

  static async open(url: string): Promise<RawHttp> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawHttp(socket)
  }

  /** Whether neither side has closed it. */
  get isOpen(): boolean {
    return this.#socket.readyState === 'open'
  }

  /** Sends a request; resolves to the body of its answer. Errors: an `Error` with any other answer than one of status 200. */
  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new Error('The server closed the connection.'))
      this.#answer = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#arrived += chunk.length
    if (this.#length < 0) {
      const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
      const end = all.indexOf(endOfHead)
      if (end < 0) return
      const head = all.toString('latin1', 0, end)
      const body = all.subarray(end + endOfHead.length)
      this.#chunks = [body]
      this.#arrived = body.length
      this.#length = Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      if (!head.startsWith('HTTP/1.1 200')) return this.#end(new Error(`${head}\n${body.toString()}`))
    }
    if (this.#arrived >= this.#length) this.#end(undefined)
  }

  #end(error: Error | undefined): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const answer = this.#answer
    this.#answer = undefined
    this.#chunks = []
    this.#length = -1
    this.#arrived = 0
    if (error === undefined) answer?.resolve(body)
    else answer?.reject(error)
  }
}
