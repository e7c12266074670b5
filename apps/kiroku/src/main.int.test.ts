import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { featureLevel } from '@kiroku/protocol'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { Kiroku, readyOf, type Running } from './testing/Kiroku.ts'

const launcher = fileURLToPath(new URL('../bin/kiroku.mjs', import.meta.url))

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--log-format', 'json'])
  await readyOf(engine)
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const ok = async <A>(args: string[], input?: string): Promise<A> => {
  const finished = await kiroku.run([...args, '--json'], input)
  expect(finished.stderr).toBe('')
  expect(finished.exit).toBe(0)
  return finished.json()
}

/** What a shell offers for the last word of a line, using the printed script. */
const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
  const script = (await kiroku.run(['completions', 'bash'])).stdout
  await writeFile(path.join(folder.path, 'completions.bash'), script)
  const code = `
    kiroku() { "$NODE" "$LAUNCHER" "$@"; }
    source completions.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
    _kiroku_asking kiroku "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', code, 'bash', 'kiroku', ...words], {
    cwd: folder.path,
    env: { ...process.env, NODE: process.execPath, LAUNCHER: launcher },
  })
  return stdout.trim().split('\n')
}

describe('the commands of a folder with a running engine', () => {
  it('are completed by the shell with what the engine knows', async () => {
    await ok(['queue', 'create', 'shelf'])
    await ok(['queue', 'create', 'shop'])
    const { messageId } = await ok<{ messageId: string }>(['send', 'shelf', '{}'])
    expect(await offered('queue', 'show', 'sh')).toEqual(['shelf', 'shop'])
    expect(await offered('work', '--queue', 'she')).toEqual(['shelf'])
    await waitUntil(async () => (await offered('trace', '')).includes(messageId))
    expect(await offered('queue', 'pur')).toEqual(['purge'])
    expect(await offered('queue', 'create', 'sh')).toEqual([''])
    expect(await offered('queue', 'show', '--data-dir', 'nowhere', 'sh')).toEqual([''])
  })

  it('carry a message from send to ack, and find the engine by themselves', async () => {
    await ok(['queue', 'create', 'mail', '--retries', '2', '--dead-letter', 'mail-dlq'])
    const { messageId } = await ok<{ messageId: string }>([
      'send',
      'mail',
      '{"to":"ada","big":12345678901234567890}',
    ])
    const received = await ok<{ messages: { id: string; attempt: number; body: unknown }[] }>([
      'receive',
      'mail',
      '--ack',
    ])
    expect(received.messages).toMatchObject([{ id: messageId, attempt: 1, body: { to: 'ada' } }])
    const queue = await ok<{ counts: object }>(['queue', 'show', 'mail'])
    expect(queue.counts).toMatchObject({ sent: 1, committed: 1, available: 0, inflight: 0 })
  })

  it('bring dead letters back, and report the outcome; dry runs are listed only on request', async () => {
    await ok(['queue', 'create', 'letters', '--retries', '0', '--dead-letter', 'letters-dlq'])
    await ok(['send', 'letters', 'hello'])
    const { messages } = await ok<{ messages: { id: string }[] }>(['receive', 'letters', '--lease', '1ms'])
    await waitUntil(
      async () =>
        (await ok<{ counts: { available: number } }>(['queue', 'show', 'letters-dlq'])).counts.available ===
        1,
    )
    const dry = await kiroku.run(['redrive', 'letters-dlq', '--dry-run'])
    expect(dry.stdout).toBe('dry run of letters-dlq completed\n1 message would be moved\n  to  letters  1\n')
    expect(await ok(['redrive', 'letters-dlq', '--cause', 'leaseExpired', '--follow'])).toMatchObject({
      task: 1,
      state: 'completed',
      moved: 1,
    })
    const status = await kiroku.run(['redrive', 'status', 'letters-dlq'])
    expect(status.stdout).toMatch(
      /^redrive +state .*\n1 +completed +origin .*\n1 only counted: --all shows it\n$/,
    )
    const all = await kiroku.run(['redrive', 'status', 'letters-dlq', '--all'])
    expect(all.stdout).toMatch(/^redrive +state .*\n1 +completed +origin .*\ndry run /)
    const again = ['receive', 'letters', '--wait', '5s', '--ack']
    expect((await ok<{ messages: { id: string }[] }>(again)).messages[0]!.id).toBe(messages[0]!.id)
    const none = await kiroku.run(['redrive', 'cancel', 'letters-dlq'])
    expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('UnknownRedrive')])
  })

  it('give each subscription its own messages, by their tags', async () => {
    await ok(['queue', 'create', 'orders'])
    await ok(['subscription', 'create', 'orders', 'eu', '--tags', 'eu', '--retries', '1'])
    await ok(['send', 'orders', 'a', '--tag', 'eu'])
    await ok(['send', 'orders', 'b', '--tag', 'us'])
    const receive = ['receive', 'orders', '--max', '10']
    expect(await ok([...receive, '--subscription', 'eu', '--ack'])).toMatchObject({
      messages: [{ body: 'a', tag: 'eu' }],
    })
    expect(await ok([...receive, '--ack'])).toMatchObject({ messages: [{ body: 'a' }, { body: 'b' }] })
    const show = await kiroku.run(['queue', 'show', 'orders'])
    expect(show.stdout).toMatch(/^eu +0 +0 +0 +1 +0 +1 +--retries 1 --tags eu$/m)
    await ok(['subscription', 'pause', 'orders', 'eu'])
    expect(await ok(['subscription', 'list', 'orders'])).toMatchObject({
      subscriptions: [{ name: 'main' }, { name: 'eu', deliveryPaused: true }],
    })
    await ok(['subscription', 'update', 'orders', 'eu', '--tags', 'all'])
    await ok(['subscription', 'resume', 'orders', 'eu'])
    await ok(['subscription', 'reset', 'orders', 'eu', '--start', 'earliest'])
    await ok(['subscription', 'create', 'orders', 'late', '--start', '1h'])
    for (const name of ['eu', 'late'])
      expect(await ok([...receive, '--subscription', name, '--wait', '10s', '--ack'])).toMatchObject({
        messages: [{ body: 'a' }, { body: 'b' }],
      })
    await ok(['subscription', 'delete', 'orders', 'eu'])
    expect((await kiroku.run([...receive, '--subscription', 'eu'])).exit).toBe(3)
  })

  it('count backlog and delayed messages', async () => {
    await ok(['queue', 'create', 'counted'])
    await ok(['send', 'counted', 'now'])
    await ok(['send', 'counted', 'later', '--delay', '1h'])
    const { queues } = await ok<{ queues: { name: string; counts: object }[] }>(['queue', 'list'])
    const counted = queues.find(({ name }) => name === 'counted')
    expect(counted?.counts).toMatchObject({ available: 1, delayed: 1 })
  })

  it('send text, bytes and files unchanged', async () => {
    await ok(['queue', 'create', 'shapes'])
    await writeFile(`${folder.path}/body.bin`, Uint8Array.of(0xff, 0x00, 0x0a))
    await ok(['send', 'shapes', 'just text'])
    await ok(['send', 'shapes', '--file', 'body.bin'])
    await ok(['send', 'shapes', '--content-type', 'text/html', '--attributes', 'a=1,b=x=y'], '<p>piped</p>')
    const { messages } = await ok<{ messages: object[] }>(['receive', 'shapes', '--max', '10', '--ack'])
    expect(messages).toMatchObject([
      { body: 'just text', contentType: 'text/plain' },
      { bodyBase64: '/wAK', contentType: 'application/octet-stream' },
      { body: '<p>piped</p>', contentType: 'text/html', attributes: { a: '1', b: 'x=y' } },
    ])
  })

  it('send thousands of lines of ndjson in order', async () => {
    await ok(['queue', 'create', 'lines'])
    const lines = Array.from({ length: 3_000 }, (_, i) => JSON.stringify({ i }))
    expect(await ok(['send', 'lines', '--ndjson'], lines.join('\n'))).toMatchObject({ sent: 3_000 })
    const { messages } = await ok<{ messages: { body: { i: number } }[] }>([
      'receive',
      'lines',
      '--max',
      '1000',
    ])
    expect(messages.map(({ body }) => body.i)).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  })

  it('name the malformed line, and send what came before it', async () => {
    await ok(['queue', 'create', 'broken'])
    const finished = await kiroku.run(['send', 'broken', '--ndjson', '--json'], '1\n2\n\n{"a":\n5\n')
    expect(finished.exit).toBe(2)
    expect(finished.json()).toMatchObject({
      error: { id: 'MalformedJson', message: expect.stringMatching(/^line 4: .*2 messages were sent/) },
    })
    const { counts } = await ok<{ counts: object }>(['queue', 'show', 'broken'])
    expect(counts).toMatchObject({ sent: 2 })
  })

  it('update, pause, resume, purge and delete a queue', { timeout: 120_000 }, async () => {
    await ok(['queue', 'create', 'acts'])
    await ok(['send', 'acts', 'x'])
    expect(await ok(['queue', 'update', 'acts', '--lease', '2m'])).toMatchObject({
      config: { leaseMs: 120_000, retriesMax: 3 },
    })
    await ok(['queue', 'pause', 'acts'])
    expect(await ok(['receive', 'acts'])).toMatchObject({ messages: [] })
    await ok(['queue', 'resume', 'acts'])
    expect(await ok(['queue', 'purge', 'acts'])).toMatchObject({ purged: 1 })
    await ok(['queue', 'delete', 'acts'])
    const { queues } = await ok<{ queues: { name: string }[] }>(['queue', 'list'])
    expect(queues.map(({ name }) => name)).not.toContain('acts')
  })

  it('spread a queue over partitions and back', { timeout: 120_000 }, async () => {
    await ok(['queue', 'create', 'wide'])
    expect(await ok(['queue', 'spread', 'wide', '--partitions', '2'])).toMatchObject({
      parts: [{ state: 'home' }, { state: 'open' }],
    })
    const show = await kiroku.run(['queue', 'show', 'wide'])
    expect(show.stdout).toMatch(/part +state +available/)
    await ok(['send', 'wide', 'x'])
    expect(await ok(['receive', 'wide', '--ack'])).toMatchObject({ messages: [{ body: 'x' }] })
    expect(await ok(['queue', 'spread', 'wide', '--partitions', '1'])).toMatchObject({ partitions: 1 })
    expect((await kiroku.run(['queue', 'spread', 'wide', '--partitions', '99'])).exit).toBe(2)
  })

  it('run a Worker module until they are told to stop', { timeout: 120_000 }, async () => {
    await writeFile(
      `${folder.path}/worker.ts`,
      `export default {
        async queue(batch: MessageBatch<{ bad?: boolean }>, env: Env, ctx: ExecutionContext): Promise<void> {
          for (const message of batch.messages) if (message.body.bad) throw new Error(env.REASON)
        },
      } satisfies ExportedHandler<Env>`,
    )
    await writeFile(
      `${folder.path}/wrangler.toml`,
      '[vars]\nREASON = "it is bad"\n[[queues.consumers]]\nqueue = "jobs"\nmax_batch_size = 1\nmax_retries = 1\ndead_letter_queue = "jobs-dlq"\n',
    )
    const worker = kiroku.start(['work', 'worker.ts'])
    await waitUntil(() => worker.stdout().includes('working on jobs'))
    await ok(['send', 'jobs', '{"n":1}'])
    await ok(['send', 'jobs', '{"bad":true}'])
    const { messages } = await ok<{ messages: object[] }>(['receive', 'jobs-dlq', '--wait', '20s'])
    expect(messages).toMatchObject([
      { body: { bad: true }, lineage: { queue: 'jobs', attempts: 2, error: 'it is bad' } },
    ])
    await waitUntil(async () => {
      const { counts } = await ok<{ counts: { committed: number } }>(['queue', 'show', 'jobs'])
      return counts.committed === 1
    })
    worker.child.kill('SIGTERM')
    expect((await worker.finished).exit).toBe(0)
  })

  it('show who owns what, and find no problems', async () => {
    const clocks = await ok<{ partitions: { clock: { state: string } }[] }>(['cluster', 'clock'])
    expect(new Set(clocks.partitions.map(({ clock }) => clock.state))).toEqual(new Set(['agreed']))
    const status = await ok<{ nodes: object[]; partitions: { state: string }[] }>(['cluster', 'status'])
    expect(status.nodes).toEqual([expect.objectContaining({ version: manifest.version, featureLevel })])
    const text = (await kiroku.run(['cluster', 'status'])).stdout
    expect(text).toMatch(/^node +where +version +feature level +zone +weight +state +partitions/)
    expect(text).toMatch(new RegExp(`\\) +${manifest.version} +${featureLevel} +none +1 +healthy`))
    expect(status.partitions.map(({ state }) => state)).toEqual(['Active', 'Active', 'Active', 'Active'])
    const { findings } = await ok<{ findings: { check: string; status: string }[] }>(['doctor'])
    const statusOf = (check: string) => findings.find((finding) => finding.check === check)?.status
    expect(['NATS version', 'sync_interval', 'max_payload', 'clock', 'partitions'].map(statusOf)).toEqual(
      Array.from({ length: 5 }, () => 'ok'),
    )
  })

  it('have the newest cluster version from the first, which is an act on record, and need not finalize', async () => {
    const { clusterVersion } = await ok<{ clusterVersion: number }>(['cluster', 'status'])
    expect(clusterVersion).toBe(featureLevel)
    expect(await ok(['cluster', 'finalize'])).toEqual({ clusterVersion: featureLevel, raised: [] })
    const { acts } = await ok<{ acts: { event: string }[] }>(['acts'])
    expect(acts.filter(({ event }) => event === 'ClusterVersionRaised')).toEqual(
      Array.from({ length: 4 }, () =>
        expect.objectContaining({
          before: { clusterVersion: 0 },
          after: { clusterVersion: featureLevel },
          by: { name: 'engine', origin: 'new log' },
        }),
      ),
    )
  })

  it('share the folder with a second engine, which takes over its run file once the first is gone', async () => {
    const runFile = (): { pid: number } =>
      JSON.parse(readFileSync(`${folder.path}/.kiroku/run.json`, 'utf8')) as never
    const first = runFile().pid
    const second = kiroku.start(['up', '--json'])
    expect(await readyOf(second)).toMatchObject({ joined: first })
    expect(second.stderr()).toContain(`joining the engine that already runs here (process ${first})`)
    expect(engine.stderr()).not.toContain('joining')
    expect(runFile().pid).toBe(first)
    const { nodes } = await ok<{ nodes: object[] }>(['cluster', 'status'])
    expect(nodes).toHaveLength(2)
    second.child.kill('SIGTERM')
    expect((await second.finished).exit).toBe(0)
    expect(runFile().pid).toBe(first)
  })
})

it('an engine that is told twice at once to stop hands over as it does when told once', async () => {
  const other = await temporaryFolder()
  const own = new Kiroku(other.path)
  try {
    const twice = own.start(['up', '--http', '127.0.0.1:0', '--json'])
    await readyOf(twice)
    twice.child.kill('SIGTERM')
    twice.child.kill('SIGINT')
    const { exit, stderr } = await twice.finished
    expect({ exit, stderr }).toMatchObject({ exit: 0, stderr: expect.stringContaining('stopped') })
  } finally {
    await own.killAll()
    await other.remove()
  }
})
