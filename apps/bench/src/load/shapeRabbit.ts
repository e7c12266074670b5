import { connect } from 'amqplib'
import { serveShape } from '../shapes/serveShape.ts'

const queue = 'shape'
const address = `amqp://guest:guest@127.0.0.1:${process.argv[2]!}`
const [sending, receiving] = [await connect(address), await connect(address)]
const sender = await sending.createConfirmChannel()
await sender.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })

/** A channel without a limit would be sent whatever the queue holds. */
const prefetch = 500

serveShape({
  send: (body) =>
    new Promise<void>((resolve, reject) => {
      sender.sendToQueue(queue, Buffer.from(body), { persistent: true }, (error: unknown) =>
        error === null || error === undefined ? resolve() : reject(error as Error),
      )
    }),
  consume: async (handling, handled) => {
    const receiver = await receiving.createChannel()
    await receiver.prefetch(handling === undefined ? prefetch : handling.batch * handling.handlers)
    await receiver.consume(queue, (message) => {
      if (message === null) return
      handled(() => message.content.toString())
      receiver.ack(message)
    })
    // The channel closes behind its acknowledgements.
    return () => receiver.close()
  },
  close: async () => {
    await receiving.close()
    await sending.close()
  },
})
