import type net from 'node:net'
import { decodeCommands, encodeError, fromClient, replyPieces, wireError } from '@kiroku/nats'
import { ChurnSet, type Command, KirokuError, type Reply } from '@kiroku/protocol'
import { FrameSocket } from './FrameSocket.ts'
import { encodeGreeting, readName, refuseClient, type ClientGreeting } from './greeting.ts'
import { greetingBytesMax, greetingTimeoutMs, linkVersion, unreadBytesMax } from './limits.ts'

/** The owner of one partition, as it also answers within its process. */
export interface LinkedOwner {
  request(commands: readonly Command[]): Promise<Reply>
  /** Remembers what a reply delivers; to call when the reply reached nobody. Undefined: it delivers nothing. */
  expect(reply: Reply): (() => void) | undefined
}

/** The partitions that are served here. */
export interface LinkedOwners {
  /** Undefined while this process does not own the partition. */
  readonly at: (partition: number) => LinkedOwner | undefined
}

/** What a linked client's requests need. */
interface Service extends LinkedOwners {
  readonly requestBytesMax: number
  readonly greetingTimeoutMs?: number
  readonly onTrouble: (what: string) => void
  readonly onDefect: (error: unknown) => void
}

/** One client's link, at the node. */
export class LinkedClient {
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
  readonly #frames: FrameSocket
  readonly #service: Service
  readonly #underWay = new ChurnSet<Promise<void>>()
  /** Ends a connection that does not greet. */
  readonly #late: NodeJS.Timeout
  #isGreeted = false
  #as: string | undefined
  #isClosed = false

  constructor(socket: net.Socket, expected: Pick<ClientGreeting, 'log' | 'node'>, service: Service) {
    this.#service = service
    this.#frames = FrameSocket.accept(socket, greetingBytesMax, (request, partition, content) => {
      if (this.#isGreeted) this.#track(this.#answer(request, partition, content))
      else this.#greet(content, expected)
    })
    this.#late = setTimeout(
      () => this.#frames.destroy(),
      service.greetingTimeoutMs ?? greetingTimeoutMs,
    ).unref()
    this.closed = new Promise((resolve) =>
      this.#frames.onClose((error) => {
        clearTimeout(this.#late)
        this.#isClosed = true
        if (error !== undefined && !('code' in error)) service.onTrouble(error.message)
        resolve()
      }),
    )
  }

  /** Ends once what is asked is answered and the client has read it, or after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    const late = setTimeout(() => this.#frames.destroy(), timeoutMs)
    await Promise.race([Promise.all(this.#underWay), this.closed])
    this.#frames.end()
    await this.closed
    clearTimeout(late)
  }

  /** Ends now. */
  disconnect(): void {
    this.#frames.destroy()
  }

  #greet(content: Uint8Array, expected: Pick<ClientGreeting, 'log' | 'node'>): void {
    const refusal = refuseClient(content, expected)
    if (refusal !== undefined) return this.#frames.destroy(new Error(refusal))
    const { requestBytesMax } = this.#service
    clearTimeout(this.#late)
    this.#isGreeted = true
    this.#as = readName(content)
    this.#frames.reader.contentBytesMax = requestBytesMax
    this.#frames.send(0, 0, [encodeGreeting({ version: linkVersion, requestBytesMax })])
  }

  #track(answering: Promise<void>): void {
    this.#underWay.add(answering)
    void answering.finally(() => this.#underWay.delete(answering))
  }

  async #answer(request: number, partition: number, content: Uint8Array): Promise<void> {
    const owner = this.#service.at(partition)
    try {
      if (owner === undefined)
        throw new KirokuError('NotOwner', `partition ${partition} is not served here`, { retryAfterMs: 0 })
      const commands = decodeCommands(content)
      const reply = await owner.request(this.#as === undefined ? commands : fromClient(this.#as, commands))
      this.#reply(request, partition, replyPieces(reply), owner.expect(reply))
    } catch (thrown) {
      this.#reply(request, partition, [encodeError(wireError(thrown, this.#service.onDefect))])
    }
  }

  #reply(request: number, partition: number, content: readonly Uint8Array[], lost?: () => void): void {
    if (this.#isClosed) return lost?.()
    const bytes = this.#frames.send(
      request,
      partition,
      content,
      lost === undefined
        ? undefined
        : (error) => {
            if (error) lost()
          },
    )
    const { unsentBytes } = this.#frames
    // One reply may be as large as it must.
    if (unsentBytes > unreadBytesMax + bytes)
      this.#frames.destroy(new Error(`it left ${unsentBytes} bytes of replies unread`))
  }
}
