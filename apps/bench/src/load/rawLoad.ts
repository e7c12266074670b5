import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'
import { RawQueue } from '../RawQueue.ts'

const queue = await RawQueue.open(process.argv[2]!)

const tasks = {
  create: () => queue.create(),

  /** Publishes one by one, `window` of them at a time; resolves when all are stored. */
  publish: async (args: { messages: number; bodyBytes: number; window: number }) => {
    const body = new Uint8Array(args.bodyBytes).fill(120)
    await inParallel(args.messages, args.window, () => queue.publish(body))
  },

  /** Publishes atomic batches, `window` of them at a time; resolves when all are stored. */
  publishBatches: async (args: { messages: number; batch: number; bodyBytes: number; window: number }) => {
    const body = new Uint8Array(args.bodyBytes).fill(120)
    const bodies = Array.from({ length: args.batch }, () => body)
    await inParallel(args.messages / args.batch, args.window, () => queue.publishBatch(bodies))
  },

  /** Pulls and acknowledges; resolves when the server has the last acknowledgement, whatever it did with it by then. */
  consume: async (args: { messages: number; pull: number }) => {
    let left = args.messages
    const { promise: all, resolve } = Promise.withResolvers<void>()
    const stop = await queue.consume(args.pull, () => {
      if (--left === 0) resolve()
    })
    await all
    await stop()
  },

  purge: () => queue.purge(),
}

/** What this process can be asked. */
export type RawLoad = typeof tasks

serveTasks(tasks, () => queue.close())
