import { PgBoss } from 'pg-boss'
import { serveShape } from '../shapes/serveShape.ts'

const queue = 'shape'
const boss = new PgBoss({
  connectionString: `postgres://bench@127.0.0.1:${process.argv[2]!}/postgres`,
  // Workers would look only every 2 s.
  useListenNotify: true,
})
boss.on('error', (error) => process.stderr.write(`${error.message}\n`))
await boss.start()
await boss.createQueue(queue, { notify: true })

type Body = { body: string }

/** Its workers pause between fetches of single jobs, whatever waits: this fetches and completes without a pause. */
const fetchAll = (batchSize: number, loops: number, handled: (text: () => string) => void) => {
  let isOver = false
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const jobs = await boss.fetch<Body>(queue, { batchSize })
      for (const { data } of jobs) handled(() => data.body)
      if (jobs.length > 0)
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        )
    }
  }
  const loading = Promise.all(Array.from({ length: loops }, loop))
  return () => {
    isOver = true
    return loading
  }
}

serveShape({
  send: (body) => boss.send(queue, { body }),
  sendBatch: (bodies) =>
    boss.insert(
      queue,
      bodies.map((body) => ({ data: { body } })),
    ),
  consume: async (handling, handled) => {
    if (handling !== undefined) return fetchAll(handling.batch, handling.handlers, handled)
    // By default it would take one job, and then rest until it hears of a new one.
    const options = { batchSize: 100, burstWhenBatchFull: true, notifyPollingIntervalSeconds: 2 }
    const id = await boss.work<Body>(queue, options, async (jobs) => {
      for (const { data } of jobs) handled(() => data.body)
    })
    return () => boss.offWork(queue, { id, wait: true })
  },
  close: () => boss.stop({ graceful: false }),
})
