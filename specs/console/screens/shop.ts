import type { Client, ConsumedMessage } from '@kiroku/client'

/** How often something is sent, in ms. */
const beatMs = 100

/** A shop at work, so that there is something to see: orders, mail that fails in its own ways, bills, pictures, tenants. */
export const openShop = async (client: Client): Promise<{ readonly close: () => Promise<void> }> => {
  const retry = { kind: 'exponential', baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 } as const
  await client.queues.create('mail', { retriesMax: 2, retry, deadLetter: 'mail-dlq', indexBody: 'on' })
  await client.queues.create('orders', { retriesMax: 3, retry, deadLetter: 'orders-dlq' })
  await client.queues.create('billing', { retriesMax: 1, retry })
  for (const name of ['thumbnails', 'reports', 'returns']) await client.queues.create(name)
  let n = 0
  /** The same numbers in the same order at every opening. */
  const pick = (of: number): number => ((n++ * 2_654_435_761) >>> 8) % of
  const errors = [
    () => 'connection refused',
    () => `timed out after ${pick(40)} s`,
    () => 'no @ in the address',
    () => `the upstream answered ${500 + pick(4)}`,
  ]
  const work = (failsOf: number, ms: number) => async (message: ConsumedMessage) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    if (pick(failsOf) === 0) throw new Error(errors[message.id.length % 2 === 0 ? pick(4) : pick(2)]!())
  }
  const consumers = [
    client.consumeEach('mail', work(3, 120)),
    client.consumeEach('orders', work(10, 40)),
    client.consumeEach('billing', work(20, 200)),
    client.consumeEach('thumbnails', work(50, 400)),
  ]
  const pending = new Set<Promise<unknown>>()
  const send = (sent: Promise<unknown>): void => {
    pending.add(sent)
    void sent.finally(() => pending.delete(sent))
  }
  const timer = setInterval(() => {
    for (let i = 0; i < 3; i++)
      send(client.send('orders', { order: n, customer: pick(100), items: [{ sku: `A-${pick(20)}`, n: 1 }] }))
    if (pick(2) === 0)
      send(client.send('mail', { to: `user${pick(1_000)}@example.org`, subject: 'Your order', order: n }))
    if (pick(3) === 0) send(client.send('thumbnails', { image: pick(1_000_000) }))
    if (pick(4) === 0) send(client.send('billing', { cents: pick(100_000) }, { delayMs: pick(3) * 10_000 }))
    if (pick(10) === 0) send(client.send('reports', 'daily'))
  }, beatMs)
  return {
    close: async () => {
      clearInterval(timer)
      await Promise.all(pending)
      await Promise.all(consumers.map((consumer) => consumer.stop()))
    },
  }
}
