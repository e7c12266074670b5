/** Sends labelled work in several loops, a little or as fast as answers come, until it is told to stop. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { parseMessageId } from '@kiroku/partition'
import type { TrafficOrder } from './Messages.ts'
import { Observer, tell } from './Observer.ts'
import { sources } from './queues.ts'
import { seeded } from './random.ts'
import { drawWork } from './Work.ts'

const loopsPerQueue = 8

const [url, seed] = process.argv.slice(2)
const observer = new Observer()
const transport = natsTransport(await connect({ servers: url! }), { closesConnection: true })
const client = createClient(observer.watch(transport), { name: 'chaos-producer' })
const random = seeded(Number(seed))
let labels = 0
let pauseMs = 50
let paced = Promise.withResolvers<void>()
let stopping = false

const sendSome = async (queue: string): Promise<void> => {
  const batch = random.next() < 0.3 ? 2 + random.int(9) : 1
  const works = Array.from({ length: batch }, () => drawWork(++labels, random))
  const options = random.next() < 0.03 ? { delayMs: 100 + random.int(2_000) } : {}
  try {
    const messageIds =
      works.length === 1
        ? [(await client.send(queue, { ...works[0]! }, options)).messageId]
        : (
            await client.sendBatch(
              queue,
              works.map((work) => ({ body: { ...work } })),
              options,
            )
          ).messageIds
    works.forEach(({ label }, i) => observer.acknowledged({ label, ...parseMessageId(messageIds[i]!) }))
  } catch (error) {
    observer.failed(`send ${works[0]!.label}`, error)
  }
}

const loop = async (queue: string): Promise<void> => {
  while (!stopping) {
    await sendSome(queue)
    if (pauseMs > 0) await Promise.race([pause(pauseMs), paced.promise])
  }
}

process.on('message', (order: TrafficOrder) => {
  if (order.type === 'pace') {
    pauseMs = order.pauseMs
    paced.resolve()
    paced = Promise.withResolvers()
  } else stopping = true
})
process.on('disconnect', () => process.exit(1))

tell({ type: 'ready' })
await Promise.all(sources.flatMap((queue) => Array.from({ length: loopsPerQueue }, () => loop(queue))))
await client.close()
observer.end()
process.disconnect()
