import { NatsConnectionImpl, type ProtocolHandler, setTransportFactory } from '@nats-io/nats-core/internal'
import type { NatsConnection } from '@nats-io/nats-core'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'
import { WholeMessages } from './WholeMessages.ts'

/** From this size on, a payload is written from where it lies: to copy it would cost more than a write of its own. */
const aloneBytesMin = 32 * 1024

const isLarge = (piece: Uint8Array): boolean => piece.length >= aloneBytesMin

/** The transport of Node.js, which gets large messages whole and writes large payloads without copying them. */
class WholeTransport extends NodeTransport {
  override setupHandlers(): void {
    super.setupHandlers()
    const whole = new WholeMessages(this.socket.listeners('data')[0] as (piece: Buffer) => void)
    this.socket.removeAllListeners('data')
    this.socket.on('data', (chunk: Buffer) => whole.take(chunk))
  }

  /** Writes pieces at once. Large ones must stay as they are until they have left. */
  sendPieces(pieces: readonly Uint8Array[]): void {
    const { socket } = this
    socket.cork()
    let begun = 0
    pieces.forEach((piece, i) => {
      if (!isLarge(piece)) return
      if (i > begun) this.send(Buffer.concat(pieces.slice(begun, i)))
      this.send(piece)
      begun = i + 1
    })
    if (begun < pieces.length) this.send(Buffer.concat(pieces.slice(begun)))
    socket.uncork()
  }
}

/**
 * Has what waits to leave written in pieces, where some of it is large: the client of NATS copies all of it into a new array
 * first. It has no public name for that; without it everything is copied.
 */
const writeInPieces = (protocol: ProtocolHandler): void => {
  const sending = protocol as unknown as { flushPending?(): void }
  const flush = sending.flushPending?.bind(protocol)
  if (flush === undefined) return
  sending.flushPending = () => {
    const { connected, infoReceived, outbound, transport } = protocol
    if (!connected || !infoReceived || transport.isClosed || !outbound.buffers.some(isLarge)) return flush()
    const pieces = [...outbound.buffers]
    outbound.reset()
    ;(transport as WholeTransport).sendPieces(pieces)
  }
}

/** Connects as `connect` of NATS's client does, over this transport. */
export const connectWhole = async (options: NodeConnectionOptions): Promise<NatsConnection> => {
  setTransportFactory({ factory: () => new WholeTransport(), dnsResolveFn: nodeResolveHost })
  const nc = await NatsConnectionImpl.connect(options)
  writeInPieces((nc as NatsConnectionImpl).protocol)
  return nc
}
