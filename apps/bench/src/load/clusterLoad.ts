import { connect } from '@kiroku/client-nats'
import { type PartitionDescription, partitionOf } from '@kiroku/protocol'
import { percentile } from '../first/percentile.ts'
import { serveTasks } from '../LoadProcess.ts'
import { inParallel } from '../inParallel.ts'

// What it measures are pauses, and none is an error.
const client = await connect({ servers: process.argv[2]!, sendTimeoutMs: 300_000, onEvent: () => {} })

/** Sends and deliveries of one queue since the window was opened, in ms of this process's clock. */
interface Line {
  readonly queue: string
  sentMs: number
  deliveredMs: number
  sendPauseMs: number
  deliveryPauseMs: number
}

const tickMs = 10
const lines: Line[] = []
let latencies: number[] = []
let errors = 0
let sent = 0
let acknowledged = 0
let isSending = false

/** As many names for each partition as are asked for. */
const names = (partitions: number, each: number): string[] =>
  Array.from({ length: partitions }, (_, partition) => {
    const found: string[] = []
    for (let i = 0; found.length < each; i++)
      if (partitionOf(`line-${i}`, partitions) === partition) found.push(`line-${i}`)
    return found
  }).flat()

const send = async (line: Line): Promise<void> => {
  const beganMs = performance.now()
  try {
    await client.send(line.queue, { n: ++sent })
    const nowMs = performance.now()
    line.sendPauseMs = Math.max(line.sendPauseMs, nowMs - line.sentMs)
    line.sentMs = nowMs
    latencies.push(nowMs - beganMs)
    acknowledged++
  } catch {
    errors++
  }
}

const open = (): void => {
  const nowMs = performance.now()
  latencies = []
  errors = 0
  for (const line of lines)
    Object.assign(line, { sentMs: nowMs, deliveredMs: nowMs, sendPauseMs: 0, deliveryPauseMs: 0 })
}

const tasks = {
  /** Stores and consumes so much in every partition that a replay of all of it would take long. */
  age: async ({ partitions, messages }: { partitions: number; messages: number }) => {
    const queues = names(partitions, 1)
    for (const queue of queues) await client.queues.create(queue, { leaseMs: 60_000 })
    const body = new Uint8Array(1_000).fill(120)
    const batch = Array.from({ length: 500 }, () => ({ body }))
    const consumers = queues.map((queue) => client.consume(queue, () => {}, { batchMessages: 500 }))
    await inParallel((messages * partitions) / batch.length, 16, (i) =>
      client.sendBatch(queues[i % queues.length]!, batch),
    )
    for (const queue of queues)
      while ((await client.queues.describe(queue)).counts.committed < messages)
        await new Promise((resolve) => setTimeout(resolve, 50))
    await Promise.all(consumers.map((consumer) => consumer.stop()))
  },

  /** Begins to send at this rate, a message to each queue in turn, and to consume. */
  begin: async ({ partitions, perSecond }: { partitions: number; perSecond: number }) => {
    for (const queue of names(partitions, 2)) {
      await client.queues.create(queue, { leaseMs: 60_000 }).catch(() => {})
      lines.push({ queue, sentMs: 0, deliveredMs: 0, sendPauseMs: 0, deliveryPauseMs: 0 })
    }
    for (const line of lines)
      client.consumeEach(line.queue, () => {
        const nowMs = performance.now()
        line.deliveryPauseMs = Math.max(line.deliveryPauseMs, nowMs - line.deliveredMs)
        line.deliveredMs = nowMs
      })
    open()
    isSending = true
    let next = 0
    let owed = 0
    let lastMs = performance.now()
    const timer = setInterval(() => {
      if (!isSending) return clearInterval(timer)
      const nowMs = performance.now()
      owed += ((nowMs - lastMs) * perSecond) / 1_000
      lastMs = nowMs
      for (; owed >= 1; owed--) void send(lines[next++ % lines.length]!)
    }, tickMs)
  },

  open,

  /** What was felt since the window was opened; a pause that lasts counts up to now. */
  felt: () => {
    const nowMs = performance.now()
    const longest = (of: (line: Line) => number): number => Math.max(...lines.map(of))
    return {
      sendPauseMs: longest((line) => Math.max(line.sendPauseMs, nowMs - line.sentMs)),
      deliveryPauseMs: longest((line) => Math.max(line.deliveryPauseMs, nowMs - line.deliveredMs)),
      p99Ms: latencies.length === 0 ? 0 : percentile(latencies, 99),
      errors,
    }
  },

  /** How long it takes from now on until a send to each queue was stored, in ms. */
  untilServed: async () => {
    const beganMs = performance.now()
    while (lines.some(({ sentMs }) => sentMs < beganMs))
      await new Promise((resolve) => setTimeout(resolve, 10))
    return performance.now() - beganMs
  },

  /** The partitions that an owner serves, and the node that it is. */
  owners: async (): Promise<readonly string[]> => {
    const all = await client.partitions().catch((): PartitionDescription[] => [])
    return all.filter(({ state }) => state === 'Active').map(({ node }) => node)
  },

  end: () => {
    isSending = false
    return { acknowledged }
  },
}

/** What this process can be asked. */
export type ClusterLoad = typeof tasks

serveTasks(tasks, () => client.close())
