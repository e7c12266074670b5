import { waitUntil } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fuzzApi } from '../fuzz/api/fuzzApi.ts'
import { startLivingEngine, type LivingEngine } from '../fuzz/api/LivingEngine.ts'

describe('[SEC-03] nobody takes the engine from the others', () => {
  it(
    '5,000 hostile requests find no error of the server and no hang, and lose no message',
    { timeout: 240_000 },
    async () => {
      const found: string[] = []
      const result = await fuzzApi({ requests: 5_000, seed: 3, tell: (line) => found.push(line) })
      expect(found).toEqual([])
      expect(result).toEqual({ requests: 5_000, serverErrors: 0, hangs: 0, lost: 0 })
    },
  )
})

describe('[SEC-03] beside a caller who asks too much', () => {
  const tokens = ['vic', 'eve'].map((name) => `${name}:viewer:the-token-of-${name}`).join(',')
  let engine: LivingEngine
  beforeEach(async () => {
    engine = await startLivingEngine(['--tokens', `${tokens},ann:admin:the-token-of-ann`])
  })
  afterEach(() => engine.stop())

  const ask = (name: string, path: string, body?: string) =>
    fetch(engine.api + path, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { authorization: `Bearer the-token-of-${name}`, 'content-type': 'application/json' },
    })

  it('searches are answered while another viewer keeps asking for recordings, of which it has its share', async () => {
    await ask('ann', '/v1/queues', '{"name":"mail"}')
    const messages = JSON.stringify({ messages: Array.from({ length: 500 }, (_, n) => ({ body: n })) })
    for (let n = 0; n < 10; n++) await ask('ann', '/v1/queues/mail/messages/batch', messages)
    const search = async () => {
      const response = await ask('vic', '/v1/search?q=queue:mail&limit=1')
      return { status: response.status, answer: (await response.json()) as { readonly messages?: unknown[] } }
    }
    await waitUntil(async () => (await search()).answer.messages?.length === 1, { timeoutMs: 30_000 })
    let isOver = false
    let refused = 0
    const record = async (): Promise<void> => {
      while (!isOver) {
        const response = await ask('eve', '/v1/queues/mail/recording?state=1&frames=1000')
        await response.arrayBuffer()
        if (response.status === 200) continue
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
        refused++
        return
      }
    }
    const recordings = Array.from({ length: 100 }, record)
    for (let n = 0; n < 5; n++) expect((await search()).status).toBe(200)
    isOver = true
    await Promise.all(recordings)
    expect(refused).toBeGreaterThan(0)
  })

  it('a body of five million arrays is refused at once, and holds up nobody', async () => {
    await ask('ann', '/v1/queues', '{"name":"mail"}')
    const body = `{"body":[${'[],'.repeat(5_000_000)}[]]}`
    const refused = ask('ann', '/v1/queues/mail/messages', body)
    const alive = await Promise.all(Array.from({ length: 20 }, () => ask('vic', '/v1/queues')))
    expect(alive.map(({ status }) => status)).toEqual(alive.map(() => 200))
    expect(await (await refused).json()).toMatchObject({ id: 'InvalidArgument' })
  })
})
