import { bodyOf, gatherDeadLetters, Hiding, queuesOfLog, trace } from '@kiroku/audit'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { parseTokens, Tokens, type OpenDoor } from '@kiroku/doors'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../startApi.ts'
import { unusedTestDependencies } from '../testing/unusedTestDependencies.ts'

let engine: MemoryEngine
let client: Client
let api: OpenDoor
let reveals: string[]

const sightOf = async (asOperator = false) => ({
  hiding: new Hiding(await queuesOfLog(engine.log, { decodeCheckpoint, now: Date.now() })),
  asOperator,
})

beforeEach(async () => {
  engine = await startMemoryEngine()
  client = createClient(inProcess(engine.node()))
  reveals = []
  api = await startApi(
    {
      ...unusedTestDependencies,
      client,
      record: (asker) => ({
        ...unusedTestDependencies.record(asker),
        trace: async ({ messageId, asOperator }) =>
          trace(engine.log, messageId, { sight: await sightOf(asOperator) }),
        deadLetters: async ({ queue, asOperator }) =>
          gatherDeadLetters(engine.log, queue, { decodeCheckpoint, sight: await sightOf(asOperator) }),
      }),
      body: (found) => bodyOf(engine.log, found),
    },
    {
      host: '127.0.0.1',
      port: 0,
      tokens: new Tokens(parseTokens('vic:viewer:the-token-of-vic,olga:operator:the-token-of-olga')),
      console: { folder: '/nowhere', isReadOnly: true, missing: () => ({ why: '', soon: false }) },
      bodyBytesMax: 1_000,
      drainMs: 100,
      onReveal: ({ messageId, by }) => reveals.push(`${by.name} ${messageId}`),
    },
  )
})

afterEach(async () => {
  await api.close()
  await client.close()
  await engine.close()
})

const get = (path: string, who = 'vic') =>
  // As a page would.
  fetch(`${api.url}/v1/${path}`, {
    headers: { authorization: `Bearer the-token-of-${who}`, 'sec-fetch-site': 'same-origin' },
  })
const ask = (id: string, query = '', who?: string) => get(`messages/${id}/body${query}`, who)
const look = async (id: string, query = '', who?: string): Promise<unknown> =>
  (await ask(id, query, who)).json()

describe('the body of a message', () => {
  it('is shown as it was sent, with its attributes', async () => {
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

  it("is the edited one, with the message's origin", async () => {
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

  it('is cut when it is long, and can be downloaded in full', async () => {
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

describe('the body of a message that a queue hides', () => {
  /** One that became a dead letter. */
  const die = async (queue: string, body: string, error: string): Promise<string> => {
    const { messageId } = await client.send(queue, body)
    for (const message of await client.receive(queue)) await message.deadLetter(error)
    return messageId
  }
  const samples = async (queue: string, who?: string) => {
    const { groups } = (await (await get(`queues/${queue}/dead-letters`, who)).json()) as {
      groups: { error: string; hidden?: true; payload: { text: string; bytes: number } }[]
    }
    return Object.fromEntries(groups.map(({ error, hidden, payload }) => [error, hidden ?? payload.text]))
  }

  it('is shown to an operator who asks for it, even on a read-only console, and that is logged', async () => {
    await client.queues.create('mail', { bodyHidden: 'on' })
    const { messageId } = await client.send('mail', 'a secret', { attributes: { a: 'b' } })
    expect(await look(messageId)).toEqual({
      payload: { contentType: 'text/plain', bytes: 8, text: '', isBase64: false, isCut: true },
      contentType: 'text/plain',
      attributes: {},
      enqueuedAt: expect.any(Number) as number,
      hidden: true,
    })
    expect(await look(messageId, '', 'olga')).toMatchObject({
      payload: { text: '' },
      attributes: { a: 'b' },
      hidden: true,
    })
    for (const query of ['?reveal=1', '?full=1', '?full=1&reveal=1'])
      expect(await look(messageId, query)).toMatchObject({ id: 'Forbidden' })
    expect(reveals).toEqual([])
    expect(await look(messageId, '?reveal=1', 'olga')).toMatchObject({ payload: { text: 'a secret' } })
    expect(await (await ask(messageId, '?full=1&reveal=1', 'olga')).text()).toBe('a secret')
    expect(reveals).toEqual([`olga ${messageId}`, `olga ${messageId}`])
    await client.queues.update('mail', { bodyHidden: 'off' })
    expect(await look(messageId, '?reveal=1')).toMatchObject({ payload: { text: 'a secret' } })
    expect(reveals).toHaveLength(2)
  })

  it('stays hidden wherever it goes, and after the queue is deleted', async () => {
    await client.queues.create('mail', { bodyHidden: 'on', deadLetter: 'dead' })
    await client.queues.create('plain', { deadLetter: 'dead' })
    const secret = await die('mail', 'a secret', 'odd')
    const open = await die('plain', 'no secret', 'even')
    await expect.poll(async () => (await client.queues.describe('dead')).counts.available).toBe(2)
    expect(await samples('dead')).toEqual({ '': true, even: 'no secret' })
    expect(await samples('dead', 'olga')).toEqual({ odd: true, even: 'no secret' })
    expect(await look(secret)).toMatchObject({ hidden: true, lineage: { queue: 'mail' } })
    expect(await look(open)).toMatchObject({ payload: { text: 'no secret' } })
    // Forwarded through a queue that hides nothing.
    await client.queues.create('other', { deadLetter: 'dead2' })
    await client.queues.redrive('dead', { to: 'other' })
    await expect.poll(async () => (await client.queues.describe('other')).counts.available).toBe(2)
    for (const message of await client.receive('other', { max: 2 })) await message.deadLetter(message.text())
    await expect.poll(async () => (await client.queues.describe('dead2')).counts.available).toBe(2)
    expect(await samples('dead2')).toEqual({ '': true, 'no secret': 'no secret' })
    await client.queues.delete('mail')
    expect(await look(secret)).toMatchObject({ hidden: true, payload: { text: '' } })
  })

  it('cannot be searched by its values', async () => {
    const both = client.queues.create('mail', { bodyHidden: 'on', indexBody: 'on' })
    await expect(both).rejects.toMatchObject({ id: 'InvalidConfig' })
  })
})
