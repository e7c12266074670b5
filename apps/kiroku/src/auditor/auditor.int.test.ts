import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import type { History, HistoryBucket, LogSpan, SearchAnswer } from '@kiroku/audit'
import { Replayer } from '@kiroku/audit/browser'
import type { AuditorStatus } from '@kiroku/auditor'
import { connect } from '@kiroku/nats'
import { SmallDisk, temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { readyOf, type Running } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()
let logs = 0
let log: string

beforeEach(() => {
  log = `auditor${++logs}`
})

const run = async <A>(...args: string[]): Promise<A> => {
  const finished = await kiroku().run([...args, '--nats', nats().url, '--log', log, '--json'])
  if (finished.exit !== 0) throw new Error(finished.stderr)
  return finished.json() as A
}

const serve = async (...args: string[]): Promise<{ node: Running; api: string }> => {
  const shared = ['--nats', nats().url, '--log', log, '--partitions', '2', '--http', '127.0.0.1:0', '--json']
  const node = kiroku().start(['serve', ...shared, ...args])
  const { api } = await readyOf(node)
  return { node, api }
}

const get = async <A>(api: string, path: string): Promise<A> =>
  (await fetch(`${api}${path}`)).json() as Promise<A>

const auditorOf = async (api: string): Promise<AuditorStatus | undefined> =>
  (await get<{ auditor?: AuditorStatus }>(api, '/v1/cluster')).auditor

/** The auditor's process, as soon as a node has heard of it. */
const pidOf = (api: string): Promise<number> =>
  waitUntil(async () => (await auditorOf(api))?.pid, { timeoutMs: 20_000 })

const untilRead = (api: string): Promise<unknown> =>
  waitUntil(
    async () => {
      const { partitions = [] } = (await auditorOf(api)) ?? {}
      return partitions.length === 2 && partitions.every(({ seq, lastSeq }) => seq > 0 && seq === lastSeq)
    },
    { timeoutMs: 20_000 },
  )

/** The sum over all buckets: there may be two. */
const sumOf = (buckets: readonly HistoryBucket[]): Record<string, number> => {
  const sum: Record<string, number> = {}
  for (const { at: _, ...counts } of buckets)
    for (const [name, n] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + n
  return sum
}

const numbers = ({ messages }: SearchAnswer): number[] => messages.map(({ number }) => number).sort()

describe('the auditor', () => {
  it(
    'answers what happened to messages, survives a kill, and leaves its index to commands',
    { timeout: 120_000 },
    async () => {
      const { node, api } = await serve()
      await run('queue', 'create', 'mail', '--index-body', 'on')
      const { messageId } = await run<{ messageId: string }>('send', 'mail', '{"user":{"id":42}}')
      await run('send', 'mail', '{"user":{"id":7}}', '--attributes', 'region=eu')
      await run('receive', 'mail', '--ack')
      const found = async (q: string) =>
        numbers(await get<SearchAnswer>(api, `/v1/search?q=${encodeURIComponent(q)}`))
      await waitUntil(async () => (await found('state:committed')).length === 1, { timeoutMs: 20_000 })
      expect(await found('payload.user.id:42')).toEqual([1])
      expect(await found('attr.region:eu state:ready')).toEqual([2])
      expect(await get(api, '/v1/search?q=colour:red')).toMatchObject({ id: 'InvalidFilter' })
      expect(await get(api, `/v1/messages/${messageId}/trace`)).toMatchObject({ state: 'Committed' })
      expect(await get(api, '/v1/queues/mail/state')).toMatchObject({
        counts: { sent: 2, available: 1, committed: 1 },
        messages: [{ number: 2, state: 'Available' }],
      })
      expect(await get(api, '/v1/queues/mail/state?at=99999')).toMatchObject({ id: 'FutureMoment' })
      expect(await get(api, '/v1/state')).toMatchObject({
        queues: [{ queue: 'mail', counts: { sent: 2, available: 1, committed: 1 } }],
        partitions: [{ partition: 0 }, { partition: 1 }],
      })
      const { to, home } = await get<LogSpan>(api, '/v1/span?queue=mail')
      expect(to.at).toBeGreaterThan(0)
      expect([0, 1]).toContain(home)
      const recorded = await fetch(`${api}/v1/queues/mail/recording?state=1`)
      const replayer = Replayer.open(new Uint8Array(await recorded.arrayBuffer()))
      expect(replayer.partition).toBe(home)
      expect(replayer.queue('mail')?.counts).toMatchObject({ sent: 2, available: 1, committed: 1 })
      expect(await get(api, '/v1/queues/mail/diff?a=1')).toMatchObject({ appeared: { total: 1 } })
      expect(await get(api, '/v1/acts?queue=mail')).toMatchObject({
        acts: [{ event: 'QueueCreated', queue: 'mail', after: { indexBody: 'on' } }],
      })
      expect(await get(api, '/v1/acts?queue=mail&until=1h')).toEqual({ acts: [] })
      await untilRead(api)
      const history = await get<History>(api, '/v1/history?queue=mail&from=10m&buckets=1&by=queue')
      expect(history.known).toEqual({ from: 0, to: history.now })
      const happened = { sent: 2, delivered: 1, committed: 1, waiting: 1 }
      expect(sumOf(history.buckets)).toEqual(happened)
      expect(history.queues).toEqual([{ queue: 'mail', buckets: history.buckets }])
      expect(await get(api, '/v1/history?from=tomorrow')).toMatchObject({ id: 'InvalidArgument' })
      expect(await get(api, '/v1/history?buckets=0')).toMatchObject({ id: 'InvalidArgument' })
      expect(await (await fetch(`${api}/metrics`)).text()).toContain('kiroku_audit_lag{partition="0"} ')

      const { pid } = (await auditorOf(api))!
      process.kill(pid, 'SIGKILL')
      const acts = () => get<{ acts?: unknown }>(api, '/v1/acts?queue=mail')
      await waitUntil(async () => (await acts()).acts !== undefined, { timeoutMs: 20_000 })
      expect(await acts()).toMatchObject({ acts: [{ event: 'QueueCreated', queue: 'mail' }] })
      await waitUntil(async () => ((await auditorOf(api))?.pid ?? pid) !== pid, { timeoutMs: 20_000 })
      await run('send', 'mail', '3')
      await waitUntil(async () => (await found('queue:mail')).length === 3, { timeoutMs: 20_000 })

      const status = await run<{ followed: boolean }>('index', 'status')
      expect(status.followed).toBe(true)
      const busy = await kiroku().run(['index', 'rebuild', '--nats', nats().url, '--log', log, '--json'])
      expect(busy.json()).toMatchObject({ error: { id: 'Busy' } })

      node.child.kill('SIGTERM')
      expect((await node.finished).exit).toBe(0)
      const kept = await run<SearchAnswer>('search', 'state:ready')
      expect(numbers(kept)).toEqual([2, 3])
      await run('index', 'rebuild')
      // The node's last records may be only in the new index.
      const { messages } = await run<SearchAnswer>('search', 'state:ready')
      expect(messages).toEqual(kept.messages)
      const elsewhere = await temporaryFolder()
      expect(numbers(await run<SearchAnswer>('search', 'state:ready', '--data-dir', elsewhere.path))).toEqual(
        [2, 3],
      )
      expect(await run('acts', '--data-dir', elsewhere.path)).toEqual(await run('acts'))
      await elsewhere.remove()
    },
  )

  it(
    'runs on one node of a log, answers on every node, and on another one when its node is killed or stops',
    { timeout: 120_000 },
    async () => {
      const [one, two] = [await serve('--data-dir', 'one'), await serve('--data-dir', 'two')]
      const three = await serve('--data-dir', 'three', '--audit', 'off')
      await run('queue', 'create', 'mail')
      await run('send', 'mail', 'hello')
      const found = async ({ api }: { api: string }) =>
        numbers(await get<SearchAnswer>(api, '/v1/search?q=queue:mail'))
      for (const node of [one, two, three])
        await waitUntil(async () => (await found(node)).length === 1, { timeoutMs: 20_000 })
      const hasIndex = (name: string) => existsSync(path.join(kiroku().folder, name, 'audit'))
      expect(['one', 'two', 'three'].map(hasIndex)).toEqual([true, false, false])
      expect(await pidOf(two.api)).toBe(await pidOf(one.api))
      expect(await (await fetch(`${two.api}/metrics`)).text()).not.toContain('kiroku_audit_lag{')
      expect(numbers(await run<SearchAnswer>('search', 'queue:mail', '--data-dir', 'four'))).toEqual([1])
      expect(hasIndex('four')).toBe(false)

      const stray = await connect({ servers: nats().url })
      for (const what of ['beat', 'ask'])
        for (const text of ['', 'no JSON', 'null', '{"node":7}'])
          stray.publish(`kiroku.audit.${log}.${what}`, text, { reply: 'nobody' })
      await stray.close()
      expect(await found(two)).toEqual([1])

      one.node.child.kill('SIGKILL')
      await waitUntil(() => hasIndex('two'), { timeoutMs: 30_000 })
      await waitUntil(async () => (await found(three)).length === 1, { timeoutMs: 20_000 })

      const again = await serve('--data-dir', 'one')
      await run('send', 'mail', 'hello')
      await waitUntil(async () => (await found(again)).length === 2, { timeoutMs: 20_000 })
      const pid = await pidOf(again.api)
      two.node.child.kill('SIGTERM')
      expect((await two.node.finished).exit).toBe(0)
      await waitUntil(
        async () => {
          const now = await auditorOf(again.api)
          return now !== undefined && now.pid !== pid && (await found(three)).length === 2
        },
        { timeoutMs: 20_000 },
      )
    },
  )

  it('is not running when it is switched off, and says so', { timeout: 60_000 }, async () => {
    const { api } = await serve('--audit', 'off')
    expect(await auditorOf(api)).toBeUndefined()
    await run('queue', 'create', 'mail')
    const { messageId } = await run<{ messageId: string }>('send', 'mail', 'hello')
    const questions = [
      '/v1/search?q=state:ready',
      '/v1/history',
      '/v1/acts',
      '/v1/state',
      `/v1/messages/${messageId}/trace`,
    ]
    for (const path of [
      ...questions,
      ...['state', 'recording', 'diff?a=1', 'dead-letters', 'batches'].map(
        (what) => `/v1/queues/mail/${what}`,
      ),
    ])
      expect([path, await get(api, path)]).toMatchObject([path, { id: 'NoAuditor' }])
    // Commands read the record by themselves.
    expect(await run('acts', '--queue', 'mail')).toMatchObject({ acts: [{ event: 'QueueCreated' }] })
  })

  it(
    'says that its folder is full when asked to search, and the engine keeps working',
    { timeout: 60_000 },
    async ({ skip }) => {
      await using disk = await SmallDisk.mountOrSkip(4, skip)
      const data = path.join(kiroku().folder, 'data')
      await mkdir(data)
      await symlink(disk.path, path.join(data, 'audit'))
      disk.fill()
      const { node, api } = await serve('--data-dir', data)
      await run('queue', 'create', 'mail')
      const search = () => get<{ id?: string; message?: string }>(api, '/v1/search?q=queue:mail')
      await waitUntil(async () => (await search()).message?.includes('full'), { timeoutMs: 20_000 })
      expect((await search()).id).toBe('NoAuditor')
      await run('send', 'mail', 'hello')
      node.child.kill('SIGTERM')
      await node.finished
    },
  )

  it('shows where a filter is wrong', { timeout: 60_000 }, async () => {
    await serve('--audit', 'off')
    const refused = await kiroku().run([
      'search',
      'queue:mail colour:red',
      '--nats',
      nats().url,
      '--log',
      log,
    ])
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toContain('queue:mail colour:red\n           ^\n')
  })
})
