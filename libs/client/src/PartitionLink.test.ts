import { KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import type { AbortListener } from './AbortSignalLike.ts'
import { start } from './testing/startClient.ts'

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
