import type { CDPSession } from 'playwright-core'

/** What came over the wire for a page, in bytes as they were sent, with their headers. */
interface Sent {
  readonly path: string
  bytes: number
  isWhole: boolean
}

/** Counts what a page loads. */
export class Wire {
  readonly #sent = new Map<string, Sent>()

  private constructor() {}

  /** Counts from now on. */
  static async of(session: CDPSession): Promise<Wire> {
    const wire = new Wire()
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const { pathname, protocol } = new URL(request.url)
      if (protocol !== 'data:') wire.#sent.set(requestId, { path: pathname, bytes: 0, isWhole: false })
    })
    session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
      const sent = wire.#sent.get(requestId)
      if (sent !== undefined) sent.bytes += encodedDataLength
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const sent = wire.#sent.get(requestId)
      if (sent !== undefined) Object.assign(sent, { bytes: encodedDataLength, isWhole: true })
    })
    await session.send('Network.enable')
    return wire
  }

  /** The files of the console requested so far: the pages and their assets. */
  files(): Sent[] {
    return [...this.#sent.values()].filter(({ path }) => !isOfApi(path))
  }

  /** Answers of the API so far; the feed never ends. */
  answers(): Sent[] {
    return [...this.#sent.values()].filter(({ path }) => isOfApi(path))
  }
}

const isOfApi = (path: string): boolean => path.startsWith('/v1/')
