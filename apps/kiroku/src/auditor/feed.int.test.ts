import { noCounts, sumCounts, type FeedMessage } from '@kiroku/audit'
import type { QueueCounts } from '@kiroku/partition'
import { temporaryFolder, waitUntil, withNats, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Kiroku, readyOf } from '../testing/Kiroku.ts'
import type { AuditorStatus } from './AuditorProtocol.ts'

const nats = withNats()
let folder: TemporaryFolder
let kiroku: Kiroku

beforeEach(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
})
afterEach(async () => {
  await kiroku.killAll()
  await folder.remove()
})

const command = (...args: string[]) => kiroku.run([...args, '--nats', nats().url, '--json'])

/** Follows a feed, and adds up what it tells. */
const follow = async (url: string) => {
  const stream = new AbortController()
  const response = await fetch(url, { signal: stream.signal })
  const seen = { snapshots: 0, counts: new Map<string, QueueCounts>(), end: () => stream.abort() }
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const kind = /^event: (.*)$/m.exec(event)![1]
        if (kind === 'heartbeat') continue
        const message = { kind, ...JSON.parse(/^data: (.*)$/m.exec(event)![1]!) } as FeedMessage
        if (message.kind === 'snapshot') {
          seen.snapshots++
          seen.counts = new Map(message.queues.map(({ queue, counts }) => [queue, counts]))
        } else
          for (const { queue, change } of message.queues)
            seen.counts.set(queue, sumCounts(seen.counts.get(queue) ?? noCounts, change))
      }
    }
  }
  read().catch(() => {})
  return seen
}

it('a feed tells how queues stand and what becomes of them, also after the auditor was killed', async () => {
  const node = kiroku.start([
    'serve',
    '--nats',
    nats().url,
    '--partitions',
    '2',
    '--http',
    '127.0.0.1:0',
    '--json',
  ])
  const { api } = await readyOf(node)
  for (const queue of ['mail', 'work', 'other']) await command('queue', 'create', queue)
  await command('send', 'mail', 'before')
  const feed = await follow(`${api}/v1/feed`)
  await waitUntil(() => feed.counts.get('mail')?.available === 1, { timeoutMs: 20_000 })
  await command('send', 'work', 'x')
  await command('receive', 'mail', '--ack')
  const isThere = () =>
    feed.counts.get('mail')?.committed === 1 &&
    feed.counts.get('mail')?.available === 0 &&
    feed.counts.get('work')?.available === 1
  await waitUntil(isThere, { timeoutMs: 20_000 })
  expect(feed.snapshots).toBe(1)

  const { auditor } = (await (await fetch(`${api}/v1/cluster`)).json()) as { auditor: AuditorStatus }
  process.kill(auditor.pid, 'SIGKILL')
  await command('send', 'mail', 'meanwhile')
  await waitUntil(() => feed.counts.get('mail')?.available === 1, { timeoutMs: 20_000 })
  expect(feed.snapshots).toBeGreaterThan(1)
  feed.end()
}, 90_000)
