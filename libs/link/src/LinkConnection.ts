import { commandPieces, decodeReply } from '@kiroku/nats'
import { ChurnMap, type Command, KirokuError, type Reply } from '@kiroku/protocol'
import { FrameSocket } from './FrameSocket.ts'
import { encodeGreeting, readNode, type ClientGreeting } from './greeting.ts'
import { greetingTimeoutMs, linkVersion, replyBytesMax } from './limits.ts'

/** A request on its way. */
interface Pending {
  readonly partition: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** A client's link to one node. */
export class LinkConnection {
  readonly #frames: FrameSocket
  readonly #pending = new ChurnMap<number, Pending>()
  #requests = 0
  /** Known once the node has greeted. */
  #requestBytesMax: number | undefined
  #isClosed = false

  /** @param closed called once, when the link is gone or could not be made */
  constructor(address: string, whom: Omit<ClientGreeting, 'version'>, closed: () => void) {
    this.#frames = FrameSocket.connect(address, replyBytesMax, (request, _, content) => {
      if (this.#requestBytesMax === undefined) this.#greeted(content)
      else this.#receive(request, content)
    })
    const late = setTimeout(() => {
      if (this.#requestBytesMax === undefined) this.#frames.destroy()
    }, greetingTimeoutMs).unref()
    this.#frames.onClose(() => {
      clearTimeout(late)
      this.#isClosed = true
      for (const { partition, reject } of [...this.#pending.values()])
        reject(
          new KirokuError('NotOwner', `The link to the owner of partition ${partition} is lost`, {
            retryAfterMs: 0,
          }),
        )
      this.#pending.clear()
      closed()
    })
    this.#frames.send(0, 0, [encodeGreeting({ version: linkVersion, ...whom })])
  }

  get isOpen(): boolean {
    return this.#requestBytesMax !== undefined && !this.#isClosed
  }

  /**
   * Sends commands to a partition of the node, while the link is open. Errors: `NotOwner` (the node does not own it, or the link
   * breaks), `BodyTooLarge`, and what the owner rejects with.
   */
  request(partition: number, commands: readonly Command[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const content = commandPieces(commands)
      const bytes = content.reduce((sum, { length }) => sum + length, 0)
      const bytesMax = this.#requestBytesMax!
      if (bytes > bytesMax)
        throw new KirokuError('BodyTooLarge', `The request has ${bytes} bytes; this NATS takes ${bytesMax}`)
      const request = this.#nextRequest()
      this.#pending.set(request, { partition, resolve, reject })
      this.#frames.send(request, partition, content)
    })
  }

  close(): void {
    this.#frames.destroy()
  }

  #nextRequest(): number {
    do this.#requests = (this.#requests + 1) >>> 0
    while (this.#requests === 0 || this.#pending.has(this.#requests))
    return this.#requests
  }

  #greeted(content: Uint8Array): void {
    const node = readNode(content)
    if (node === undefined) this.#frames.destroy()
    else this.#requestBytesMax = node.requestBytesMax
  }

  #receive(request: number, content: Uint8Array): void {
    const pending = this.#pending.get(request)
    if (pending === undefined) return
    this.#pending.delete(request)
    try {
      pending.resolve(decodeReply(content))
    } catch (error) {
      pending.reject(error)
    }
  }
}
