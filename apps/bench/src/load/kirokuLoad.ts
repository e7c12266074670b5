import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'

const client: Client = await connect({
  servers: process.argv[2]!,
  onEvent: (event) => {
    if (event.type !== 'released') process.stderr.write(`${JSON.stringify(event)}\n`)
  },
})

let openGate = (): void => {}
let holding: Promise<void> = Promise.resolve()

const tasks = {
  /** Creates the queues, with a lease that nothing here outlives. */
  create: async (queues: readonly string[]) => {
    await inParallel(queues.length, 100, (i) => client.queues.create(queues[i]!, { leaseMs: 3_600_000 }))
  },

  /** Sends batch by batch, the queues in turn; resolves when all are stored. */
  send: async (args: {
    queues: readonly string[]
    messages: number
    batch: number
    bodyBytes: number
    window: number
  }) => {
    const batch = Array.from({ length: args.batch }, () => ({
      body: new Uint8Array(args.bodyBytes).fill(120),
    }))
    await inParallel(args.messages / args.batch, args.window, (i) =>
      client.sendBatch(args.queues[i % args.queues.length]!, batch),
    )
  },

  /** Sends one by one, `window` of them at a time; resolves when all are stored. */
  sendEach: async (args: { queue: string; messages: number; bodyBytes: number; window: number }) => {
    const body = new Uint8Array(args.bodyBytes).fill(120)
    await inParallel(args.messages, args.window, () => client.send(args.queue, body))
  },

  /** Receives batches and acknowledges them; resolves when that many acknowledgements are stored. */
  consume: async (args: {
    queues: readonly string[]
    messages: number
    batch: number
    concurrency: number
  }) => {
    let left = args.messages
    let done = (): void => {}
    const enough = new Promise<void>((resolve) => (done = resolve))
    const consumers = args.queues.map((queue) =>
      client.consume(
        queue,
        (batch) => {
          left -= batch.messages.length
          if (left <= 0) done()
        },
        { batchMessages: args.batch, concurrency: args.concurrency },
      ),
    )
    await enough
    await Promise.all(consumers.map((consumer) => consumer.stop()))
    if (left < 0) throw new Error(`${-left} messages were delivered twice`)
  },

  /** Takes messages and keeps them under their leases until `letGo`; resolves when it has that many. */
  hold: (args: { queue: string; messages: number }) =>
    new Promise<void>((resolve) => {
      let left = args.messages
      const gate = new Promise<void>((open) => (openGate = open))
      const consumer = client.consume(
        args.queue,
        (batch) => {
          left -= batch.messages.length
          if (left <= 0) resolve()
          return gate
        },
        { batchMessages: 1_000, concurrency: Math.ceil(args.messages / 1_000) },
      )
      holding = gate.then(() => consumer.stop())
    }),

  /** Acknowledges what is held; resolves when that is stored. */
  letGo: async () => {
    openGate()
    await holding
  },

  purge: (queue: string) => client.queues.purge(queue),

  /** Sequence of the last checkpoint, and of the last record. */
  checkpoint: async () => {
    const [partition] = await client.partitions()
    return { checkpoint: partition!.checkpointSeq, last: partition!.lastSeq }
  },
}

/** What this process can be asked. */
export type KirokuLoad = typeof tasks

serveTasks(tasks, () => client.close())
