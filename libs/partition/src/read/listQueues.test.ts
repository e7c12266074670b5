import { expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

it('lists the first names behind another one, by prefix and by dead-letter queue, and describes none', () => {
  const p = new TestPartition()
  for (const name of ['b-2', 'a-1', 'b-1', 'dead', 'b-3']) p.create(name, {})
  const page = (more: object) => p.ok({ type: 'ListQueues', page: { max: 10, ...more } })
  expect(page({})).toEqual({ queues: [], names: ['a-1', 'b-1', 'b-2', 'b-3', 'dead'] })
  expect(page({ max: 2 }).names).toEqual(['a-1', 'b-1'])
  expect(page({ max: 2, prefix: 'b', after: 'b-1' }).names).toEqual(['b-2', 'b-3'])
  expect(page({ deadLetter: 'dead' }).names).toEqual([])
  const { partition, queue } = p.ok({ type: 'DescribeQueue', queue: 'dead' })
  p.create('b-4', { deadLetter: { name: 'dead', partition, queue } })
  expect(page({ deadLetter: 'dead' }).names).toEqual(['b-4'])
  const settings = { deadLetter: { name: 'dead', partition, queue } }
  p.ok({ type: 'CreateSubscription', queue: 'a-1', subscription: 's', settings, by })
  expect(page({ deadLetter: 'dead' }).names).toEqual(['a-1', 'b-4'])
})

it('describes the queues of a page that asks for it', () => {
  const p = new TestPartition()
  for (const name of ['c', 'a', 'b']) p.create(name, {})
  const all = p.ok({ type: 'ListQueues' }).queues
  const page = (more: object) => p.ok({ type: 'ListQueues', page: { max: 2, described: true, ...more } })
  const [first, second] = [page({}), page({ after: 'b' })]
  expect([first.names, second.names]).toEqual([['a', 'b'], ['c']])
  expect([...first.queues, ...second.queues]).toEqual(all.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
})
