import { connect } from '@kiroku/client-nats'
import { partitionOf } from '@kiroku/protocol'
import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'

// As from another machine: all of it over NATS.
const client = await connect({ servers: process.argv[2]!, link: 'off', onEvent: () => {} })
const group = process.argv[3]!

const queues: string[] = []
const waiting = new Set<string>()
let none = (): void => {}

const tasks = {
  /** Starts consumers, each of a queue of its own in partition 0; resolves when all of them wait. */
  begin: async ({ partitions, consumers }: { partitions: number; consumers: number }) => {
    for (let i = 0; queues.length < consumers; i++)
      if (partitionOf(`wait-${group}-${i}`, partitions) === 0) queues.push(`wait-${group}-${i}`)
    await inParallel(queues.length, 100, (i) => client.queues.create(queues[i]!))
    for (const queue of queues)
      client.consumeEach(queue, () => {
        waiting.delete(queue)
        if (waiting.size === 0) none()
      })
    const isWaiting = async (): Promise<boolean> =>
      (await client.queues.list()).filter(
        ({ name, waitingPolls }) => waitingPolls > 0 && name.startsWith(`wait-${group}-`),
      ).length === queues.length
    while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 200))
  },

  /** Sends a message to each of them; resolves when all have theirs. */
  deliverAll: async () => {
    for (const queue of queues) waiting.add(queue)
    const all = new Promise<void>((resolve) => (none = resolve))
    await Promise.all(queues.map((queue) => client.send(queue, 1)))
    await all
  },
}

/** What this process can be asked. */
export type ConsumersLoad = typeof tasks

serveTasks(tasks, () => client.close())
