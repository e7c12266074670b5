import { createClient } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { type FeedUpdate, noCounts, type QueueCounts, sumCounts } from '@kiroku/protocol'
import { waitUntil, withNats } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()

/** Follows a feed, and adds up its changes. */
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
        const message = { kind, ...JSON.parse(/^data: (.*)$/m.exec(event)![1]!) } as FeedUpdate
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

const serve = () =>
  kiroku().start([
    'serve',
    '--nats',
    nats().url,
    '--partitions',
    '4',
    '--http',
    '127.0.0.1:0',
    '--audit',
    'off',
    '--json',
  ])

it('a feed reports the counts of queues and their changes, whichever node owns them, also after one was killed', async () => {
  const { api } = await readyOf(serve())
  const other = serve()
  await readyOf(other)
  const connection = await connect({ servers: nats().url })
  const client = createClient(natsTransport(connection, { log: 'main' }))
  const queues = ['mail', 'work', 'bills', 'other']
  for (const queue of queues) await client.queues.create(queue)
  await client.send('mail', 'before')
  const feed = await follow(`${api}/v1/feed`)
  await waitUntil(() => feed.counts.get('mail')?.available === 1, { timeoutMs: 20_000 })
  for (const queue of queues) await client.send(queue, 'x')
  const [message] = await client.receive('mail')
  await message!.ack()
  const stands = (available: number) =>
    queues.every((queue) => feed.counts.get(queue)?.available === available)
  await waitUntil(() => stands(1) && feed.counts.get('mail')?.committed === 1, { timeoutMs: 20_000 })

  other.child.kill('SIGKILL')
  for (const queue of queues) await client.send(queue, 'meanwhile')
  await waitUntil(() => stands(2), { timeoutMs: 30_000 })
  expect(feed.counts.get('mail')).toMatchObject({ sent: 3, committed: 1, available: 2 })
  feed.end()
  await client.close()
  await connection.close()
}, 120_000)
