import { connect } from '@kiroku/client-nats'
import { PacedMessages } from '../first/PacedMessages.ts'
import { serveTasks } from '../LoadProcess.ts'

const queue = 'lone'
const servers = process.argv[2]!
const sender = await connect({ servers })
const receiver = await connect({ servers })
const messages = new PacedMessages()
await sender.queues.create(queue)
receiver.consumeEach(queue, (message) => messages.arrived(message.json<{ n: number }>().n))

const tasks = {
  /** Sends `count` messages at an even pace; resolves with the time each took to reach its handler, in ms. */
  measure: ({ count, perSecond }: { count: number; perSecond: number }): Promise<number[]> =>
    messages.run(count, perSecond, (n) => sender.send(queue, { n })),
}

/** What this process, and those of the peers, can be asked. */
export type LoneLoad = typeof tasks

serveTasks(tasks, async () => {
  await receiver.close()
  await sender.close()
})
