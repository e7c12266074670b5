import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, startTestNats, temporaryFolder } from '@kiroku/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from './Connection.ts'
import { requireJetStream } from './requireJetStream.ts'
import { testCertificate, tlsConfig } from './testing/testCertificate.ts'

const failure = (id: string) => expect.objectContaining({ id })

test('an address where nothing listens is a typed error that names it', async () => {
  const servers = `nats://127.0.0.1:${await freePort()}`
  await expect(connect({ servers })).rejects.toEqual(failure('NatsUnreachable'))
  await expect(connect({ servers })).rejects.toThrow(servers)
})

test('a token is passed through, and a wrong one refused', async () => {
  const server = await startTestNats({ extraConfig: 'authorization { token: "secret" }' })
  try {
    const nc = await connect({ servers: server.url, token: 'secret' })
    await requireJetStream(nc)
    await nc.close()
    await expect(connect({ servers: server.url, token: 'wrong' })).rejects.toEqual(
      failure('NatsUnauthorized'),
    )
    await expect(connect({ servers: server.url })).rejects.toEqual(failure('NatsUnauthorized'))
  } finally {
    await server.stop()
  }
})

test('an NKey is read from its file', async () => {
  const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY'
  const key = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4'
  const server = await startTestNats({ extraConfig: `authorization { users: [{ nkey: ${key} }] }` })
  await using folder = await temporaryFolder()
  try {
    const path = join(folder.path, 'seed')
    await writeFile(path, `${seed}\n`)
    const nc = await connect({ servers: server.url, nkey: path })
    await nc.flush()
    await nc.close()
    const missing = connect({ servers: server.url, nkey: `${path}.missing` })
    await expect(missing).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringContaining('seed.missing') as string,
    })
    await writeFile(path, seed.slice(1))
    await expect(connect({ servers: server.url, nkey: path })).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringContaining(`there is no NKey seed in ${path}`) as string,
    })
  } finally {
    await server.stop()
  }
})

test('a malformed address is told from a server that is away', async () => {
  await expect(connect({ servers: 'nats://:::' })).rejects.toEqual(failure('InvalidArgument'))
})

test('a certificate that is not trusted is told from a server that is away', async () => {
  await using folder = await temporaryFolder()
  const server = await startTestNats({ extraConfig: await tlsConfig(folder.path, { verify: false }) })
  onTestFinished(() => server.stop())
  const { cert } = testCertificate
  const nc = await connect({ servers: server.url, tls: { ca: cert } })
  await nc.close()
  const refused = (tls?: { ca?: string; cert?: string; key?: string }) =>
    connect({ servers: server.url, ...(tls === undefined ? {} : { tls }) }).catch((error: unknown) => error)
  expect(await refused()).toEqual(failure('NatsTlsFailed'))
  expect(await refused({ ca: cert, cert: 'no certificate', key: 'no key' })).toEqual(failure('NatsTlsFailed'))
})

test('a server that wants a certificate, and one that has no TLS, are told from one that is away', async () => {
  await using folder = await temporaryFolder()
  const server = await startTestNats({ extraConfig: await tlsConfig(folder.path, { verify: true }) })
  onTestFinished(() => server.stop())
  const { cert, key } = testCertificate
  const nc = await connect({ servers: server.url, tls: { ca: cert, cert, key } })
  await nc.close()
  await expect(connect({ servers: server.url, tls: { ca: cert } })).rejects.toEqual(failure('NatsTlsFailed'))
  const plain = await startTestNats()
  onTestFinished(() => plain.stop())
  await expect(connect({ servers: plain.url, tls: { ca: cert } })).rejects.toEqual(failure('NatsTlsFailed'))
})

test('a server without JetStream is a typed error', async () => {
  const server = await startTestNats({ jetStream: false })
  try {
    const nc = await connect({ servers: server.url })
    await expect(requireJetStream(nc)).rejects.toEqual(failure('JetStreamDisabled'))
    await nc.close()
  } finally {
    await server.stop()
  }
})
