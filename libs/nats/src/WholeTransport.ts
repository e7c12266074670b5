import { NatsConnectionImpl, setTransportFactory } from '@nats-io/nats-core/internal'
import type { NatsConnection } from '@nats-io/nats-core'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'
import { WholeMessages } from './WholeMessages.ts'

/** The transport of Node.js, which gets large messages whole. */
class WholeTransport extends NodeTransport {
  override setupHandlers(): void {
    super.setupHandlers()
    const whole = new WholeMessages(this.socket.listeners('data')[0] as (piece: Buffer) => void)
    this.socket.removeAllListeners('data')
    this.socket.on('data', (chunk: Buffer) => whole.take(chunk))
  }
}

/** Connects as `connect` of NATS's client does, over this transport. */
export const connectWhole = (options: NodeConnectionOptions): Promise<NatsConnection> => {
  setTransportFactory({ factory: () => new WholeTransport(), dnsResolveFn: nodeResolveHost })
  return NatsConnectionImpl.connect(options)
}
