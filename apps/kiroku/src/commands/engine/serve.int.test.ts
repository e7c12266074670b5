import { connect } from '@kiroku/client-nats'
import { connect as connectNats, serveCommands } from '@kiroku/nats'
import { featureLevel } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Kiroku, readyOf } from '../../testing/Kiroku.ts'

const nats = withNats()
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let kiroku: Kiroku

beforeEach(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
})

afterEach(async () => {
  await kiroku.killAll()
  await folder.remove()
})

const serve = (log: string, ...more: string[]) =>
  kiroku.start(['serve', '--nats', nats().url, '--log', log, '--json', ...more])

describe('kiroku serve', () => {
  it('changes the limits of the record that are set, says so, and leaves the others', async () => {
    const start = async (...more: string[]) => {
      const engine = serve('limits', ...more)
      await readyOf(engine)
      engine.child.kill('SIGTERM')
      return (await engine.finished).stderr
    }
    expect(await start('--record', '2d')).not.toContain('the record')
    expect(await start('--record-bytes', '1GiB')).toContain('the record may grow to 1 GiB; it was 20 GiB\n')
    const later = await start('--record', '1d')
    expect(later).toContain('the record is kept for 1d; it was 2d\n')
    expect(later).not.toContain('may grow')
    expect(await start()).not.toContain('the record')
  })

  it('logs events of its own client like everything else', { timeout: 120_000 }, async () => {
    const server = await startTestNats({ dataDir: `${folder.path}/nats` })
    try {
      const log = ['--log-format', 'json', '--log', 'own', '--partitions', '1']
      const engine = kiroku.start(['serve', '--nats', server.url, '--http', '127.0.0.1:0', '--json', ...log])
      const { api } = await readyOf(engine)
      expect((await fetch(`${api}/v1/queues`)).status).toBe(200)
      await server.stop()
      // One question is answered with the reason before the client counts the engine as lost.
      await waitUntil(
        async () => {
          await fetch(`${api}/v1/queues`)
          return engine.stderr().includes('"event":"engineLost"')
        },
        { timeoutMs: 60_000 },
      )
      const lines = engine.stderr().split('\n').slice(0, -1)
      expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
      await kiroku.killAll()
    } finally {
      await server.stop()
    }
  })

  it('[CARD-07] ends before it owns anything where the log is of a cluster version that it does not read', async () => {
    const first = serve('newer', '--partitions', '1')
    await readyOf(first)
    first.child.kill('SIGTERM')
    await first.finished
    const connection = await connectNats({ servers: nats().url })
    const newerOwner = serveCommands(connection, {
      log: 'newer',
      partition: 0,
      handle: () =>
        Promise.resolve({
          epoch: 9,
          seq: 9,
          answers: [{ ok: { partition: 0, clusterVersion: 99 } as never }],
        }),
      undelivered: () => {},
      onDefect: () => {},
    })
    try {
      const { exit, stderr } = await serve('newer').finished
      expect(exit).toBe(7)
      expect(stderr).toContain(
        `partition 0 is of cluster version 99, and this version reads up to ${featureLevel}: install one that`,
      )
      expect(stderr).not.toContain('placement')
    } finally {
      await newerOwner.stop()
      await connection.close()
    }
  })

  it(
    'shares the partitions among nodes, takes over from a killed one, and hands over when it is stopped',
    { timeout: 120_000 },
    async () => {
      const first = serve('shared')
      await readyOf(first)
      const second = serve('shared')
      await readyOf(second)
      const client = await connect({ servers: nats().url, log: 'shared' })
      try {
        const owners = async () => new Set((await client.partitions()).map(({ node }) => node))
        await waitUntil(async () => (await owners()).size === 2, { timeoutMs: 30_000, what: 'two owners' })
        for (let i = 0; i < 8; i++) await client.queues.create(`q${i}`)
        const sendAll = () =>
          Promise.all(Array.from({ length: 400 }, (_, i) => client.send(`q${i % 8}`, { i })))

        const during = sendAll()
        first.child.kill('SIGKILL')
        await during
        await waitUntil(async () => (await owners()).size === 1 && (await client.partitions()).length === 4, {
          timeoutMs: 30_000,
          what: 'the survivor owns all',
        })
        const third = serve('shared')
        await readyOf(third)
        await waitUntil(async () => (await owners()).size === 2, {
          timeoutMs: 30_000,
          what: 'two owners again',
        })
        const again = sendAll()
        second.child.kill('SIGTERM')
        await again
        expect((await second.finished).exit).toBe(0)
        const queues = await client.queues.list()
        expect(queues.map(({ counts }) => counts.sent)).toEqual(Array.from({ length: 8 }, () => 100))
      } finally {
        await client.close()
      }
    },
  )

  it('has an API only when told to, and keeps an existing number of partitions and says so', async () => {
    const first = serve('kept', '--partitions', '2')
    expect(await readyOf(first)).toMatchObject({ partitions: 2 })
    expect(first.stdout()).not.toContain('"api"')
    const second = serve('kept', '--partitions', '8', '--http', '127.0.0.1:0')
    const { api } = await readyOf(second)
    expect(second.stderr()).toContain('--partitions 8 is ignored: log kept was created with 2')
    expect(first.stderr()).not.toContain('ignored')
    const status = (await (await fetch(`${api}/v1/cluster`)).json()) as { partitions: unknown[] }
    expect(status.partitions).toHaveLength(2)
  })

  it('knows the room of the disk behind the NATS that `kiroku up` runs in the same folder', async () => {
    const data = `${folder.path}/data`
    const up = kiroku.start(['up', '--data-dir', data, '--json', '--http', '127.0.0.1:0'])
    const { nats: url } = await readyOf(up)
    await readyOf(kiroku.start(['serve', '--nats', url, '--data-dir', data, '--json']))
    const client = await connect({ servers: url })
    try {
      await waitUntil(async () => new Set((await client.partitions()).map(({ node }) => node)).size === 2, {
        timeoutMs: 30_000,
        what: 'two owners',
      })
      const rooms = async () => (await client.partitions()).map(({ storage }) => storage?.bytesMax ?? 0)
      await waitUntil(async () => (await rooms()).every((bytes) => bytes > 0), {
        timeoutMs: 10_000,
        what: 'every owner knows the room',
      })
    } finally {
      await client.close()
    }
  })

  it('names a foreign stream, and leaves it alone', async () => {
    const nc = await connectNats({ servers: nats().url })
    const config = { name: 'KIROKU_taken_0', subjects: ['kiroku.log.taken.0'], storage: 'memory' }
    await nc.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config))
    await nc.close()
    const { exit, stderr } = await serve('taken').finished
    expect(exit).toBe(4)
    expect(stderr).toMatch(/^error ForeignStream: .*KIROKU_taken_0/)
  })

  it('names a NATS without JetStream', async () => {
    const bare = await startTestNats({ jetStream: false })
    try {
      const { exit, stderr } = await kiroku.run(['serve', '--nats', bare.url])
      expect(exit).toBe(5)
      expect(stderr).toMatch(/^error JetStreamDisabled: /)
    } finally {
      await bare.stop()
    }
  })

  it('passes credentials on to NATS, and reports a refusal', async () => {
    const guarded = await startTestNats({ extraConfig: 'authorization { user: kiroku, password: secret }' })
    try {
      const node = new Kiroku(folder.path, { KIROKU_NATS_USER: 'kiroku', KIROKU_NATS_PASSWORD: 'secret' })
      const running = node.start(['serve', '--nats', guarded.url, '--json'])
      await readyOf(running)
      expect((await node.run(['queue', 'create', 'q', '--nats', guarded.url])).exit).toBe(0)
      const stranger = await kiroku.run(['queue', 'list', '--nats', guarded.url])
      expect(stranger.exit).toBe(8)
      expect(stranger.stderr).toMatch(/^error NatsUnauthorized: /)
      expect(running.stderr() + stranger.stderr).not.toContain('secret')
      running.child.kill('SIGTERM')
      expect((await running.finished).exit).toBe(0)
    } finally {
      await guarded.stop()
    }
  })
})
