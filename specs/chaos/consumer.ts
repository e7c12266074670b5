/**
 * Consumes work and dead letters, as each message asks for it, and corrects parked dead letters and moves them back,
 * until it is told to stop.
 */
import { createClient, type ConsumedMessage } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import type { TrafficOrder } from './Messages.ts'
import { Observer, tell } from './Observer.ts'
import { deadLetterQueues, failed, parked, queues, sources, subscriptions, unawaited } from './queues.ts'
import { repairParked } from './repairParked.ts'
import type { Work } from './Work.ts'

const [url, link] = process.argv.slice(2)
const observer = new Observer()
const transport = natsTransport(await connect({ servers: url!.split(',') }), {
  closesConnection: true,
  link: link === 'off' ? 'off' : 'on',
})
const client = createClient(observer.watch(transport), {
  name: `chaos-consumer-${process.pid}`,
  requestTimeoutMs: 120_000,
  onEvent: (event) => {
    if (event.type === 'consumerFailed') observer.failed(`consumer of ${event.queue}`, event.error)
  },
})

const handle = (message: ConsumedMessage): void => {
  const { label, task } = message.json<Work>()
  if (task === 'poison' || (task === 'retry' && message.attempt === 1))
    message.retry({ error: `work ${label} failed` })
  else if (task === 'deadLetter') message.deadLetter('not wanted')
  else message.ack()
}

/** Receives on its own account, acknowledges one by one, and forgets what asks for it. */
const receiveAndAck = async (queue: string): Promise<void> => {
  while (!stop.signal.aborted) {
    try {
      const messages = await client.receive(queue, { max: 10, waitMs: 5_000, signal: stop.signal })
      const wanted = messages.filter(
        (message) => message.json<Work>().task !== 'forget' || message.attempt > 1,
      )
      await Promise.all(wanted.map((message) => message.ack()))
    } catch (error) {
      if (!stop.signal.aborted) observer.failed(`receive from ${queue}`, error)
    }
  }
}

const stop = new AbortController()
/** From here on nothing is repaired any more: parked dead letters are consumed like others. */
const drain = new AbortController()
process.on('message', (order: TrafficOrder) => {
  if (order.type === 'stop') stop.abort()
  else if (order.type === 'drain') drain.abort()
})
process.on('disconnect', () => process.exit(1))

const consumers = [
  ...sources.map((queue) =>
    client.consume(queue, (batch) => batch.messages.forEach(handle), { concurrency: 2 }),
  ),
  ...[...Object.values(queues), unawaited].map((queue) =>
    client.consume(queue, (batch) => batch.messages.forEach(handle), { concurrency: 2 }),
  ),
  ...subscriptions.map((subscription) =>
    client.consume(queues.subscribed, (batch) => batch.messages.forEach(handle), { subscription }),
  ),
  ...[...deadLetterQueues, failed].map((queue) => client.consume(queue, () => undefined)),
]
tell({ type: 'ready' })
const repairs = repairParked(client, drain.signal, (what, error) => observer.failed(what, error)).then(() =>
  consumers.push(client.consume(parked, () => undefined)),
)
await Promise.all([repairs, ...sources.slice(0, 2).map(receiveAndAck)])
await Promise.all(consumers.map((consumer) => consumer.stop()))
await client.close()
observer.end()
process.disconnect()
