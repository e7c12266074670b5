import { writeFile } from 'node:fs/promises'
import { answerDirectory, connect as connectNats, requireJetStream, serveCommands } from '@kiroku/nats'
import { Access } from '@kiroku/nats-access'
import type { Reply } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from './connect.ts'

/** Whether NATS takes what a connection publishes, or lets it subscribe. */
const refusals = (nc: NatsConnection): (() => Promise<readonly string[]>) => {
  const said: string[] = []
  void (async () => {
    for await (const status of nc.status()) if (status.type === 'error') said.push(status.error.message)
  })()
  return async () => {
    await nc.flush()
    return said
  }
}

describe('on a closed NATS', () => {
  const closers: (() => unknown)[] = []
  let url = ''
  let node: NatsConnection
  let ada: { readonly nkey: string; readonly as: string }

  beforeAll(async () => {
    const folder = await temporaryFolder()
    closers.push(() => folder.remove())
    const access = new Access(folder.path)
    access.prepare()
    const file = `${folder.path}/ada.nk`
    await writeFile(file, access.add('ada'))
    access.add('ben')
    ada = { nkey: file, as: 'ada' }
    const server = await startTestNats({ access })
    closers.push(() => server.stop())
    url = server.url
    node = await connectNats({ servers: url, ...access.node })
    closers.push(() => node.close())
    await (
      await requireJetStream(node)
    ).streams.add({ name: 'KIROKU_main_0', subjects: ['kiroku.log.main.0'] })
    const empty: Reply = { epoch: 1, seq: 1, answers: [{ ok: { queues: [] } }] }
    const serving = serveCommands(node, {
      log: 'main',
      partition: 0,
      handle: () => Promise.resolve(empty),
      undelivered: () => {},
    })
    const stopTelling = answerDirectory(node, 'main', { incarnation: 'abcd1234', partitions: 1 })
    closers.push(() => serving.stop(), stopTelling)
    await node.flush()
  }, 60_000)

  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  /** A raw connection with the rights of a client. */
  const enter = async (): Promise<NatsConnection> => {
    const nc = await connectNats({ servers: url, ...ada })
    closers.unshift(() => nc.close())
    return nc
  }

  it('a client finds its way with its name and key, without a right in JetStream', async () => {
    const client = await connect({ servers: url, ...ada })
    expect(await client.queues.list()).toEqual([])
    await client.close()
  })

  it('nobody enters without a key, nor with one that was not let in', async () => {
    await expect(connectNats({ servers: url })).rejects.toMatchObject({ id: 'NatsUnauthorized' })
  })

  it.each([
    'kiroku.log.main.0',
    'kiroku.cmd.main.0',
    'kiroku.cmd.main.0.ben',
    'kiroku.cmd.main.0.ada.x',
    'kiroku.owner.main.0',
    'kiroku.directory.main.ben',
    'kiroku.audit.main.ask',
    'kiroku.stored.main.0',
    '$JS.API.INFO',
    '$JS.API.STREAM.INFO.KIROKU_main_0',
    '$JS.API.STREAM.MSG.GET.KV_KIROKU_KEYS',
    '$JS.API.STREAM.DELETE.KIROKU_main_0',
    '$JS.API.DIRECT.GET.KIROKU_main_0',
    '$JS.API.CONSUMER.CREATE.KIROKU_main_0',
    '$KV.KIROKU_CATALOGUE.log.main',
    '_INBOX.ben.x.1',
    '_INBOX.x.1',
    '$SYS.REQ.SERVER.PING',
  ])('a client cannot publish to %s', async (subject) => {
    const nc = await enter()
    const said = refusals(nc)
    nc.publish(subject, 'x')
    await waitUntil(async () => (await said()).some((each) => each.includes(subject)))
  })

  it.each([
    '>',
    'kiroku.>',
    'kiroku.cmd.>',
    'kiroku.cmd.main.0.ada',
    'kiroku.log.main.0',
    'kiroku.stored.*.*',
    '_INBOX.>',
    '_INBOX.*',
    '_INBOX.ben.>',
    '$JS.>',
    '$KV.>',
    '$SYS.>',
  ])('a client cannot subscribe to %s', async (subject) => {
    const nc = await enter()
    const said = refusals(nc)
    nc.subscribe(subject, { callback: () => {} })
    await waitUntil(async () => (await said()).some((each) => each.includes(subject)))
  })

  it.each(['kiroku.log.main.0', '$JS.API.STREAM.DELETE.KIROKU_main_0', '_INBOX.ben.x.1', '_INBOX.adas.x'])(
    'a client cannot have an owner publish its answer to %s',
    async (reply) => {
      const nc = await enter()
      const heard: string[] = []
      const ears = ['kiroku.log.main.0', '_INBOX.ben.>', '_INBOX.adas.>'].map((each) =>
        node.subscribe(each, { callback: (_, msg) => void heard.push(msg.subject) }),
      )
      nc.publish('kiroku.cmd.main.0.ada', 'no command', { reply })
      nc.publish('kiroku.directory.main.ada', '', { reply })
      // What came before it was decided by the time this is answered.
      await nc.request('kiroku.cmd.main.0.ada', 'no command')
      await nc.request('kiroku.directory.main.ada', '')
      await node.flush()
      expect(heard).toEqual([])
      const { state } = await (await requireJetStream(node)).streams.info('KIROKU_main_0')
      expect(state.messages).toBe(0)
      for (const each of ears) each.unsubscribe()
    },
  )
})
