import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { serveShape } from '../shapes/serveShape.ts'

const task = 'shape'
const connectionString = `postgres://bench@127.0.0.1:${process.argv[2]!}/postgres`
const logger = new Logger(() => () => {})
const utils = await makeWorkerUtils({ connectionString, logger })
await utils.migrate()

/** Jobs that a worker takes ahead, which its pages advise where jobs are many and fast. */
const ahead = 500

serveShape({
  send: (body) => utils.addJob(task, { body }),
  sendBatch: (bodies) => utils.addJobs(bodies.map((body) => ({ identifier: task, payload: { body } }))),
  consume: async (handling, handled) => {
    const concurrency = handling === undefined ? 1 : handling.batch * handling.handlers
    const batching =
      handling === undefined
        ? {}
        : { localQueue: { size: Math.max(ahead, concurrency + 1) }, completeJobBatchDelay: 0 }
    const runner = await run({
      connectionString,
      logger,
      concurrency,
      noHandleSignals: true,
      preset: { worker: { concurrentJobs: concurrency, ...batching } },
      taskList: { [task]: (payload) => handled(() => (payload as { body: string }).body) },
    })
    return async () => {
      await runner.stop()
    }
  },
  close: async () => utils.release(),
})
