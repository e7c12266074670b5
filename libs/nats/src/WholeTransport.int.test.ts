import { createHash } from 'node:crypto'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { expect, onTestFinished, test } from 'vitest'
import { connect, type NatsOptions } from './Connection.ts'
import { testCertificate, tlsConfig } from './testing/testCertificate.ts'

const connected = async (options: NatsOptions): Promise<NatsConnection> => {
  const nc = await connect(options)
  onTestFinished(() => nc.close())
  return nc
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test.each(['', 'TLS'])('messages arrive as they were sent, small beside large ones: %s', async (tls) => {
  await using folder = await temporaryFolder()
  const isTls = tls !== ''
  const extraConfig = isTls ? await tlsConfig(folder.path, { verify: false }) : ''
  const server = await startTestNats({ extraConfig })
  onTestFinished(() => server.stop())
  const options = { servers: server.url, ...(isTls ? { tls: { ca: testCertificate.cert } } : {}) }
  const [from, to] = [await connected(options), await connected(options)]
  const arrived: string[] = []
  to.subscribe('any', { callback: (_, { data }) => void arrived.push(sha256(data)) })
  await to.flush()
  const sizes = [0, 1, 32_767, 5_000, 32_768, 32_769, 200, 1_000_000, 300_000, 7]
  const sent = Array.from({ length: 60 }, (_, i) =>
    new Uint8Array(sizes[(7 * i + (i >> 3)) % sizes.length]!).fill(i),
  )
  for (const [i, payload] of sent.entries()) {
    from.publish('any', payload)
    // Some leave with others, some alone.
    if (i % 7 === 0) await from.flush()
  }
  await waitUntil(() => arrived.length === sent.length)
  expect(arrived).toEqual(sent.map(sha256))
})

test('a large payload is written from where it lies', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const nc = await connected({ servers: server.url })
  const payload = new Uint8Array(500_000)
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 20; i++) nc.publish('any', payload)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(payload.length)
  await nc.flush()
})
