import type { Batch, Client, Consumer } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import type { QueueDescription } from '@kiroku/protocol'
import { serveTasks } from '../LoadProcess.ts'
import { inParallel } from '../inParallel.ts'

const client: Client = await connect({
  servers: process.argv[2]!,
  onEvent: (event) => {
    // Queues of a benchmark need no dead-letter queue.
    if (event.type !== 'released' && event.type !== 'queueWarning')
      process.stderr.write(`${JSON.stringify(event)}\n`)
  },
})

let openGate = (): void => {}
let holding: Promise<void> = Promise.resolve()

const consumers: Consumer[] = []
let consumed: readonly string[] = []
let handled = 0
let expected = 0
let enough = (): void => {}

const handledOf = new Map<string, number>()
/** Queues of the batches that were handled last, the latest at the end. */
const latest = new Set<string>()
/** How many of them. Acknowledgements of batches before these are stored by the time theirs are, which `stop` verifies. */
const latestMax = 32

const count = ({ queue, messages }: Batch): void => {
  handled += messages.length
  handledOf.set(queue, handledOf.get(queue)! + messages.length)
  latest.delete(queue)
  latest.add(queue)
  if (latest.size > latestMax) latest.delete(latest.values().next().value!)
  if (handled >= expected) enough()
}

const totals = async (names: readonly string[]): Promise<readonly QueueDescription[]> => {
  if (names.length === 1) return [await client.queues.describe(names[0]!)]
  const wanted = new Set(names)
  return (await client.queues.list()).filter(({ name }) => wanted.has(name))
}

const committed = (queues: readonly QueueDescription[]): number =>
  queues.reduce((sum, { counts }) => sum + counts.committed, 0)

const tasks = {
  /** Creates the queues, with a lease that nothing here outlives. */
  create: async (queues: readonly string[]) => {
    await inParallel(queues.length, 100, (i) => client.queues.create(queues[i]!, { leaseMs: 3_600_000 }))
  },

  /** Sends batch by batch, round-robin over the queues; resolves when all are stored. */
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

  /** Begins to receive batches and to acknowledge them; resolves when every queue has a receive waiting. */
  consume: async (args: { queues: readonly string[]; batch: number; concurrency: number }) => {
    const options = { batchMessages: args.batch, concurrency: args.concurrency }
    for (const queue of args.queues) consumers.push(client.consume(queue, count, options))
    let all = await totals(args.queues)
    while (all.some(({ waitingPolls }) => waitingPolls < args.concurrency)) all = await totals(args.queues)
    consumed = args.queues
    latest.clear()
    expected = handled = committed(all)
    for (const { name, counts } of all) handledOf.set(name, counts.committed)
  },

  /** Resolves when this many more messages are handled and their acknowledgements are stored. */
  acknowledged: async (messages: number) => {
    expected += messages
    if (handled < expected) await new Promise<void>((resolve) => (enough = resolve))
    // A description of a thousand queues would be a part of what is measured.
    const isStored = async (name: string): Promise<boolean> =>
      (await client.queues.describe(name, { lossWarnings: false })).counts.committed === handledOf.get(name)
    while (!(await Promise.all([...latest].map(isStored))).every(Boolean));
  },

  /** Ends what `consume` began. Errors: other messages are acknowledged than were expected; a round cut short is not checked. */
  stop: async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()))
    if (handled < expected) return
    const stored = committed(await totals(consumed))
    if (stored !== expected) throw new Error(`${stored} messages are acknowledged, not ${expected}`)
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

  /** Takes messages and gives each back, to come again in 12 hours; resolves when that is stored. */
  touch: async (args: { queue: string; messages: number }) => {
    let left = args.messages
    const consumer = client.consume(
      args.queue,
      (batch) => {
        batch.retryAll({ delayMs: 12 * 3_600_000 })
        left -= batch.messages.length
        if (left <= 0) enough()
      },
      { batchMessages: 1_000, concurrency: 4 },
    )
    await new Promise<void>((resolve) => (enough = resolve))
    await consumer.stop()
  },

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
