import { KirokuError, type Reply } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import type { AbortListener } from './AbortSignalLike.ts'
import { start } from './testing/startClient.ts'

/** How a receive failed, and after how long: infinite when it has not within `mostMs`. */
const failed = async (time: ManualTime, receiving: Promise<unknown>, mostMs: number) => {
  const beganMs = time.now()
  let tookMs = Infinity
  let error: unknown
  receiving.catch((thrown: unknown) => {
    error = thrown
    tookMs = time.now() - beganMs
  })
  while (time.now() - beganMs < mostMs && tookMs === Infinity) await time.advance(100)
  return { tookMs, error }
}

it('a receive is not repeated between a refusal by the owner that leaves and the announcement of the next', async () => {
  let asked = 0
  let isLeaving = false
  let announce = (_partition: number, _epoch: number): void => {}
  const { client, events } = await start({}, (transport) => ({
    ...transport,
    request: async (partition, commands, options): Promise<Reply> => {
      if (commands[0]?.type === 'Receive') asked++
      if (isLeaving) throw new KirokuError('NotOwner', 'The partition is handed over')
      return transport.request(partition, commands, options)
    },
    onOwnerChanged: (listener) => {
      announce = listener
      return transport.onOwnerChanged(listener)
    },
  }))
  await client.queues.create('mail')
  await client.send('mail', 'hello')
  const { partition, epoch } = (await client.partitions()).find(({ queues }) => queues > 0)!
  isLeaving = true
  const waiting = client.receive('mail', { waitMs: 20_000 })
  const retries = () => events.filter(({ type }) => type === 'retrying')
  await waitUntil(() => retries().length === 1)
  expect(retries()).toMatchObject([{ delayMs: 1_000 }])
  isLeaving = false
  announce(partition, epoch)
  expect((await waiting).map((message) => message.text())).toEqual(['hello'])
  expect(asked).toBe(2)
})

it.each([{}, { waitMs: 0 }, { waitMs: 20_000 }])(
  'a receive with %j is given up when nobody has been there for the time of a request, however long it might have waited',
  async (options) => {
    const time = new ManualTime()
    let isThere = true
    const { client } = await start({ clock: time, requestTimeoutMs: 30_000 }, (transport) => ({
      ...transport,
      request: (...asked) =>
        isThere
          ? transport.request(...asked)
          : Promise.reject(new KirokuError('NatsUnreachable', 'There is no connection')),
    }))
    await client.queues.create('mail')
    isThere = false
    const { tookMs, error } = await failed(time, client.receive('mail', options), 40_000)
    expect(tookMs).toBeGreaterThanOrEqual(30_000)
    expect(tookMs).toBeLessThan(35_000)
    expect(error).toMatchObject({ id: 'NatsUnreachable' })
  },
)

it('a receive whose requests all time out is given up after its wait and the time of a request', async () => {
  const time = new ManualTime()
  let isFrozen = false
  const { client } = await start({ clock: time, requestTimeoutMs: 30_000 }, (transport) => ({
    ...transport,
    request: async (partition, commands, options): Promise<Reply> => {
      if (!isFrozen) return transport.request(partition, commands, options)
      // Timers are late now and then.
      await time.sleep(options.timeoutMs + 1)
      throw new KirokuError('Timeout', 'no answer')
    },
  }))
  await client.queues.create('mail')
  isFrozen = true
  const { tookMs, error } = await failed(time, client.receive('mail', { waitMs: 5_000 }), 100_000)
  expect(tookMs).toBeLessThan(60_000)
  expect(error).toMatchObject({ id: 'Timeout' })
})

it('a receive that has long been waiting when its request fails is repeated as long as any other', async () => {
  const time = new ManualTime()
  let isWaiting = false
  let isThere = true
  const { client } = await start({ clock: time, requestTimeoutMs: 30_000 }, (transport) => ({
    ...transport,
    request: async (partition, commands, options): Promise<Reply> => {
      if (commands[0]?.type === 'Receive' && !isWaiting) {
        isWaiting = true
        await time.sleep(45_000)
        isThere = false
      }
      if (!isThere) throw new KirokuError('Unavailable', 'there is no owner')
      return transport.request(partition, commands, options)
    },
  }))
  await client.queues.create('mail')
  await client.send('mail', 'hello')
  const received = client.receive('mail', { waitMs: 60_000 })
  await waitUntil(() => isWaiting)
  await time.advance(70_000)
  isThere = true
  await time.advance(4_000)
  expect((await received).map((message) => message.text())).toEqual(['hello'])
})

it('giving up a receive that was repeated cancels the poll that waits now', async () => {
  const polls: string[] = []
  const cancelled: string[] = []
  const { client } = await start({}, (transport) => ({
    ...transport,
    request: async (partition, commands, options): Promise<Reply> => {
      const [command] = commands
      if (command?.type === 'CancelReceive') cancelled.push(command.poll)
      if (command?.type === 'Receive' && polls.push(command.poll) === 1)
        throw new KirokuError('Unavailable', 'there is no owner', { retryAfterMs: 0 })
      return transport.request(partition, commands, options)
    },
  }))
  await client.queues.create('mail')
  const stop = new AbortController()
  const waiting = client.receive('mail', { waitMs: 20_000, signal: stop.signal })
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
  expect(polls).toHaveLength(2)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  expect(cancelled).toEqual([polls[1]])
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 0)
})

it('a receive is given up by whatever has the few members of an AbortSignal that it uses', async () => {
  const listeners = new Set<AbortListener>()
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_: 'abort', listener: AbortListener) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: AbortListener) => void listeners.delete(listener),
  }
  const { client } = await start()
  await client.queues.create('mail')
  await client.send('mail', 'one')
  expect(await client.receive('mail', { signal })).toHaveLength(1)
  expect(listeners.size).toBe(0)
  const waiting = client.receive('mail', { waitMs: 20_000, signal })
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
  signal.aborted = true
  signal.reason = new Error('enough')
  for (const listener of listeners) listener.handleEvent()
  await expect(waiting).rejects.toThrow('enough')
  expect(listeners.size).toBe(0)
  await expect(client.receive('mail', { signal })).rejects.toThrow('enough')
})
