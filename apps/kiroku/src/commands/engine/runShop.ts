import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ConsumedMessage, QueueSection } from '@kiroku/client'
import { isKirokuError } from '@kiroku/protocol'

/** An order of the sample shop, passed through all of its queues. */
interface Order {
  readonly order: number
  readonly customer: string
  readonly item: string
  readonly price: number
}

const failed = 'shop-failed'

/** The queues of the sample shop. */
const queues: Readonly<Record<string, QueueSection>> = {
  'shop-orders': {
    deadLetter: failed,
    retry: { kind: 'fixed', delayMs: 2_000 },
    subscriptions: { warehouse: {} },
  },
  // One customer's payments stay in order.
  'shop-payments': {
    deadLetter: failed,
    groups: 'ordered',
    retriesMax: 1,
    retry: { kind: 'fixed', delayMs: 3_000 },
  },
  'shop-mail': { deadLetter: failed, retry: { kind: 'fixed', delayMs: 5_000 } },
}

const items = ['teapot', 'kettle', 'whisk', 'tea bowl', 'tea tin']
const ordersAtFirst = 100
const orderEveryMs = 200
const reminderAfterMs = 60_000

const chance = (share: number): boolean => Math.random() < share
const oneOf = <A>(of: readonly A[]): A => of[Math.floor(Math.random() * of.length)]!
/** Handlers take about this long, as real ones do. */
const work = (ms: number): Promise<void> => pause(ms * (0.5 + Math.random()))

/**
 * Runs a small shop on an engine, so that there is something to look at: orders that a warehouse packs,
 * payments in order per customer, mail with reminders that are sent later; some of it fails, is retried, or
 * is dead-lettered. Resolves once it runs, which it does until the signal or the client ends it.
 */
export const runShop = async (client: Client, signal: AbortSignal): Promise<void> => {
  await client.queues.apply(queues, { source: 'sample shop' })
  const on = (queue: string, handle: (message: ConsumedMessage) => Promise<void>, subscription?: string) => {
    const consumer = client.consumeEach(queue, handle, {
      concurrency: 4,
      subscription,
    })
    consumer.closed.catch(() => undefined)
    signal.addEventListener('abort', () => void consumer.stop(), { once: true })
  }
  on('shop-orders', (message) => takeOrder(client, message))
  on('shop-orders', () => work(150), 'warehouse')
  on('shop-payments', takePayment)
  on('shop-mail', sendMail)
  await client.sendBatch(
    'shop-orders',
    Array.from({ length: ordersAtFirst }, (_, i) => ({ body: orderOf(i) })),
  )
  void keepOrdering(client, signal).catch((error: unknown) => {
    // Its engine is stopping.
    if (!isKirokuError(error) && !signal.aborted) throw error
  })
}

const keepOrdering = async (client: Client, signal: AbortSignal): Promise<void> => {
  for (let n = ordersAtFirst; !signal.aborted; n++) {
    await client.send('shop-orders', orderOf(n))
    await pause(orderEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

const orderOf = (order: number): Order => ({
  order,
  customer: `customer-${Math.floor(Math.random() * 20) + 1}`,
  item: oneOf(items),
  price: Math.floor(Math.random() * 90) + 10,
})

const takeOrder = async (client: Client, message: ConsumedMessage): Promise<void> => {
  await work(40)
  const order = message.json<Order>()
  if (chance(0.05)) return message.retry({ error: `stock of ${order.item} is being counted` })
  await client.send('shop-payments', order, { group: order.customer })
  await client.send('shop-mail', order, { tag: 'receipt' })
  if (chance(0.2)) await client.send('shop-mail', order, { tag: 'reminder', delayMs: reminderAfterMs })
}

const takePayment = async (message: ConsumedMessage): Promise<void> => {
  await work(80)
  if (chance(0.1)) message.retry({ error: 'HTTP 402: the card was declined' })
}

const sendMail = async (message: ConsumedMessage): Promise<void> => {
  await work(60)
  if (chance(0.02)) message.deadLetter(`no such mailbox: ${message.json<Order>().customer}@example.com`)
  else if (chance(0.05)) message.retry({ error: 'ETIMEDOUT: the mail server does not answer' })
}
