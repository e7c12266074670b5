import { connect } from '@kiroku/client-nats'
import { serveShape } from '../shapes/serveShape.ts'

const queue = 'shape'
const client = await connect({
  servers: process.argv[2]!,
  onEvent: ({ type, ...event }) => {
    // That it has no dead-letter queue is as it should be.
    if (type !== 'released' && type !== 'queueWarning')
      process.stderr.write(`${type} ${JSON.stringify(event)}\n`)
  },
})
await client.queues.create(queue)

serveShape({
  send: (body) => client.send(queue, body),
  sendBatch: (bodies) =>
    client.sendBatch(
      queue,
      bodies.map((body) => ({ body })),
    ),
  consume: async (handling, handled) => {
    const consumer =
      handling === undefined
        ? client.consumeEach(queue, (message) => handled(() => message.text()))
        : client.consume(
            queue,
            ({ messages }) => messages.forEach((message) => handled(() => message.text())),
            { batchMessages: handling.batch, concurrency: handling.handlers },
          )
    return () => consumer.stop()
  },
  records: async () => (await client.partitions()).reduce((sum, { lastSeq }) => sum + lastSeq, 0),
  close: () => client.close(),
})
