import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, startTestNats, temporaryFolder } from '@kiroku/testkit'
import { expect, test } from 'vitest'
import { connect } from './Connection.ts'
import { requireJetStream } from './requireJetStream.ts'

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
    await expect(connect({ servers: server.url, token: 'wrong' })).rejects.toEqual(failure('NatsUnreachable'))
    await expect(connect({ servers: server.url })).rejects.toEqual(failure('NatsUnreachable'))
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
    await expect(connect({ servers: server.url, nkey: `${path}.missing` })).rejects.toThrow('seed.missing')
  } finally {
    await server.stop()
  }
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
