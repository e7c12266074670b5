/** Sends labelled work in several loops, a little or as fast as answers come, until it is told to stop. */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type SendOptions } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { parseMessageId } from '@kiroku/protocol'
import type { TrafficOrder } from './Messages.ts'
import { Observer, tell } from './Observer.ts'
import { drawWork, type Work } from './Work.ts'
import { queues, sources, tags, unawaited } from './queues.ts'
import { seeded } from './random.ts'

/** Loops that send to a plain queue, and to one with a feature. */
const loopsPerSource = 8
const loopsPerFeature = 3
const groups = 20
const repeatShare = 0.2
const eraseShare = 0.1
/** What is sent without awaiting: many sends, or one large batch, and the pause before more of it in ms. */
const burstSendsMax = 300
const burstBatchMax = 5_000
const batchShare = 0.1
const burstPauseMs = 1_500

const [url, seed, link] = process.argv.slice(2)
const observer = new Observer()
const transport = natsTransport(await connect({ servers: url!.split(',') }), {
  closesConnection: true,
  link: link === 'off' ? 'off' : 'on',
})
const client = createClient(observer.watch(transport), {
  name: 'chaos-producer',
  requestTimeoutMs: 120_000,
  // It waits through every outage.
  sendTimeoutMs: 300_000,
})
const random = seeded(Number(seed))
let labels = 0
let pauseMs = 50
let paced = Promise.withResolvers<void>()
let stopping = false
const stopped = Promise.withResolvers<void>()

const pick = <T>(from: readonly T[]): T => from[random.int(from.length)]!

/** How a message is sent to a queue, by what the queue is for. */
const optionsFor = (queue: string, { label }: Work): SendOptions => {
  switch (queue) {
    case queues.ordered:
    case queues.fair:
      return { group: `group-${random.int(groups)}` }
    case queues.deduplicated:
      return { dedupId: `payment-${label}` }
    case queues.subscribed:
      return { tag: pick(tags) }
    default:
      return {}
  }
}

const sendSome = async (queue: string): Promise<void> => {
  const size = random.next() < 0.3 ? 2 + random.int(9) : 1
  const works = Array.from({ length: size }, () => drawWork(++labels, random))
  const messages = works.map((work) => ({ body: work, ...optionsFor(queue, work) }))
  // In an ordered queue a delay would hold up the group.
  const delay = queue !== queues.ordered && random.next() < 0.03 ? { delayMs: 100 + random.int(2_000) } : {}
  const sendAll = async (): Promise<readonly string[]> => {
    const { messageIds } = await client.sendBatch(queue, messages, delay)
    works.forEach(({ label }, i) => observer.acknowledged({ label, ...parseMessageId(messageIds[i]!) }))
    return messageIds
  }
  try {
    const isSentTwice = queue === queues.deduplicated && random.next() < repeatShare
    const [messageIds] = await Promise.all([sendAll(), ...(isSentTwice ? [sendAll()] : [])])
    if (queue === queues.erasable && random.next() < eraseShare)
      await client.queues.erase(queue, { messageId: pick(messageIds), reason: 'asked for by its subject' })
  } catch (error) {
    observer.failed(`send ${works[0]!.label} to ${queue}`, error)
  }
}

const loop = async (queue: string): Promise<void> => {
  while (!stopping) {
    await sendSome(queue)
    if (pauseMs > 0) await Promise.race([pause(pauseMs), paced.promise])
  }
}

/** Sends many messages at once into few groups, each of which keeps its order. */
const burst = async (): Promise<void> => {
  const isBatch = random.next() < batchShare
  const size = 1 + random.int(isBatch ? burstBatchMax : burstSendsMax)
  const works = Array.from({ length: size }, () => ({ label: ++labels, task: 'ack' }) satisfies Work)
  const messages = works.map((body) => ({ body, group: `group-${random.int(groups)}` }))
  const acknowledged = ({ label }: Work, messageId: string): void =>
    observer.acknowledged({ label, ...parseMessageId(messageId) })
  try {
    if (isBatch) {
      const { messageIds } = await client.sendBatch(unawaited, messages)
      works.forEach((work, i) => acknowledged(work, messageIds[i]!))
    } else
      await Promise.all(
        messages.map(async ({ body, group }) =>
          acknowledged(body, (await client.send(unawaited, body, { group })).messageId),
        ),
      )
  } catch (error) {
    observer.failed(`${size} sends from ${works[0]!.label} on to ${unawaited}`, error)
  }
}

const bursts = async (): Promise<void> => {
  while (!stopping) {
    await burst()
    await Promise.race([pause(burstPauseMs), stopped.promise])
  }
}

process.on('message', (order: TrafficOrder) => {
  if (order.type === 'pace') {
    pauseMs = order.pauseMs
    paced.resolve()
    paced = Promise.withResolvers()
  } else {
    stopping = true
    stopped.resolve()
  }
})
process.on('disconnect', () => process.exit(1))

tell({ type: 'ready' })
const loops = (queue: string, count: number) => Array.from({ length: count }, () => loop(queue))
await Promise.all([
  bursts(),
  ...sources.flatMap((queue) => loops(queue, loopsPerSource)),
  ...Object.values(queues).flatMap((queue) => loops(queue, loopsPerFeature)),
])
await client.close()
observer.end()
process.disconnect()
