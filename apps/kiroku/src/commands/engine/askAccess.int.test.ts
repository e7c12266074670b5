import { connect, type NatsOptions } from '@kiroku/nats'
import { Access } from '@kiroku/nats-access'
import type { StartServerOptions } from '@kiroku/nats-server'
import { startTestNats, temporaryFolder } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { catalogueStream } from '../../log/logAdapter.ts'
import { askAccess } from './askAccess.ts'

/** What is found at a server that holds a log. */
const found = async (server: StartServerOptions, key: Partial<NatsOptions> = {}) => {
  const { url, stop } = await startTestNats(server)
  onTestFinished(stop)
  const target = { servers: url, ...key }
  const nats = await connect(target)
  onTestFinished(() => nats.close())
  const stream = { name: catalogueStream, subjects: ['$KV.KIROKU_CATALOGUE.>'] }
  await nats.request(`$JS.API.STREAM.CREATE.${catalogueStream}`, JSON.stringify(stream))
  return askAccess(nats, target)
}

it('a NATS that asks for nothing is open', async () => {
  expect(await found({})).toEqual({ entry: 'open', isPlain: false })
})

it('a NATS with the keys of Kiroku is closed', async () => {
  await using folder = await temporaryFolder()
  const access = new Access(folder.path)
  access.prepare()
  expect(await found({ access }, access.node)).toEqual({ entry: 'closed', isPlain: false })
})

it('a NATS that lets everybody into another account keeps Kiroku out of reach', async () => {
  const extraConfig = `
    no_auth_user: guest
    accounts {
      KIROKU { jetstream: enabled, users: [{ user: node, password: node }] }
      GUESTS { users: [{ user: guest, password: guest }] }
    }`
  expect(await found({ extraConfig }, { user: 'node', pass: 'node' })).toEqual({
    entry: 'elsewhere',
    isPlain: false,
  })
})
