import { isDeepStrictEqual } from 'node:util'
import { connect } from '@kiroku/client-nats'
import { connect as connectNats, requireJetStream } from '@kiroku/nats'
import { managedStatus } from '@kiroku/nats-server'
import { isKirokuError } from '@kiroku/protocol'
import { freePort, SmallDisk, startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../../testing/Kiroku.ts'

const startOn = async (mebibytes: number, skip: (note: string) => void) => {
  const disk = await SmallDisk.mountOrSkip(mebibytes, skip)
  const kiroku = new Kiroku(disk.path)
  const data = `${disk.path}/data`
  onTestFinished(async () => {
    await kiroku.killAll()
    await waitUntil(() => managedStatus(data) === undefined, {
      timeoutMs: 30_000,
      what: 'the keeper is gone',
    })
    await disk[Symbol.asyncDispose]()
  })
  const engine = kiroku.start(['up', '--data-dir', data, '--json', '--http', '127.0.0.1:0'])
  const { api, nats } = await readyOf(engine)
  const client = await connect({ servers: nats, sendTimeoutMs: 3_000, requestTimeoutMs: 3_000 })
  onTestFinished(() => client.close())
  await client.queues.create('mail', { retriesMax: 1_000 })
  return { disk, kiroku, data, api, client, engine }
}

/** The error of a send that was not taken, or undefined. */
const refusal = (sending: Promise<unknown>): Promise<string | undefined> =>
  sending.then(
    () => undefined,
    (error: unknown) => (isKirokuError(error) ? error.id : String(error)),
  )

it('an engine on a disk that others filled says so, loses nothing, and resumes by itself once there is room', async ({
  skip,
}) => {
  const { disk, api, client, kiroku, data, engine } = await startOn(192, skip)
  expect(engine.stderr()).toMatch(/may grow to 20 GiB, and its store can hold .*: it will be trimmed early/)
  const health = async () => (await fetch(`${api}/health/ready`)).json() as Promise<{ warnings?: string[] }>
  for (let n = 0; n < 20; n++) await client.send('mail', `${n}`)
  expect(await health()).toEqual({ status: 'ready' })

  disk.fill(12 * 1024 * 1024)
  await waitUntil(async () => (await refusal(client.send('mail', 'one more'))) === 'StorageFull', {
    timeoutMs: 30_000,
  })
  expect((await health()).warnings).toEqual([expect.stringContaining('sends are refused') as string])
  const doctor = await kiroku.run(['doctor', '--data-dir', data])
  expect(doctor.stdout).toMatch(/BAD {6}store: .* left/)
  const metrics = await (await fetch(`${api}/metrics`)).text()
  expect(metrics).toMatch(/kiroku_sends_refused\{partition="0",node="[^"]*"\} 1/)

  disk.fill()
  // The last pages of its files have room for a while.
  const work = async () => {
    for (const message of await client.receive('mail', { max: 20, leaseMs: 1_000 }))
      await message.retry({ error: 'x'.repeat(1_000) })
  }
  await waitUntil(async () => (await refusal(work())) !== undefined, {
    timeoutMs: 90_000,
    what: 'nothing works',
  })
  await waitUntil(async () => (await fetch(`${api}/health/ready`)).status === 503, {
    timeoutMs: 90_000,
    what: 'it says that it is not ready',
  })
  expect(((await health()) as { reason?: string }).reason).toMatch(
    /its store is full|no partition of this node has served/,
  )

  disk.release()
  await waitUntil(async () => (await refusal(client.send('mail', 'after'))) === undefined, {
    timeoutMs: 90_000,
    what: 'sends are taken',
  })
  const bodies = new Set<string>()
  await waitUntil(async () => {
    for (const message of await client.receive('mail', { max: 100, leaseMs: 60_000 }))
      bodies.add(message.text())
    return bodies.has('after') && Array.from({ length: 20 }, (_, n) => `${n}`).every((n) => bodies.has(n))
  })
  await waitUntil(async () => isDeepStrictEqual(await health(), { status: 'ready' }), {
    timeoutMs: 30_000,
    what: 'it is ready, with no warning',
  })
}, 300_000)

/** An engine on a NATS server that it does not manage, with limited room that it does not announce; `resize` restarts that server with other limits. */
const serveOn = async (mebibytes: number) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const port = await freePort()
  const startNats = (mebibytes: number) =>
    startTestNats({
      dataDir: `${folder.path}/nats`,
      port,
      jetStream: false,
      extraConfig: `jetstream { store_dir: "${folder.path}/store", max_file_store: ${mebibytes}MB }`,
    })
  let server = await startNats(mebibytes)
  onTestFinished(() => server.stop())
  const resize = async (mebibytes: number): Promise<void> => {
    await server.stop()
    server = await startNats(mebibytes)
  }
  const kiroku = new Kiroku(folder.path)
  onTestFinished(() => kiroku.killAll())
  const args = ['--nats', server.url, '--json', '--http', '127.0.0.1:0', '--partitions', '2']
  const { api } = await readyOf(kiroku.start(['serve', ...args]))
  const ready = async () => {
    const answer = await fetch(`${api}/health/ready`)
    return { code: answer.status, ...((await answer.json()) as { warnings?: string[] }) }
  }
  const client = await connect({ servers: server.url, sendTimeoutMs: 3_000, requestTimeoutMs: 3_000 })
  onTestFinished(() => client.close())
  await client.queues.create('mail')
  expect(await ready()).toMatchObject({ code: 200 })
  const nc = await connectNats({ servers: server.url })
  onTestFinished(() => nc.close())
  const body = 'x'.repeat(100_000)
  for (let n = 0; n < 20; n++) await client.sendBatch('mail', Array(10).fill({ body }))
  await waitUntil(async () => (await ballastIn(nc)) >= 4, { timeoutMs: 30_000, what: 'there is ballast' })
  /** Sends until that is refused; how many messages there were before. */
  const fill = async (): Promise<number> => {
    for (let { sent } = (await client.queues.describe('mail')).counts; ; sent += 10)
      if ((await refusal(client.sendBatch('mail', Array(10).fill({ body })))) !== undefined) return sent
  }
  return { client, ready, resize, fill }
}

/** Pieces of ballast in an unmanaged store. */
const ballastIn = async (nc: Awaited<ReturnType<typeof connectNats>>): Promise<number> => {
  const streams = (await requireJetStream(nc)).streams
  const info = await streams.info('KIROKU_main_BALLAST').catch(() => undefined)
  return info?.state.messages ?? 0
}

it('an engine on a full NATS that reports no limit is emptied, and takes sends again by itself', async () => {
  const { client, ready, fill } = await serveOn(64)
  const sent = await fill()
  let taken = 0
  await waitUntil(
    async () => {
      const messages = await client.receive('mail', { max: 10, leaseMs: 60_000 }).catch(() => [])
      for (const message of messages) if ((await refusal(message.ack())) === undefined) taken++
      return taken >= sent
    },
    { timeoutMs: 120_000, what: 'everything is consumed' },
  )
  await waitUntil(async () => (await refusal(client.send('mail', 'after'))) === undefined, {
    timeoutMs: 60_000,
    what: 'sends are taken',
  })
  expect(await fill()).toBeGreaterThan(sent * 1.2)
  expect((await ready()).code).toBe(200)
}, 300_000)

it('an engine on a full NATS that reports no limit refuses sends, and resumes once NATS holds more', async () => {
  const { client, ready, fill, resize } = await serveOn(64)
  const sent = await fill()
  await waitUntil(async () => (await ready()).warnings !== undefined, {
    timeoutMs: 30_000,
    what: 'it says that it is full',
  })
  expect(await ready()).toMatchObject({
    code: 200,
    warnings: [expect.stringContaining('sends are refused') as string],
  })
  await resize(256)
  await waitUntil(async () => (await refusal(client.send('mail', 'after'))) === undefined, {
    timeoutMs: 120_000,
    what: 'sends are taken',
  })
  expect((await client.queues.describe('mail')).counts.sent).toBeGreaterThan(sent)
}, 240_000)
