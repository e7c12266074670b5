import { startNatsCluster, startTestNats, waitUntil } from '@kiroku/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from './Connection.ts'
import { checkJetStream } from './checkJetStream.ts'

const failure = (id: string) => expect.objectContaining({ id })

test('a NATS that is frozen does not answer, and answers again once it goes on', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  await checkJetStream(nc, 1_000)
  await server.kill('SIGSTOP')
  await expect(checkJetStream(nc, 200)).rejects.toEqual(failure('NatsUnreachable'))
  await server.kill('SIGCONT')
  await checkJetStream(nc, 1_000)
})

test('a NATS without JetStream is told from one that does not answer', async () => {
  const server = await startTestNats({ jetStream: false })
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  await expect(checkJetStream(nc, 1_000)).rejects.toEqual(failure('JetStreamDisabled'))
})

test('a user who may not ask JetStream is told so', async () => {
  const user = '{ user: a, password: b, permissions: { publish: "other.>" } }'
  const server = await startTestNats({ extraConfig: `authorization { users: [${user}] }` })
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url, user: 'a', pass: 'b' })
  onTestFinished(() => nc.close())
  await expect(checkJetStream(nc, 1_000)).rejects.toEqual(failure('NatsForbidden'))
})

test('a cluster of which two of three servers are gone has no quorum', { timeout: 60_000 }, async () => {
  const cluster = await startNatsCluster()
  onTestFinished(() => cluster.stop())
  const nc = await connect({ servers: cluster.urls[0]! })
  onTestFinished(() => nc.close())
  await waitUntil(() => checkJetStream(nc, 1_000).then(() => true), { timeoutMs: 30_000 })
  await Promise.all([cluster.servers[1]!.kill(), cluster.servers[2]!.kill()])
  const asked = () => checkJetStream(nc, 1_000).catch((error: unknown) => error)
  expect(await waitUntil(asked, { timeoutMs: 30_000 })).toEqual(failure('NoQuorum'))
})
