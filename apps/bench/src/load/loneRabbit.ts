import { connect } from 'amqplib'
import { PacedMessages } from '../first/PacedMessages.ts'
import { serveTasks } from '../LoadProcess.ts'
import type { LoneLoad } from './loneKiroku.ts'

const queue = 'lone'
const address = `amqp://guest:guest@127.0.0.1:${process.argv[2]!}`
const [sending, receiving] = [await connect(address), await connect(address)]
const sender = await sending.createConfirmChannel()
const receiver = await receiving.createChannel()
const messages = new PacedMessages()
await sender.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
await receiver.consume(queue, (message) => {
  if (message === null) return
  messages.arrived((JSON.parse(message.content.toString()) as { n: number }).n)
  receiver.ack(message)
})

const tasks: LoneLoad = {
  measure: ({ count, perSecond }) =>
    messages.run(
      count,
      perSecond,
      (n) =>
        new Promise<void>((resolve, reject) => {
          const body = Buffer.from(JSON.stringify({ n }))
          sender.sendToQueue(queue, body, { persistent: true }, (error: unknown) =>
            error === null || error === undefined ? resolve() : reject(error as Error),
          )
        }),
    ),
}

serveTasks(tasks, async () => {
  await receiving.close()
  await sending.close()
})
