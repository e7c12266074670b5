import { KirokuError } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve, type Received } from '../testing/serveTestApi.ts'

engineForEach()

describe('failures in the HTTP API', () => {
  it('answers an unsupported content type with the supported one', async () => {
    const { ask } = await serve()
    const answer = await ask('POST', '/v1/queues', '<q/>', { 'content-type': 'text/xml' })
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({
      id: 'InvalidArgument',
      message: 'send the body as content-type: application/json',
    })
  })

  it('reports a defect once and does not show it', async () => {
    const secret = new Error('a detail')
    const { ask, defects } = await serve('', { clusterStatus: () => Promise.reject(secret) })
    const answer = await ask('GET', '/v1/cluster')
    expect(answer.status).toBe(500)
    expect(answer.json()).toMatchObject({ id: 'Internal' })
    expect(answer.text).not.toContain('a detail')
    expect(defects).toEqual([[secret, 'GET /v1/cluster']])
  })

  it('reports an error of Kiroku that no caller can fix, and shows it', async () => {
    const damage = new KirokuError('LogDamaged', 'record 7 is gone')
    const { ask, defects } = await serve('', { clusterStatus: () => Promise.reject(damage) })
    const answer = await ask('GET', '/v1/cluster')
    expect([answer.status, answer.json()]).toMatchObject([500, { id: 'LogDamaged', message: damage.message }])
    expect(defects).toEqual([[damage, 'GET /v1/cluster']])
  })

  it('reports an answer that its schema refuses, with the queue and the field, and hides no other queue', async () => {
    for (const name of ['a', 'b', 'c']) await client.queues.create(name)
    const { queues } = await client.queues.survey()
    const spoilt = queues.map((queue) =>
      queue.name === 'b' ? { ...queue, counts: { ...queue.counts, committed: Number.NaN } } : queue,
    )
    const { ask, defects } = await serve('', {
      client: {
        queues: {
          survey: () => Promise.resolve({ queues: spoilt, missing: [] }),
          describe: () => Promise.resolve(spoilt[1]!),
        },
      } as never,
    })
    const list = await ask('GET', '/v1/queues')
    expect(list.status).toBe(200)
    expect(list.json()).toMatchObject({
      queues: [{ name: 'a' }, { name: 'c' }],
      missing: [
        { queue: 'b', problem: { id: 'Internal', message: expect.stringContaining('"b"') as string } },
      ],
    })
    const alone = await ask('GET', '/v1/queues/b')
    expect([alone.status, alone.json()]).toMatchObject([500, { id: 'Internal' }])
    expect(defects.map(([error, request]) => [(error as Error).message, request])).toEqual([
      [
        expect.stringMatching(/^queue "b" does not fit its schema: .*\["counts"\]\["committed"\]/),
        'GET /v1/queues',
      ],
      [expect.stringMatching(/^the answer does not fit .*\["counts"\]\["committed"\]/), 'GET /v1/queues/b'],
    ])
  })

  it("reports failures outside the API's routes, and answers JSON there too", async () => {
    const broken = new Error('no metrics')
    const fail = (): never => {
      throw broken
    }
    const { ask, defects } = await serve('', { metrics: fail, notReady: fail })
    for (const path of ['/metrics', '/health/ready']) {
      const answer = await ask('GET', path)
      expect([answer.status, answer.json()]).toMatchObject([500, { id: 'Internal' }])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(defects).toEqual([
      [broken, 'GET /metrics'],
      [broken, 'GET /health/ready'],
    ])
  })

  it.each([
    [
      'a number of many digits',
      '/v1/queues/q/messages',
      (deep: string) => `{"body":[12345678901234567890,${deep}]}`,
    ],
    ['several messages', '/v1/queues/q/messages/batch', (deep: string) => `{"messages":[{"body":${deep}}]}`],
    ['settings', '/v1/queues', (deep: string) => `{"name":"r","settings":{"bodySchema":{"x":${deep}}}}`],
  ])('refuses JSON that is nested too deep: %s', async (_, path, around) => {
    const { ask, defects } = await serve()
    await client.queues.create('q')
    const answer = await ask('POST', path, around('['.repeat(3_000) + ']'.repeat(3_000)))
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { id: 'InvalidArgument', message: 'the JSON goes deeper than 1000 levels' },
    ])
    expect(defects).toEqual([])
  })

  it('takes JSON up to the stated depth, and does not count brackets in text', async () => {
    const { ask } = await serve()
    await client.queues.create('q')
    const deep = `${'['.repeat(998)}12345678901234567890${']'.repeat(998)}`
    const bodies = [deep, JSON.stringify('\\"' + '['.repeat(3_000))]
    for (const body of bodies)
      expect((await ask('POST', '/v1/queues/q/messages', `{"body":[${body}]}`)).status).toBe(200)
    const received = await ask('POST', '/v1/queues/q/receive', { max: 2 })
    for (const body of bodies) expect(received.text).toContain(`"body":[${body}]`)
  })

  it('delivers JSON from another client that is nested too deep as text', async () => {
    const { ask, defects } = await serve()
    await client.queues.create('q')
    const deep = '['.repeat(4_000) + ']'.repeat(4_000)
    await client.send('q', deep, { contentType: 'application/json' })
    const { messages } = (await ask('POST', '/v1/queues/q/receive', {})).json() as Received
    expect(messages).toMatchObject([{ body: deep }])
    expect(defects).toEqual([])
  })
})
