import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { connect } from '@kiroku/client-nats'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'

const launcher = fileURLToPath(new URL('../../bin/kiroku.mjs', import.meta.url))
const mebibyte = 1024 * 1024
const memory = 512 * mebibyte

/** The processes that descend from `pid`, and itself. */
const familyOf = (pid: number): readonly number[] => {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    parents.set(Number(name), Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1]))
  const descends = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || descends(parents.get(each)))
  return [...parents.keys()].filter(descends)
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

/** What processes take together of memory other than files, which the system can have back. */
const bytesOf = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) => sum + 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0),
    0,
  )

/** `kiroku up` where Node says that the container has no more than `memory`. */
const up = async () => {
  const folder = await temporaryFolder()
  const engine = spawn(
    process.execPath,
    [launcher, 'up', '--data-dir', folder.path, '--http', '127.0.0.1:0', '--json'],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: `--import data:text/javascript,process.constrainedMemory=()=>${memory}`,
        KIROKU_NATS_PORT: '0',
        KIROKU_CONSOLE: 'off',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let out = ''
  engine.stdout.on('data', (bytes: Buffer) => (out += String(bytes)))
  const ended = new Promise((resolve) => engine.once('close', resolve))
  onTestFinished(async () => {
    const family = familyOf(engine.pid!)
    engine.kill('SIGTERM')
    await ended
    await waitUntil(() => family.every((pid) => read(`/proc/${pid}/stat`) === ''), { timeoutMs: 30_000 })
    await folder.remove()
  })
  await waitUntil(() => out.includes('"ready":true'), { timeoutMs: 60_000 })
  const { nats } = JSON.parse(out.trim().split('\n').at(-1)!) as { nats: string }
  return { nats, pid: engine.pid! }
}

it.runIf(process.platform === 'linux')(
  'an engine in a container of 512 MB, with its nats-server and auditor, stays within that under load and with a backlog',
  { timeout: 180_000 },
  async () => {
    const { nats, pid } = await up()
    const client = await connect({ servers: nats })
    onTestFinished(() => client.close())
    await client.queues.create('mail', { retriesMax: 0 })
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, bytesOf(familyOf(pid)))), 200)
    onTestFinished(() => clearInterval(watch))
    const body = Buffer.alloc(16_000, 97)
    const batch = Array.from({ length: 60 }, () => ({ body }))
    const send = async (batches: number): Promise<void> => {
      for (let i = 0; i < batches; i++) await client.sendBatch('mail', batch)
    }
    // Eight times as much as the engine keeps of bodies.
    const senders = 8
    const batches = Math.ceil(memory / 2 / body.length / batch.length / senders)
    await Promise.all(Array.from({ length: senders }, () => send(batches)))
    const sent = senders * batches * batch.length
    let received = 0
    const consumer = client.consumeEach('mail', () => void received++, { concurrency: 50 })
    onTestFinished(() => consumer.stop())
    await waitUntil(() => received >= sent, { timeoutMs: 120_000 })
    expect(received).toBe(sent)
    expect(most / mebibyte).toBeGreaterThan(100)
    expect(most / mebibyte).toBeLessThan(memory / mebibyte)
    const [natsServer] = named(pid, 'nats-server\0-c')
    expect(read(`/proc/${natsServer}/environ`)).toContain(`GOMEMLIMIT=${Math.floor(memory / 6)}`)
    const [auditor] = named(pid, 'auditorProcess')
    expect(read(`/proc/${auditor}/oom_score_adj`)).toBe('500\n')
  },
)

/** The processes of the family of `pid` with `text` in their command lines. */
const named = (pid: number, text: string): readonly number[] =>
  familyOf(pid).filter((each) => read(`/proc/${each}/cmdline`).includes(text))
