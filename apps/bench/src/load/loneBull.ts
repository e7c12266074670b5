import { Queue, Worker } from 'bullmq'
import { PacedMessages } from '../first/PacedMessages.ts'
import { serveTasks } from '../LoadProcess.ts'
import type { LoneLoad } from './loneKiroku.ts'

const name = 'lone'
const connection = { host: '127.0.0.1', port: Number(process.argv[2]) }
const messages = new PacedMessages()
const queue = new Queue<{ n: number }>(name, { connection })
const worker = new Worker<{ n: number }>(name, async ({ data }) => messages.arrived(data.n), { connection })
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])

const tasks: LoneLoad = {
  measure: ({ count, perSecond }) => messages.run(count, perSecond, (n) => queue.add('message', { n })),
}

serveTasks(tasks, async () => {
  await worker.close()
  await queue.close()
})
