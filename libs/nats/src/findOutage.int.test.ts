import { startNatsCluster, startTestNats, waitUntil } from '@kiroku/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from './Connection.ts'
import { findOutage } from './findOutage.ts'
import { requireJetStream } from './requireJetStream.ts'

const failure = (id: string) => expect.objectContaining({ id })

test('a NATS that is frozen does not answer, and answers again once it goes on', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  expect(await findOutage(nc, 1_000)).toBeUndefined()
  await server.kill('SIGSTOP')
  expect(await waitUntil(() => findOutage(nc, 200))).toEqual(failure('NatsUnreachable'))
  await server.kill('SIGCONT')
  await waitUntil(async () => (await findOutage(nc, 1_000)) === undefined)
})

test('a NATS without JetStream is told from one that does not answer', async () => {
  const server = await startTestNats({ jetStream: false })
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  expect(await findOutage(nc, 1_000)).toEqual(failure('JetStreamDisabled'))
})

test('a user who may not ask JetStream is told so', async () => {
  const user = '{ user: a, password: b, permissions: { publish: "other.>" } }'
  const server = await startTestNats({ extraConfig: `authorization { users: [${user}] }` })
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url, user: 'a', pass: 'b' })
  onTestFinished(() => nc.close())
  expect(await findOutage(nc, 1_000)).toEqual(failure('NatsForbidden'))
})

test('a cluster of which two of three servers are gone has no quorum', { timeout: 60_000 }, async () => {
  const cluster = await startNatsCluster()
  onTestFinished(() => cluster.stop())
  const nc = await connect({ servers: cluster.urls[0]! })
  onTestFinished(() => nc.close())
  await waitUntil(
    async () => {
      const { streams } = await requireJetStream(nc)
      return streams.add({ name: 'S', subjects: ['s'], num_replicas: 3 })
    },
    { timeoutMs: 30_000 },
  )
  expect(await findOutage(nc, 1_000, 'S')).toBeUndefined()
  expect(await findOutage(nc, 1_000, 'none')).toBeUndefined()
  await Promise.all([cluster.servers[1]!.kill(), cluster.servers[2]!.kill()])
  expect(await waitUntil(() => findOutage(nc, 1_000), { timeoutMs: 30_000 })).toEqual(failure('NoQuorum'))
  await waitUntil(async () => (await findOutage(nc, 1_000, 'S'))?.message.includes('S has no leader'), {
    timeoutMs: 30_000,
  })
})
