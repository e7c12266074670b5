import { freePort, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf, type Running } from '../../testing/Kiroku.ts'
import { withKiroku } from '../../testing/withKiroku.ts'

const kiroku = withKiroku()

/** Three nats-servers. Their ports follow one another, so the next ones may be taken: then others are tried. */
const startNats = async (): Promise<{ readonly running: Running; readonly nats: string }> => {
  for (let tries = 0; ; tries++) {
    const port = await freePort()
    // Those for one another are 2,000 higher.
    if (port > 63_000) continue
    const running = kiroku().start([
      'cluster',
      'nats',
      '--nats-port',
      `${port}`,
      '--data-dir',
      'nats',
      '--json',
    ])
    try {
      return { running, nats: (await readyOf(running)).nats }
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

it(
  'three nats-servers run with one command, and nodes on them lose one of their own under load',
  { timeout: 120_000 },
  async () => {
    const { running, nats } = await startNats()
    expect(nats.split(',')).toHaveLength(3)
    const node = (name: string) =>
      kiroku().start(['serve', '--nats', nats, '--replicas', '3', '--data-dir', name, '--json'])
    const nodes = ['node-1', 'node-2', 'node-3'].map(node)
    const json = async (...args: string[]) => {
      const done = await kiroku().run([...args, '--nats', nats, '--json'])
      expect(done.exit, done.stderr).toBe(0)
      return done.json() as Record<string, unknown>
    }
    const owners = async () => {
      const { partitions } = (await json('cluster', 'status')) as {
        partitions: { owner?: { node: string } }[]
      }
      return new Set(partitions.map(({ owner }) => JSON.stringify(owner)))
    }
    await Promise.all(nodes.map(readyOf))
    await waitUntil(async () => (await owners()).size === 3, { timeoutMs: 60_000 })

    await json('queue', 'create', 'mail')
    const sending = kiroku().start(['send', 'mail', 'hello', '--count', '100000', '--nats', nats, '--json'])
    await waitUntil(async () => {
      const { counts } = (await json('queue', 'show', 'mail')) as { counts: { available: number } }
      return counts.available > 0
    })
    nodes[2]!.child.kill('SIGKILL')
    expect((await sending.finished).exit).toBe(0)
    expect(await json('queue', 'show', 'mail')).toMatchObject({ counts: { available: 100_000 } })

    const ended = [...nodes.slice(0, 2), running]
    for (const each of ended) {
      each.child.kill('SIGTERM')
      expect((await each.finished).exit).toBe(0)
    }
  },
)
