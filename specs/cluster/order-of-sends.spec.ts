import { type Client, createClient, inProcess, type Transport } from '@kiroku/client'
import { type Command, KirokuError, parseMessageId, type Reply } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

type Request = (commands: readonly Command[]) => Promise<Reply>

const isSend = (commands: readonly Command[]): boolean => commands.some(({ type }) => type === 'Enqueue')

/** A transport that does something else with the nth request that sends. */
const disturbing =
  (nth: number, disturb: (request: Request, commands: readonly Command[]) => Promise<Reply>) =>
  (transport: Transport): Transport => {
    let sends = 0
    return {
      ...transport,
      request: (partition, commands, options) => {
        const request: Request = (passed) => transport.request(partition, passed, options)
        if (!isSend(commands) || ++sends !== nth) return request(commands)
        return disturb(request, commands)
      },
    }
  }

const lost = (): KirokuError => new KirokuError('Timeout', 'Lost on the way')
const refused = new KirokuError('NotOwner', 'handed over', { retryAfterMs: 0 }).toWire()
const busy = new KirokuError('Busy', 'full', { retryAfterMs: 1 }).toWire()

const disturbances = {
  'is refused by an owner that leaves': (_: Request, commands: readonly Command[]) =>
    Promise.resolve({ epoch: 0, seq: 0, answers: commands.map(() => ({ error: refused })) }),
  'is lost on its way': () => Promise.reject(lost()),
  'is answered, but the answer is lost': async (request: Request, commands: readonly Command[]) => {
    await request(commands)
    throw lost()
  },
  'finds the partition at a limit for its first command': async (
    request: Request,
    [, ...rest]: readonly Command[],
  ) => {
    if (rest.length === 0) return { epoch: 0, seq: 0, answers: [{ error: busy }] }
    const reply = await request(rest)
    return { ...reply, answers: [{ error: busy }, ...reply.answers] }
  },
}

const numbersOf = (ids: readonly string[]): readonly number[] => ids.map((id) => parseMessageId(id).number)
const ascending = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b)

const clientOf = (
  { engine, time }: World,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): Client => createClient(wrap(inProcess(engine)), { clock: time, onEvent: () => {} })

describe('what one client sends is stored in its order, also where one of the requests under way', () => {
  const cases = Object.keys(disturbances).flatMap((name) =>
    [1, 2, 3, 4, 5].map((nth) => [name as keyof typeof disturbances, nth] as const),
  )

  it.each(cases)('[CARD-07] %s: the request %i of a batch of 5,000 in one group', async (name, nth) => {
    await using world = await createWorld()
    const client = clientOf(world, disturbing(nth, disturbances[name]))
    await world.queue('mail', { groups: 'ordered' })
    const messages = Array.from({ length: 5_000 }, (_, body) => ({ body, group: 'one' }))
    const sending = client.sendBatch('mail', messages)
    await world.advance('1 minute')
    const { messageIds } = await sending
    const numbers = numbersOf(messageIds)
    expect(numbers).toEqual(ascending(numbers))
    expect(new Set(numbers).size).toBe(5_000)
  })

  it.each(cases)('[CARD-07] %s: the request %i of sends that nobody awaits', async (name, nth) => {
    await using world = await createWorld()
    const client = clientOf(world, disturbing(nth, disturbances[name]))
    for (const queue of ['mail', 'work', 'news']) await world.queue(queue)
    const ids = new Map<string, Promise<string>[]>()
    for (let i = 0; i < 60; i++)
      for (const queue of ['mail', 'work', 'news']) {
        const id = client.send(queue, 'x'.repeat(20_000)).then(({ messageId }) => messageId)
        ids.set(queue, [...(ids.get(queue) ?? []), id])
        // So that they travel in many requests.
        if (i % 10 === 0) await Promise.resolve()
      }
    await world.advance('1 minute')
    for (const sent of ids.values()) {
      const numbers = numbersOf(await Promise.all(sent))
      expect(numbers).toEqual(ascending(numbers))
    }
  })
})

it('[CARD-07] what is sent again one by one, since one of it was refused, stays before what was sent later', async () => {
  await using world = await createWorld()
  const { client } = world
  await world.queue('mail', { groups: 'ordered' })
  const sent: Promise<PromiseSettledResult<string>>[] = []
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 5; i++) {
      // The engine refuses a message without a group, and with it the send that it travelled in.
      const options = round === 1 && i === 2 ? {} : { group: 'one' }
      const id = client.send('mail', i, options).then(({ messageId }) => messageId)
      sent.push(Promise.allSettled([id]).then(([settled]) => settled))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  await world.advance('1 minute')
  const settled = await Promise.all(sent)
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  const numbers = numbersOf(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
  expect(numbers).toEqual(ascending(numbers))
})
