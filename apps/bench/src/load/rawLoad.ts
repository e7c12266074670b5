import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'

const nc = await connect({ servers: process.argv[2]! })
const js = jetstream(nc, { timeout: 60_000 })
const jsm = await jetstreamManager(nc)
const stream = 'PEER'
const subject = 'peer'
const consumerName = 'worker'

const tasks = {
  /** A work queue as one makes it on JetStream alone. */
  create: async () => {
    await jsm.streams.add({
      name: stream,
      subjects: [subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Workqueue,
      allow_atomic: true,
    })
    await jsm.consumers.add(stream, {
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      max_ack_pending: -1,
    })
  },

  /** Publishes one by one, `window` of them at a time; resolves when all are stored. */
  publish: async (args: { messages: number; bodyBytes: number; window: number }) => {
    const body = new Uint8Array(args.bodyBytes).fill(120)
    await inParallel(args.messages, args.window, () => js.publish(subject, body))
  },

  /** Publishes atomic batches, `window` of them at a time; resolves when all are stored. */
  publishBatches: async (args: { messages: number; batch: number; bodyBytes: number; window: number }) => {
    const body = new Uint8Array(args.bodyBytes).fill(120)
    await inParallel(args.messages / args.batch, args.window, async () => {
      const batch = await js.startBatch(subject, body)
      for (let i = 2; i < args.batch; i++) batch.add(subject, body)
      await batch.commit(subject, body)
    })
  },

  /** Pulls and acknowledges; resolves when the server has the last acknowledgement, whatever it did with it by then. */
  consume: async (args: { messages: number; pull: number }) => {
    const consumer = await js.consumers.get(stream, consumerName)
    const messages = await consumer.consume({ max_messages: args.pull })
    let left = args.messages
    for await (const message of messages) {
      message.ack()
      if (--left === 0) break
    }
    await nc.flush()
  },

  /** Empties the stream, so that the server's remaining work on acknowledgements disturbs nothing. */
  purge: () => jsm.streams.purge(stream),
}

/** What this process can be asked. */
export type RawLoad = typeof tasks

serveTasks(tasks, () => nc.close())
