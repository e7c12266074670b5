import type { Command } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { startTestClient, watchedClient } from './startTestClient.ts'

/** How many messages each send of a client has that sends single messages and, meanwhile, a batch. */
const sendsOf = async (singles: number, singleBytes: number, batch: number, batchBytes: number) => {
  const test = await startTestClient()
  await test.client.queues.create('mail')
  const counts: number[] = []
  const client = watchedClient(test, (commands: readonly Command[]) => {
    for (const command of commands) if (command.type === 'Enqueue') counts.push(command.messages.length)
  })
  // Both are gathered in one turn, once the client knows the log.
  await client.send('mail', 'first')
  counts.length = 0
  const body = (bytes: number) => new Uint8Array(bytes)
  await Promise.all([
    ...Array.from({ length: singles }, () => client.send('mail', body(singleBytes))),
    client.sendBatch(
      'mail',
      Array.from({ length: batch }, () => ({ body: body(batchBytes) })),
    ),
    client.send('mail', 'last'),
  ])
  return counts
}

describe('a batch', () => {
  it.each([
    ['messages', 950, 1, 100, 1],
    ['bytes', 7, 100_000, 3, 100_000],
  ])('stays together where what is sent besides leaves no room for all of its %s', async (_, ...sizes) => {
    const [singles, , batch] = sizes
    expect(await sendsOf(...sizes)).toEqual([singles, batch + 1])
  })

  it('shares a send with what is sent besides where it fits', async () => {
    expect(await sendsOf(900, 1, 99, 1)).toEqual([1_000])
  })

  it('of more than fits into one send begins with a full one', async () => {
    expect(await sendsOf(10, 1, 1_500, 1)).toEqual([10, 1_000, 501])
  })
})
