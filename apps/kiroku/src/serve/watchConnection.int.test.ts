import { connect } from '@kiroku/nats'
import { startTestNats, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { watchConnection } from './watchConnection.ts'

it('a connection to NATS that is lost and restored is told of once each, and one that is closed is not', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  const told: unknown[] = []
  let downs = 0
  const connection = watchConnection(nc, (...line) => told.push(line))
  connection.onDown(() => downs++)
  expect(connection.up()).toBe(true)

  await server.kill()
  await waitUntil(() => !connection.up())
  await server.restart()
  await waitUntil(() => connection.up())
  const from = new URL(server.url).host
  expect(told).toEqual([
    ['warn', 'NATS is lost', { server: from }],
    ['info', 'NATS is back', { server: from, awayMs: expect.any(Number) as number }],
  ])

  const before = downs
  await nc.close()
  await waitUntil(() => downs > before)
  expect(told).toHaveLength(2)
})
