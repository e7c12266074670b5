import { describe, expect, it } from 'vitest'
import { isFinal, State, stateNames, type DiscardReason } from '@kiroku/protocol'
import { newCell, step } from './index.ts'

import type { MachineEvent, MessageCell, Policy } from './index.ts'

const policy = (change: Partial<Policy> = {}): Policy => ({
  attemptsMax: 4,
  exhaustion: 'onExpiry',
  hasDeadLetter: true,
  lateHandles: 'accept',
  ...change,
})

const cellIn = (state: State, change: Partial<MessageCell> = {}): MessageCell => ({
  ...newCell(state),
  ...change,
})
const inflight = (change: Partial<MessageCell> = {}): MessageCell =>
  cellIn(State.Inflight, { attempt: 1, delivery: 7, attemptsMax: 4, leaseUntil: 1_000, ...change })

/** What becomes of a cell: its new self, or `refused` after a check that nothing of it changed. */
const after = (cell: MessageCell, event: MachineEvent): MessageCell | 'refused' => {
  const before = { ...cell }
  if (step(cell, event)) return cell
  expect(cell).toEqual(before)
  return 'refused'
}
const stateAfter = (cell: MessageCell, event: MachineEvent): string => {
  const next = after(cell, event)
  return next === 'refused' ? next : stateNames[next.state]
}

const live = [State.Held, State.Delayed, State.Available, State.Inflight, State.WaitingRetry]
const ended = [State.Committed, State.DLQ, State.Discarded]

describe('a held message', () => {
  it('becomes available when its producer commits it', () => {
    const event = { type: 'HELD_COMMITTED', now: 10, dueAt: 0 } as const
    expect(stateAfter(cellIn(State.Held), event)).toBe('Available')
  })
  it('becomes delayed when it is committed with a due time ahead', () => {
    const event = { type: 'HELD_COMMITTED', now: 10, dueAt: 11 } as const
    expect(after(cellIn(State.Held), event)).toEqual(cellIn(State.Delayed, { dueAt: 11 }))
  })
  it('is discarded as rolled back', () => {
    const next = after(cellIn(State.Held), { type: 'HELD_ROLLED_BACK' })
    expect(next).toEqual(cellIn(State.Discarded, { reason: 'rolledBack' }))
  })
  it('cannot be delivered', () => {
    const event = { type: 'DELIVER', delivery: 1, leaseUntil: 5, leaseCap: 0, policy: policy() } as const
    expect(stateAfter(cellIn(State.Held), event)).toBe('refused')
  })
})

describe('a delayed message', () => {
  const delayed = () => cellIn(State.Delayed, { dueAt: 100 })
  it('becomes available at its due time', () => {
    expect(stateAfter(delayed(), { type: 'DELAY_ELAPSED', now: 100 })).toBe('Available')
  })
  it('does not become available a millisecond early', () => {
    expect(stateAfter(delayed(), { type: 'DELAY_ELAPSED', now: 99 })).toBe('refused')
  })
  it('can be moved to another due time', () => {
    const next = after(delayed(), { type: 'RESCHEDULE', now: 50, dueAt: 300 })
    expect(next).toEqual(cellIn(State.Delayed, { dueAt: 300 }))
  })
  it('can be recalled', () => {
    expect(after(delayed(), { type: 'RECALL' })).toMatchObject({
      state: State.Discarded,
      reason: 'recalled',
    })
  })
  it('can no longer be moved or recalled once it is available', () => {
    expect(stateAfter(cellIn(State.Available), { type: 'RESCHEDULE', now: 0, dueAt: 9 })).toBe('refused')
    expect(stateAfter(cellIn(State.Available), { type: 'RECALL' })).toBe('refused')
  })
})

describe('a delivery', () => {
  const deliver = (change: Partial<Policy> = {}) =>
    ({ type: 'DELIVER', delivery: 8, leaseUntil: 2_000, leaseCap: 9_000, policy: policy(change) }) as const

  it('counts an attempt and gives a lease under the limit in force', () => {
    const next = after(cellIn(State.Available, { attempt: 1, delivery: 7, attemptsMax: 3 }), deliver())
    expect(next).toMatchObject({
      state: State.Inflight,
      attempt: 2,
      delivery: 8,
      attemptsMax: 4,
      leaseUntil: 2_000,
      leaseCap: 9_000,
    })
  })
  it('happens to an available message only', () => {
    for (const state of [State.Held, State.Delayed, State.Inflight, State.WaitingRetry, ...ended]) {
      expect(stateAfter(cellIn(state), deliver())).toBe('refused')
    }
  })
  it('dead-letters instead when attempts are used up and that is noticed at the next receive', () => {
    const event = deliver({ exhaustion: 'onNextReceive', attemptsMax: 2 })
    expect(after(cellIn(State.Available, { attempt: 2, delivery: 7 }), event)).toMatchObject({
      state: State.DLQ,
      attempt: 2,
      delivery: 7,
    })
  })
  it('discards instead where there is no dead-letter queue', () => {
    const event = deliver({ exhaustion: 'onNextReceive', attemptsMax: 2, hasDeadLetter: false })
    const next = after(cellIn(State.Available, { attempt: 2 }), event)
    expect(next).toMatchObject({ state: State.Discarded, reason: 'exhausted', attempt: 2 })
  })
  it('is the last one when one attempt is left at the receive', () => {
    const event = deliver({ exhaustion: 'onNextReceive', attemptsMax: 2 })
    expect(stateAfter(cellIn(State.Available, { attempt: 1 }), event)).toBe('Inflight')
  })
})

describe('a lease', () => {
  const extend = (leaseUntil: number, now = 500, delivery = 7) =>
    ({ type: 'EXTEND', now, delivery, leaseUntil }) as const
  const release = (delivery: number, dueAt: number) =>
    ({ type: 'RELEASE', now: 500, delivery, dueAt }) as const

  it('is extended by its holder', () => {
    expect(after(inflight(), extend(5_000))).toEqual(inflight({ leaseUntil: 5_000 }))
  })
  it('is not extended with the handle of another delivery', () => {
    expect(stateAfter(inflight(), extend(5_000, 500, 6))).toBe('refused')
  })
  it('is extended up to its cap and not beyond', () => {
    expect(stateAfter(inflight({ leaseCap: 5_000 }), extend(5_000))).toBe('Inflight')
    expect(stateAfter(inflight({ leaseCap: 5_000 }), extend(5_001))).toBe('refused')
  })
  it('that is over but not swept can still be extended or acknowledged by its holder', () => {
    expect(stateAfter(inflight(), extend(5_000, 1_001))).toBe('Inflight')
    const ack = { type: 'ACK', delivery: 7, policy: policy({ lateHandles: 'reject' }) } as const
    expect(stateAfter(inflight(), ack)).toBe('Committed')
  })
  it('ends by a release that gives the attempt back and keeps the delivery', () => {
    for (const dueAt of [0, 500])
      expect(after(inflight({ attempt: 2 }), release(7, dueAt))).toMatchObject({
        state: State.Available,
        attempt: 1,
        delivery: 7,
      })
  })
  it('ends by a release with a delay, which gives the attempt back too, however many there were', () => {
    expect(after(inflight({ attempt: 4 }), release(7, 501))).toEqual(
      inflight({ state: State.WaitingRetry, attempt: 3, dueAt: 501 }),
    )
  })
  it('is not released with the handle of another delivery', () => {
    expect(stateAfter(inflight(), release(6, 0))).toBe('refused')
    expect(stateAfter(inflight(), release(6, 501))).toBe('refused')
  })
  it('does not expire a millisecond early', () => {
    const expired = { type: 'LEASE_EXPIRED', now: 999, dueAt: 0, policy: policy() } as const
    expect(stateAfter(inflight(), expired)).toBe('refused')
    expect(stateAfter(inflight({ attempt: 4 }), expired)).toBe('refused')
  })
})

describe('an acknowledgement', () => {
  const ack = (delivery: number, lateHandles: Policy['lateHandles'] = 'accept') =>
    ({ type: 'ACK', delivery, policy: policy({ lateHandles }) }) as const
  const tried = { attempt: 1, delivery: 7, attemptsMax: 4 }

  it('by the holder commits', () => {
    expect(stateAfter(inflight(), ack(7, 'reject'))).toBe('Committed')
  })
  it.each([
    ['while the message waits for its retry', cellIn(State.WaitingRetry, tried)],
    ['after the message returned', cellIn(State.Available, tried)],
    ['during a later delivery', inflight({ attempt: 2, delivery: 9 })],
  ])('with a late handle %s counts only if the queue accepts late handles', (_, cell) => {
    expect(stateAfter({ ...cell }, ack(7, 'accept'))).toBe('Committed')
    expect(stateAfter({ ...cell }, ack(7, 'reject'))).toBe('refused')
  })
  it('of a message that was never handed over is refused', () => {
    for (const state of [State.Held, State.Delayed, State.Available]) {
      expect(stateAfter(cellIn(state), ack(0))).toBe('refused')
    }
  })
  it('after a release of the only attempt is refused', () => {
    expect(stateAfter(cellIn(State.Available, { delivery: 7 }), ack(7))).toBe('refused')
  })
})

describe.each([
  ['a retry asked for by the holder', { type: 'RETRY', now: 1_000, delivery: 7 }],
  ['an expired lease', { type: 'LEASE_EXPIRED', now: 1_000 }],
] as const)('%s', (_, failure) => {
  const failed = (dueAt: number, change: Partial<Policy> = {}): MachineEvent => ({
    ...failure,
    dueAt,
    policy: policy(change),
  })
  it('makes the message wait until its due time', () => {
    expect(after(inflight(), failed(1_001))).toEqual(inflight({ state: State.WaitingRetry, dueAt: 1_001 }))
  })
  it('makes it available at once without a delay', () => {
    expect(stateAfter(inflight(), failed(1_000))).toBe('Available')
    expect(stateAfter(inflight(), failed(0))).toBe('Available')
  })
  it('of the last attempt dead-letters', () => {
    expect(stateAfter(inflight({ attempt: 4 }), failed(1_001))).toBe('DLQ')
  })
  it('of the last attempt discards where there is no dead-letter queue', () => {
    const next = after(inflight({ attempt: 4 }), failed(1_001, { hasDeadLetter: false }))
    expect(next).toMatchObject({ state: State.Discarded, reason: 'exhausted' })
  })
  it('goes by the limit in force at the delivery, not by a later one', () => {
    expect(stateAfter(inflight({ attempt: 4 }), failed(0, { attemptsMax: 9 }))).toBe('DLQ')
    expect(stateAfter(inflight({ attempt: 2 }), failed(0, { attemptsMax: 1 }))).toBe('Available')
  })
  it('of the last attempt lets it return where exhaustion is noticed at the next receive', () => {
    const change = { exhaustion: 'onNextReceive' } as const
    expect(stateAfter(inflight({ attempt: 4 }), failed(0, change))).toBe('Available')
    expect(stateAfter(inflight({ attempt: 4 }), failed(1_001, change))).toBe('WaitingRetry')
  })
})

it('a retry with the handle of another delivery is refused, whatever the policy', () => {
  const retry = { type: 'RETRY', now: 1_000, delivery: 6, dueAt: 0, policy: policy() } as const
  expect(stateAfter(inflight(), retry)).toBe('refused')
  expect(stateAfter(inflight({ attempt: 4 }), retry)).toBe('refused')
})

describe('a message that waits for its retry', () => {
  const waiting = () => cellIn(State.WaitingRetry, { attempt: 1, delivery: 7, dueAt: 100 })
  it('becomes available at its due time', () => {
    expect(stateAfter(waiting(), { type: 'RETRY_DUE', now: 100 })).toBe('Available')
  })
  it('does not become available a millisecond early', () => {
    expect(stateAfter(waiting(), { type: 'RETRY_DUE', now: 99 })).toBe('refused')
  })
})

describe('dead-lettering on purpose', () => {
  const deadLetter = (delivery: number, hasDeadLetter = true) =>
    ({ type: 'DEAD_LETTER', delivery, policy: policy({ hasDeadLetter }) }) as const
  it('needs the lease', () => {
    expect(stateAfter(inflight(), deadLetter(7))).toBe('DLQ')
    expect(stateAfter(inflight(), deadLetter(6))).toBe('refused')
    expect(stateAfter(cellIn(State.Available, { delivery: 7 }), deadLetter(7))).toBe('refused')
  })
  it('needs a dead-letter queue', () => {
    expect(stateAfter(inflight(), deadLetter(7, false))).toBe('refused')
  })
})

describe.each<[string, MachineEvent, DiscardReason]>([
  ['retention', { type: 'EXPIRE' }, 'expired'],
  ['a purge', { type: 'PURGE' }, 'purged'],
  ['an operator', { type: 'DISCARD', reason: 'operator' }, 'operator'],
])('%s', (_, event, reason) => {
  it.each(live.map((state) => [stateNames[state], state] as const))('discards from %s', (__, state) => {
    expect(after(cellIn(state), event)).toMatchObject({ state: State.Discarded, reason })
  })
})

it('nothing changes a message in a final state', () => {
  const events: MachineEvent[] = [
    { type: 'DELAY_ELAPSED', now: 9 },
    { type: 'RESCHEDULE', now: 9, dueAt: 99 },
    { type: 'RECALL' },
    { type: 'HELD_COMMITTED', now: 9, dueAt: 0 },
    { type: 'HELD_ROLLED_BACK' },
    { type: 'DELIVER', delivery: 8, leaseUntil: 99, leaseCap: 0, policy: policy() },
    { type: 'EXTEND', now: 9, delivery: 7, leaseUntil: 99 },
    { type: 'RELEASE', now: 9, delivery: 7, dueAt: 0 },
    { type: 'RELEASE', now: 9, delivery: 7, dueAt: 99 },
    { type: 'ACK', delivery: 7, policy: policy() },
    { type: 'RETRY', now: 9, delivery: 7, dueAt: 0, policy: policy() },
    { type: 'LEASE_EXPIRED', now: 9, dueAt: 0, policy: policy() },
    { type: 'RETRY_DUE', now: 9 },
    { type: 'DEAD_LETTER', delivery: 7, policy: policy() },
    { type: 'EXPIRE' },
    { type: 'PURGE' },
    { type: 'DISCARD', reason: 'operator' },
  ]
  for (const state of ended) {
    expect(isFinal(state)).toBe(true)
    for (const event of events) {
      expect(stateAfter(cellIn(state, { attempt: 1, delivery: 7 }), event)).toBe('refused')
    }
  }
})
