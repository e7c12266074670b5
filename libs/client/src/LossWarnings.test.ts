import { type Command, KirokuError } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { waitUntil } from '@kiroku/testkit'
import { startTestClient, watchedClient } from './startTestClient.ts'

const start = async () => {
  const { client, events } = await startTestClient()
  const warnings = async (queue: string) => (await client.queues.describe(queue)).warnings
  const told = () =>
    events.flatMap((event) => (event.type === 'queueWarning' ? [[event.queue, event.warning]] : []))
  return { client, warnings, told }
}

const isDiscarded = expect.stringMatching(/^A message that fails its last attempt is discarded/) as string

describe('a queue without a dead-letter queue', () => {
  it('is warned about where it is described and listed', async () => {
    const { client, warnings } = await start()
    await client.queues.create('mail')
    expect(await warnings('mail')).toEqual([isDiscarded])
    expect((await client.queues.list())[0]!.warnings).toEqual([isDiscarded])

    await client.queues.update('mail', { deadLetter: 'dead' })
    expect(await warnings('mail')).toEqual([])
  })

  it('is not warned about when it is a dead-letter queue itself, of any queue or subscription', async () => {
    const { client, warnings } = await start()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await client.queues.create(name, { deadLetter: `${name}-dead` })
    await client.queues.subscriptions.create('a', 'billing', { deadLetter: 'billing-dead' })
    for (const name of [...names.map((name) => `${name}-dead`), 'billing-dead'])
      expect([name, await warnings(name)]).toEqual([name, []])
    expect((await client.queues.list()).flatMap((queue) => queue.warnings)).toEqual([])
  })

  it('is not warned about as soon as a change of this client names it', async () => {
    const { client, warnings } = await start()
    for (const name of ['mail', 'dead', 'lost']) await client.queues.create(name)
    expect([await warnings('dead'), await warnings('lost')]).toEqual([[isDiscarded], [isDiscarded]])
    await client.queues.update('mail', { deadLetter: 'dead' })
    expect(await warnings('dead')).toEqual([])
    await client.queues.subscriptions.create('mail', 'billing', { deadLetter: 'lost' })
    expect(await warnings('lost')).toEqual([])
  })

  it('is judged, and deleted, without a look at what all other queues are', async () => {
    const test = await startTestClient()
    for (const name of ['mail', 'other'])
      await test.client.queues.create(name, { deadLetter: `${name}-dead` })
    const asked: Command[] = []
    const { queues } = watchedClient(test, (commands) => void asked.push(...commands))
    for (const name of ['mail', 'mail-dead']) expect((await queues.describe(name)).warnings).toEqual([])
    await expect(queues.delete('mail-dead')).rejects.toMatchObject({ id: 'QueueInUse' })
    await queues.delete('mail')
    const lists = asked.filter((command) => command.type === 'ListQueues')
    expect(lists.length).toBeGreaterThan(0)
    for (const { page } of lists) expect(['mail', 'mail-dead']).toContain(page?.deadLetter)
  })

  it('is not judged while a partition is closed, but can be deleted', async () => {
    const test = await startTestClient()
    await test.client.queues.create('mail')
    const { queues } = watchedClient(test, (commands) => {
      if (commands.some(({ type }) => type === 'ListQueues'))
        throw new KirokuError('Quarantined', 'the log of partition 0 is damaged')
    })
    expect((await queues.describe('mail')).warnings).toEqual([])
    await queues.delete('mail')
    expect(await test.client.queues.list()).toEqual([])
  })

  it('names the subscriptions that have none', async () => {
    const { client, warnings } = await start()
    await client.queues.create('mail', { deadLetter: 'dead' })
    await client.queues.subscriptions.create('mail', 'billing', { deadLetter: null })
    expect(await warnings('mail')).toEqual([
      expect.stringMatching(/^Subscription billing: A message that fails/),
    ])
  })

  it('is not warned about when it deletes itself, as reply queues do', async () => {
    const { client, warnings } = await start()
    await client.queues.create('passing', { idleMs: 60_000 })
    expect(await warnings('passing')).toEqual([])
  })

  it('is reported once when it is consumed', async () => {
    const { client, told } = await start()
    for (const name of ['mail', 'other']) await client.queues.create(name)
    await client.queues.create('safe', { deadLetter: 'dead' })
    const seen: string[] = []
    const consume = (queue: string) => client.consumeEach(queue, (message) => seen.push(message.queue))
    for (const queue of ['mail', 'mail', 'safe', 'dead']) consume(queue)
    await waitUntil(() => told().length > 0)
    consume('other')
    await waitUntil(() => told().length > 1)
    expect(told()).toEqual([
      ['mail', isDiscarded],
      ['other', isDiscarded],
    ])
  })
})
