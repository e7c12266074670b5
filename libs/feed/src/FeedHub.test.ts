import { noCounts, parseGrants } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { FeedHub } from './FeedHub.ts'

const queues = ['orders-eu', 'vault'].map((queue, id) => ({ id, queue, counts: noCounts }))
const sent = queues.map(({ id, queue }) => ({
  id,
  queue,
  transitions: [{ from: 'New', to: 'Available', count: 1 } as const],
  change: { sent: 1, available: 1 },
}))

it('a reader with a role on some queues gets these alone, at first and as they change, and no event for others', () => {
  const hub = new FeedHub('i', 1)
  hub.accept({ kind: 'standing', partition: 0, seq: 1, at: 1, queues })
  const all = hub.read()
  const some = hub.read({ grants: parseGrants('viewer@orders-*') })
  const both = hub.read({ grants: parseGrants('viewer+operator@orders-*') })
  const named = (reader: typeof all): readonly string[] | undefined =>
    reader.take()?.queues.map(({ queue }) => queue)
  expect([named(all), named(some), named(both)]).toEqual([
    ['orders-eu', 'vault'],
    ['orders-eu'],
    ['orders-eu', 'vault'],
  ])
  hub.accept({ kind: 'changes', partition: 0, seq: 2, at: 2, queues: sent })
  expect([named(all), named(some)]).toEqual([['orders-eu', 'vault'], ['orders-eu']])
  hub.accept({ kind: 'changes', partition: 0, seq: 3, at: 3, queues: sent.slice(1) })
  expect([named(all), named(some)]).toEqual([['vault'], undefined])
})
