import { expect, it } from 'vitest'
import { letterQueuesOf, type KnownQueue } from './letterQueues.ts'

const queue = (name: string, available: number, deadLetter?: string): KnownQueue => ({
  name,
  config: { deadLetter: deadLetter === undefined ? null : { name: deadLetter } },
  counts: { delayed: 0, available, inflight: 1, waitingRetry: 0, sent: available + 3 },
  subscriptions: [],
})

it('dead-letter queues are those that others name, the fullest first', () => {
  const found = letterQueuesOf([
    queue('mail', 5, 'mail-dlq'),
    queue('mail-dlq', 2),
    queue('orders', 9, 'dlq'),
    queue('billing', 0, 'dlq'),
    queue('dlq', 8),
    queue('idle', 0),
  ])
  expect(found).toEqual([
    { name: 'dlq', origins: ['billing', 'orders'], letters: 9, inflight: 1 },
    { name: 'mail-dlq', origins: ['mail'], letters: 3, inflight: 1 },
  ])
})

it('a subscription names one too', () => {
  const events = {
    ...queue('events', 0),
    subscriptions: [{ name: 'eu', settings: { deadLetter: { name: 'x' } } }],
  }
  expect(letterQueuesOf([events, queue('x', 0)])).toMatchObject([{ name: 'x', origins: ['events'] }])
})

it('says how many arrived since', () => {
  const queues = [queue('mail', 5, 'mail-dlq'), queue('mail-dlq', 7)]
  expect(letterQueuesOf(queues, new Map([['mail-dlq', 4]]))).toMatchObject([{ arrived: 6 }])
  expect(letterQueuesOf(queues, new Map())).toMatchObject([{ arrived: 10 }])
})
