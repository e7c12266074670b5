import {
  AckPolicy,
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'

const stream = 'PEER'
const subject = 'peer'
const consumerName = 'worker'

/** A work queue as one makes it on JetStream alone. */
export class RawQueue {
  readonly #nc: NatsConnection
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager

  private constructor(nc: NatsConnection, jsm: JetStreamManager) {
    this.#nc = nc
    this.#js = jetstream(nc, { timeout: 60_000 })
    this.#jsm = jsm
  }

  static async open(servers: string): Promise<RawQueue> {
    const nc = await connect({ servers })
    return new RawQueue(nc, await jetstreamManager(nc))
  }

  async create(): Promise<void> {
    await this.#jsm.streams.add({
      name: stream,
      subjects: [subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Workqueue,
      allow_atomic: true,
    })
    await this.#jsm.consumers.add(stream, {
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      max_ack_pending: -1,
    })
  }

  /** Publishes one message; resolves when it is stored. */
  publish(body: Uint8Array | string): Promise<unknown> {
    return this.#js.publish(subject, body)
  }

  /** Publishes two messages or more as an atomic batch; resolves when it is stored. */
  async publishBatch(bodies: readonly (Uint8Array | string)[]): Promise<void> {
    const batch = await this.#js.startBatch(subject, bodies[0]!)
    for (const body of bodies.slice(1, -1)) batch.add(subject, body)
    await batch.commit(subject, bodies.at(-1)!)
  }

  /**
   * Pulls messages and acknowledges each, without an answer.
   *
   * @param pull most messages that are on their way
   * @returns ends that; resolves when the server has the last acknowledgement, whatever it did with it by then
   */
  async consume(pull: number, handled: (text: () => string) => void): Promise<() => Promise<void>> {
    const consumer = await this.#js.consumers.get(stream, consumerName)
    const messages = await consumer.consume({
      max_messages: pull,
      callback: (message) => {
        handled(() => message.string())
        message.ack()
      },
    })
    return async () => {
      await messages.close()
      await this.#nc.flush()
    }
  }

  /** Empties the stream, so that the server's remaining work on acknowledgements disturbs nothing. */
  purge(): Promise<unknown> {
    return this.#jsm.streams.purge(stream)
  }

  close(): Promise<void> {
    return this.#nc.close()
  }
}
