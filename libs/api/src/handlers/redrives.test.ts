import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve, type Received } from '../testing/serveTestApi.ts'

engineForEach()

describe('dead letters over HTTP', () => {
  it('redrives dead letters, reports the progress, and the record names who asked', async () => {
    const { ask } = await serve('olga:operator:the-token-of-olga,ann:admin:the-token-of-ann')
    const as = (name: string) => ({ authorization: `Bearer the-token-of-${name}` })
    const settings = { retriesMax: 0, deadLetter: 'dlq' }
    await ask('POST', '/v1/queues', { name: 'orders', settings }, as('ann'))
    for (const body of ['a', 'b']) {
      await ask('POST', '/v1/queues/orders/messages', { body }, as('olga'))
      const { messages } = (await ask('POST', '/v1/queues/orders/receive', {}, as('olga'))).json() as Received
      const receipts = messages.map(({ receipt }) => receipt)
      await ask('POST', '/v1/messages/dead-letter', { receipts, error: `no ${body}` }, as('olga'))
    }
    await waitUntil(async () => (await client.queues.describe('dlq')).counts.available === 2)
    const path = '/v1/queues/dlq/redrives'
    const filter = { error: 'no b' }
    expect((await ask('POST', path, { filter, dryRun: true }, as('olga'))).json()).toMatchObject({
      state: 'completed',
      dryRun: true,
      moved: 1,
      filtered: 1,
      targets: [{ queue: 'orders', moved: 1 }],
    })
    expect((await ask('POST', path, { filter, rateMax: 5 }, as('olga'))).json()).toMatchObject({
      task: 1,
      filter,
      rateMax: 5,
      by: { name: 'olga' },
    })
    const list = async () =>
      (await ask('GET', path, undefined, as('olga'))).json() as { redrives: Record<string, unknown>[] }
    await waitUntil(async () => (await list()).redrives[0]!['state'] === 'completed')
    expect((await list()).redrives).toMatchObject([
      { task: 1, moved: 1 },
      { task: 0, dryRun: true },
    ])
    expect((await ask('POST', `${path}/cancel`, {}, as('olga'))).json()).toMatchObject({
      id: 'UnknownRedrive',
    })
    expect((await ask('POST', path, { filter: { colour: 'red' } }, as('olga'))).status).toBe(400)
    expect((await ask('POST', path, { to: 'dlq' }, as('olga'))).json()).toMatchObject({
      id: 'InvalidArgument',
    })
  })

  it('shows dead letters in groups, and redrives selected ones, with the reason', async () => {
    const { ask } = await serve()
    await client.queues.create('jobs', { deadLetter: 'dead' })
    for (const body of ['a', 'b', 'c']) await client.send('jobs', body)
    for (const message of await client.receive('jobs', { max: 3 })) await message.deadLetter('no stock')
    await expect.poll(async () => (await client.queues.describe('dead')).counts.available).toBe(3)
    const answer = await ask('GET', '/v1/queues/dead/dead-letters')
    expect(answer.json()).toMatchObject({
      queue: 'dead',
      count: 3,
      groups: [{ count: 3, cause: 'onPurpose', error: 'no stock', payload: { text: 'c' } }],
    })
    expect((await ask('GET', '/v1/queues/none/dead-letters')).status).toBe(404)
    const unknown = await ask('GET', '/v1/queues/dead/dead-letters?subscription=none')
    expect(unknown.json()).toMatchObject({ id: 'UnknownSubscription' })
    const begun = await ask('POST', '/v1/queues/dead/redrives', { selection: [2, 2], reason: 'it is back' })
    expect(begun.json()).toMatchObject({ selected: 2, by: { reason: 'it is back' } })
    await expect.poll(async () => (await client.queues.describe('jobs')).counts.available).toBe(2)
    expect((await ask('POST', '/v1/queues/dead/redrives', { selection: [2] })).status).toBe(400)
    const none = { group: 'no such group' }
    const dry = await ask('POST', '/v1/queues/dead/redrives', { ...none, dryRun: true })
    expect(dry.json()).toMatchObject({ state: 'completed', selected: 0, moved: 0, skipped: {}, left: 0 })
    expect((await ask('POST', '/v1/queues/dead/redrives', none)).status).toBe(400)
    const { groups } = answer.json() as { groups: { group: string; samples: string[] }[] }
    const [{ group, samples }] = groups as [{ group: string; samples: string[] }]
    const edit = await ask('POST', `/v1/messages/${samples[2]}/body`, { body: { n: 1 }, reason: 'a mistake' })
    expect(edit.json()).toEqual({ queue: 'dead', number: 1, isEdited: true })
    expect((await ask('POST', `/v1/messages/${samples[2]}/body`, {})).status).toBe(400)
    const rest = await ask('POST', '/v1/queues/dead/redrives', { group })
    expect(rest.json()).toMatchObject({ selected: 1 })
    await expect.poll(async () => (await client.queues.describe('jobs')).counts.available).toBe(3)
    const back = await client.receive('jobs', { max: 3 })
    expect(back.map((message) => message.text())).toEqual(['b', 'c', '{"n":1}'])
  })
})
