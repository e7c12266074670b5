import { Queue, Worker } from 'bullmq'
import { serveShape } from '../shapes/serveShape.ts'

const name = 'shape'
const connection = { host: '127.0.0.1', port: Number(process.argv[2]) }
// What is kept of finished jobs would fill the memory.
const defaultJobOptions = { removeOnComplete: true }
const queue = new Queue<{ body: string }>(name, { connection, defaultJobOptions })
await queue.waitUntilReady()

serveShape({
  send: (body) => queue.add('message', { body }),
  sendBatch: (bodies) => queue.addBulk(bodies.map((body) => ({ name: 'message', data: { body } }))),
  consume: async (handling, handled) => {
    const concurrency = handling === undefined ? 1 : handling.batch * handling.handlers
    const handle = async ({ data }: { data: { body: string } }): Promise<void> => handled(() => data.body)
    const worker = new Worker<{ body: string }>(name, handle, { connection, concurrency })
    await worker.waitUntilReady()
    return () => worker.close()
  },
  close: () => queue.close(),
})
