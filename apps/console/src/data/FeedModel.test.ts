import { type FeedUpdate, noCounts, type QueueChange } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { FeedModel } from './FeedModel.ts'

const place = { position: 'a:1', at: 0, silent: [], seqs: [1] }
const snapshot = (...names: string[]): FeedUpdate => ({
  kind: 'snapshot',
  queues: names.map((queue) => ({ queue, counts: noCounts })),
  ...place,
})
const changes = (...queues: QueueChange[]): FeedUpdate => ({ kind: 'changes', queues, ...place })
const sent = (queue: string, count: number): QueueChange => ({
  queue,
  transitions: [{ from: 'New', to: 'Available', count }],
  change: { available: count, sent: count },
})

it('reports what happens to each queue per second, over the whole seconds that it knows', () => {
  const model = new FeedModel()
  model.accept(snapshot('mail', 'idle'), 10_000)
  model.accept(changes(sent('mail', 6)), 10_100)
  model.accept(changes(sent('mail', 2)), 11_900)
  model.accept(changes(sent('mail', 100)), 12_000)
  expect(model.knownSeconds(12_500, 60)).toBe(2)
  expect(model.activity(12_500, 60).get('mail')).toMatchObject({ sent: 4, waiting: 4 })
  expect(model.activity(12_500, 60).has('idle')).toBe(false)
  expect(model.activityOf('mail', 12_500, 1).sent).toBe(2)
  expect(model.series('mail', 'sent', 12_500, 4)).toEqual([undefined, undefined, 6, 2])
  expect(model.series('idle', 'sent', 12_500, 3)).toEqual([undefined, 0, 0])
})

it('counts what happened during a break, but not as a rate', () => {
  const model = new FeedModel()
  model.accept(snapshot('mail'), 10_000)
  model.accept(changes(sent('mail', 5)), 10_500)
  model.opened()
  model.accept(changes(sent('mail', 1_000)), 60_000)
  model.accept(changes(sent('mail', 3)), 61_000)
  expect(model.countsOf('mail')?.available).toBe(1_008)
  expect(model.series('mail', 'sent', 62_000, 3)).toEqual([undefined, 0, 3])
})

it('keeps the names of the queues until one comes or goes', () => {
  const model = new FeedModel()
  model.accept(snapshot('b', 'a'), 0)
  const names = model.queueNames()
  model.accept(changes(sent('a', 1)), 100)
  expect(model.queueNames()).toBe(names)
  model.accept(changes(sent('c', 1), { queue: 'a', transitions: [], change: {}, ended: true }), 200)
  expect(model.queueNames()).toEqual(['b', 'c'])
})

it('knows every count of a queue that appears meanwhile, even those without changes', () => {
  const model = new FeedModel()
  model.accept(snapshot(), 0)
  model.accept(changes(sent('new', 5)), 100)
  expect(model.countsOf('new')).toEqual({ ...noCounts, available: 5, sent: 5 })
})
