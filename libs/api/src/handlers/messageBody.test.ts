import { bodyOf, trace } from '@kiroku/audit'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startApi, type RunningApi } from '../startApi.ts'
import { unusedTestSources } from '../unusedTestSources.ts'

let engine: MemoryEngine
let client: Client
let api: RunningApi

beforeEach(async () => {
  engine = await startMemoryEngine()
  client = createClient(inProcess(engine.node()))
  api = await startApi(
    {
      ...unusedTestSources,
      client,
      trace: (id) => trace(engine.log, id),
      body: (found) => bodyOf(engine.log, found),
    },
    { host: '127.0.0.1', port: 0, tokens: [], bodyBytesMax: 1_000, drainMs: 100 },
  )
})

afterEach(async () => {
  await api.close()
  await client.close()
  await engine.close()
})

const ask = async (id: string, query = '') => fetch(`${api.url}/v1/messages/${id}/body${query}`)
const look = async (id: string, query = ''): Promise<unknown> => (await ask(id, query)).json()

describe('the body of a message', () => {
  it('is shown as it was sent, with what travels beside it', async () => {
    await client.queues.create('mail', { groups: 'ordered' })
    const body = '{"id":12345678901234567890}'
    const beside = {
      tag: 'eu',
      group: 'g1',
      attributes: { a: 'b' },
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    }
    const { messageId } = await client.send('mail', body, { ...beside, contentType: 'application/json' })
    expect(await look(messageId)).toEqual({
      payload: { contentType: 'application/json', bytes: 27, text: body, isBase64: false, isCut: false },
      contentType: 'application/json',
      ...beside,
      enqueuedAt: expect.any(Number) as number,
    })
  })

  it('is that which took the place of the first, with where the message came from', async () => {
    await client.queues.create('jobs', { deadLetter: 'dead' })
    const { messageId } = await client.send('jobs', 'a typo')
    for (const message of await client.receive('jobs')) await message.deadLetter('no such word')
    await expect.poll(async () => (await client.queues.describe('dead')).counts.available).toBe(1)
    await client.queues.editBody('dead', { number: 1, messageId, body: 'a word' })
    expect(await look(messageId)).toMatchObject({
      payload: { text: 'a word' },
      lineage: { queue: 'jobs', error: 'no such word', messageId },
    })
  })

  it('is cut when it is long, and can be saved as a whole', async () => {
    await client.queues.create('big')
    const body = new Uint8Array(300 * 1024).fill(0xff)
    const { messageId } = await client.send('big', body)
    expect(await look(messageId)).toMatchObject({
      payload: { bytes: body.length, isBase64: true, isCut: true },
    })
    const saved = await ask(messageId, '?full=1')
    expect(Buffer.from(await saved.arrayBuffer()).equals(body)).toBe(true)
    expect(Object.fromEntries(saved.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${messageId}"`,
      'x-content-type-options': 'nosniff',
    })
  })

  it('says why it cannot be read', async () => {
    await client.queues.create('mail', { erasable: 'message' })
    const { messageId } = await client.send('mail', 'a secret')
    await client.queues.erase('mail', { messageId, reason: 'asked for' })
    expect(await look(messageId)).toMatchObject({ payload: { text: '', bytes: 0 }, unreadable: 'erased' })
    const saved = await ask(messageId, '?full=1')
    expect([saved.status, await saved.json()]).toMatchObject([404, { id: 'UnknownMessage' }])
    expect(await look('abc-0-1-1')).toMatchObject({ id: 'UnknownMessage' })
    expect(await look(messageId, '?full=maybe')).toMatchObject({ id: 'InvalidArgument' })
  })
})
