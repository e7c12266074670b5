import { connect } from '@kiroku/client-nats'
import { parseMessageId, partitionOf } from '@kiroku/protocol'
import { serveTasks } from '../LoadProcess.ts'

// However long an owner is away, no send fails for that.
const client = await connect({ servers: process.argv[2]!, sendTimeoutMs: 300_000, onEvent: () => {} })

/** Sends of one queue: the number under which each was stored, in the order of their calls. */
interface Line {
  readonly queue: string
  readonly numbers: number[]
}

/** Sends without an answer at most, and of one turn of the loop. */
const openMax = 20_000
const burst = 100
const lines: Line[] = []
let open = 0
let stored = 0
let failed = 0
let isSending = false
let ended: Promise<void> = Promise.resolve()

const send = ({ queue, numbers }: Line): void => {
  const at = numbers.push(0) - 1
  open++
  client
    .send(queue, at)
    .then(
      ({ messageId }) => {
        numbers[at] = parseMessageId(messageId).number
        stored++
      },
      () => failed++,
    )
    .finally(() => open--)
}

const run = async (): Promise<void> => {
  while (isSending || open > 0) {
    if (isSending && open < openMax) for (const line of lines) for (let i = 0; i < burst; i++) send(line)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const inversionsOf = ({ numbers }: Line): number => {
  let [count, last] = [0, 0]
  for (const number of numbers) {
    // One that failed has none.
    if (number > 0 && number < last) count++
    last = Math.max(last, number)
  }
  return count
}

const tasks = {
  /** Begins to send to a queue in each partition. */
  begin: async ({ partitions }: { partitions: number }) => {
    for (let i = 0; lines.length < partitions; i++) {
      const queue = `order-${i}`
      if (partitionOf(queue, partitions) !== lines.length) continue
      await client.queues.create(queue)
      lines.push({ queue, numbers: [] })
    }
    isSending = true
    ended = run()
  },

  sent: () => stored,

  /** Ends when every send has an answer. */
  end: async () => {
    isSending = false
    await ended
    return { stored, failed, inversions: lines.reduce((sum, line) => sum + inversionsOf(line), 0) }
  },
}

/** What this process can be asked. */
export type OrderLoad = typeof tasks

serveTasks(tasks, () => client.close())
