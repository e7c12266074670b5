import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { readyOf, type Running } from '../../testing/Kiroku.ts'
import { withKiroku } from '../../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()
let logs = 0
let log: string

beforeEach(() => {
  log = `audit${++logs}`
})

const run = async (...args: string[]) => {
  const finished = await kiroku().run([...args, '--nats', nats().url, '--log', log, '--json'])
  return { ...finished, result: finished.json() }
}

const serve = async (): Promise<Running> => {
  const node = kiroku().start(['serve', '--nats', nats().url, '--log', log, '--partitions', '1', '--json'])
  await readyOf(node)
  return node
}

const stop = async (node: Running): Promise<void> => {
  node.child.kill('SIGTERM')
  expect((await node.finished).exit).toBe(0)
}

const send = async (body: string): Promise<{ id: string; seq: number }> => {
  const { messageId: id } = (await run('send', 'q', body)).result as { messageId: string }
  const { steps } = (await run('trace', id)).result as { steps: { seq: number }[] }
  return { id, seq: steps[0]!.seq }
}

const askNats = async (subject: string, body: unknown): Promise<void> => {
  const nc = await connect({ servers: nats().url })
  await nc.request(subject, JSON.stringify(body))
  await nc.close()
}

describe('the record', () => {
  it('traces and verifies without an engine, even what is long gone', { timeout: 120_000 }, async () => {
    const node = await serve()
    await run('queue', 'create', 'q')
    const { id } = await send('x')
    await run('receive', 'q', '--ack')
    await run('queue', 'delete', 'q')
    await stop(node)
    const { steps, state } = (await run('trace', id)).result as { state: string; steps: { event: string }[] }
    expect(state).toBe('Committed')
    expect(steps.map(({ event }) => event)).toEqual(['Enqueued', 'Delivered', 'Acked'])
    const verified = await run('verify', '--deep')
    expect(verified.exit).toBe(0)
    expect(verified.result).toMatchObject({ ok: true, partitions: [{ partition: 0, ok: true, foreign: 0 }] })
  })

  it('shows a queue as it was, compares and plays, without an engine', { timeout: 120_000 }, async () => {
    const node = await serve()
    await run('queue', 'create', 'q')
    const { seq } = await send('x')
    await run('receive', 'q', '--ack')
    await stop(node)
    const then = await run('replay', 'q', '--at', String(seq))
    expect(then.result).toMatchObject({
      counts: { available: 1, committed: 0 },
      messages: [{ state: 'Available', attempt: 0 }],
    })
    expect((await run('replay', 'q')).result).toMatchObject({ counts: { committed: 1 }, messages: [] })
    const diff = await run('replay', 'q', '--diff', String(seq))
    expect(diff.result).toMatchObject({ left: { total: 1 }, counts: { committed: { a: 0, b: 1 } } })
    const played = await run('replay', 'q', '--from', String(seq))
    const steps = played.stdout.trim().split('\n')
    expect(steps.map((line) => (JSON.parse(line) as { events: { type: string }[] }).events)).toMatchObject([
      [],
      [{ type: 'Delivered' }],
      [{ type: 'Acked' }],
    ])
    const text = await kiroku().run(['replay', 'q', '--at', String(seq), '--nats', nats().url, '--log', log])
    expect(text.stdout).toMatch(/Available +1/)
    const refused = await run('replay', 'q', '--at', '999999')
    expect(refused).toMatchObject({ exit: 2, result: { error: { id: 'FutureMoment' } } })
  })

  it('is exported as a proof and as a trace', { timeout: 120_000 }, async () => {
    const node = await serve()
    await run('queue', 'create', 'q')
    const { id } = await send('x')
    await stop(node)
    const file = join(kiroku().folder, 'proof.json')
    expect((await run('verify', '--export', file)).exit).toBe(0)
    const again = await serve()
    await send('y')
    await stop(again)
    const same = await run('verify', '--against', file)
    expect(same.result).toMatchObject({ ok: true, partitions: [{ sinceProof: { result: 'same' } }] })
    const proof = await readFile(file, 'utf8')
    await writeFile(file, proof.replace(/"head": "../, '"head": "zz'))
    expect(await run('verify', '--against', file)).toMatchObject({
      exit: 2,
      result: { error: { id: 'InvalidArgument' } },
    })
    const traced = join(kiroku().folder, 'trace.ndjson')
    const found = await run('trace', id, '--export', traced)
    const read = await kiroku().run(['trace', '--import', traced, '--json', '--nats', 'nats://127.0.0.1:1'])
    expect(read.json()).toEqual(found.result)
  })

  it('skips a stray record on its subject, and says so', { timeout: 120_000 }, async () => {
    const node = await serve()
    await run('queue', 'create', 'q')
    await askNats(`kiroku.log.${log}.0`, 'stray')
    await send('x')
    expect((await run('receive', 'q', '--ack')).result).toMatchObject({ messages: [{ body: 'x' }] })
    await stop(node)
    const verified = await run('verify')
    expect(verified.exit).toBe(0)
    expect(verified.result).toMatchObject({ ok: true, partitions: [{ foreign: 1 }] })
  })

  it(
    'closes a partition whose log is damaged, and continues after a repair while the engine runs',
    { timeout: 120_000 },
    async () => {
      const first = await serve()
      await run('queue', 'create', 'q')
      await send('a')
      const { seq } = await send('b')
      await send('c')
      await stop(first)
      await askNats(`$JS.API.STREAM.MSG.DELETE.KIROKU_${log}_0`, { seq })

      const verified = await run('verify')
      expect(verified.exit).toBe(7)
      expect(verified.result).toMatchObject({
        ok: false,
        partitions: [{ ok: false, problem: { id: 'LogDamaged' } }],
      })
      const second = await serve()
      expect((await run('send', 'q', 'd')).result).toMatchObject({ error: { id: 'Quarantined' } })
      const doctor = await run('doctor')
      expect(doctor.exit).toBe(5)
      expect((doctor.result as { findings: unknown[] }).findings).toContainEqual(
        expect.objectContaining({
          check: 'record',
          status: 'bad',
          detail: expect.stringContaining(`sequence ${seq}`) as string,
        }),
      )
      const looked = await run('repair')
      expect(looked.exit).toBe(7)
      expect(looked.result).toMatchObject({ plans: [{ partition: 0, kind: 'void' }], repaired: [] })
      const repaired = await run('repair', '--yes', '--reason', 'a test')
      expect(repaired.result).toMatchObject({ repaired: [0] })
      expect(repaired.exit).toBe(0)
      await expect.poll(async () => (await run('send', 'q', 'e')).exit, { timeout: 30_000 }).toBe(0)
      await stop(second)
      const again = await run('verify')
      expect(again.exit).toBe(0)
      expect(again.result).toMatchObject({ ok: true, partitions: [{ repaired: [{ note: 'a test' }] }] })
    },
  )
})
