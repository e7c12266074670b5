import type { MomentDiff, QueueMoment } from '@kiroku/audit'
import { defaultQueueConfig } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { describeDiff } from './describeDiff.ts'
import { describeMoment } from './describeMoment.ts'

const at = Date.parse('2026-11-21T14:02:31Z')
const counts = {
  delayed: 0,
  available: 1,
  inflight: 1,
  waitingRetry: 0,
  sent: 3,
  committed: 1,
  deadLettered: 0,
  discarded: 0,
  redelivered: 0,
}
const moment: QueueMoment = {
  queue: 'mail',
  at,
  places: [{ partition: 3, queue: 1, seq: 12, at }],
  config: defaultQueueConfig,
  deliveryPaused: true,
  counts,
  subscriptions: [{ name: 'main', sub: 0, deliveryPaused: false, counts }],
  oldestAgeMs: 5_000,
  messages: [
    {
      messageId: 'abc-3-1-2',
      partition: 3,
      number: 2,
      subscription: 'main',
      state: 'Inflight',
      attempt: 1,
      enqueuedAt: at - 5_000,
      bytes: 3,
      group: 'g',
      delivery: 2,
      leaseUntil: at - 2_000,
    },
  ],
  messagesTotal: 2,
  next: '0:0:2',
}

it('a moment is shown with its time, its record, the machine and the messages', () => {
  const text = describeMoment(moment, false)
  expect(text).toContain('mail at 2026-11-21T14:02:31.000Z  (record 3/12)  deliveries paused')
  expect(text).toMatch(/Committed +1 /)
  expect(text).toMatch(/abc-3-1-2 +2 +Inflight +1 +5s +main +lease over for 2s, group g/)
  expect(text).toContain('… 2 in all; continue with --after 0:0:2')
})

it('several subscriptions are shown in a table', () => {
  expect(describeMoment(moment, false)).not.toContain('subscription  available')
  const [main] = moment.subscriptions
  const several = { ...moment, subscriptions: [main!, { ...main!, name: 'other', deliveryPaused: true }] }
  expect(describeMoment(several, false)).toMatch(/^subscription +available +in flight +waiting retry /m)
  expect(describeMoment(several, false)).toMatch(/other +1 +1 +0 +1 +0 +0 +paused/)
})

it('a held subscription is shown with the end of the hold', () => {
  const [main] = moment.subscriptions
  const hold = { since: at - 1_000, until: at + 29_000, error: 'HTTP 429' }
  const held = { ...moment, deliveryPaused: false, subscriptions: [{ ...main!, hold }] }
  expect(describeMoment(held, false)).toContain('  deliveries held until 2026-11-21T14:03:00.000Z: HTTP 429')
  const several = { ...held, subscriptions: [main!, { ...main!, name: 'other', hold }] }
  expect(describeMoment(several, false)).toMatch(/other .* held until 2026-11-21T14:03:00.000Z: HTTP 429$/m)
})

it('a difference shows only what changed, and how much is not shown', () => {
  const same = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, { a: n, b: n }]))
  const message = { messageId: 'abc-3-1-2', partition: 3, number: 2, subscription: 'main' }
  const diff: MomentDiff = {
    queue: 'mail',
    a: { at, places: moment.places },
    b: undefined,
    counts: { ...same, committed: { a: 1, b: 3 } } as MomentDiff['counts'],
    config: [{ setting: 'retriesMax', a: 3, b: 5 }],
    appeared: { total: 0, messages: [] },
    changed: {
      total: 1,
      messages: [
        { ...message, before: { state: 'Available', attempt: 0 }, after: { state: 'Inflight', attempt: 1 } },
      ],
    },
    left: { total: 2, messages: [{ ...message, before: { state: 'Inflight', attempt: 1 } }] },
  }
  const text = describeDiff(diff)
  expect(text).toContain('mail from 2026-11-21T14:02:31.000Z (3/12) to not there')
  expect(text).toMatch(/committed +1 +3 +\+2/)
  expect(text).not.toContain('available')
  expect(text).toMatch(/retriesMax +3 +5/)
  expect(text).toContain('1 message changed')
  expect(text).toMatch(/abc-3-1-2 +main +Available\/0 → Inflight\/1/)
  expect(text).toContain('… and 1 more')
})
