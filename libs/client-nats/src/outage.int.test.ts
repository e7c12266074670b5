import { connect } from '@kiroku/nats'
import { startTestNats, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { natsTransport } from './natsTransport.ts'

it('a client with rights of its own tells a NATS that is gone from one that is silent', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  const { outage } = natsTransport(nc, { as: 'shop', link: 'off' })
  expect(await outage!()).toBeUndefined()
  await server.kill('SIGSTOP')
  // What came back before the server froze proves nothing.
  const silent = await waitUntil(() => outage!())
  expect(silent).toMatchObject({
    id: 'NatsUnreachable',
    message: expect.stringMatching(/^NATS did not answer within \d+ ms$/) as string,
  })
  await server.kill('SIGKILL')
  await waitUntil(async () => (await outage!())?.message === 'There is no connection to NATS')
})
