import { KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
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
