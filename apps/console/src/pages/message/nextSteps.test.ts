import { describe, expect, it } from 'vitest'
import { nextSteps, type Facts } from './nextSteps.ts'

const facts: Facts = {
  ...{ state: 'Inflight', attempt: 2, delivery: 7, leaseUntil: 12_000, dueAt: 0, now: 2_000 },
  policy: { attemptsMax: 4, exhaustion: 'onExpiry', hasDeadLetter: true, lateHandles: 'accept' },
}

const told = (more: Partial<Facts> = {}) =>
  nextSteps({ ...facts, ...more }).map(
    ({ event, to, isPossible, says }) => `${isPossible ? '' : 'not '}${event} → ${to}: ${says.join(', ')}`,
  )

describe('what can happen next to a message', () => {
  it('says why a lease does not expire yet', () => {
    expect(told()).toContain('not LEASE_EXPIRED → Available: its lease lasts another 10 s')
  })

  it('says who may settle it', () => {
    expect(told()).toContain('ACK → Committed: only by who holds delivery 7')
    expect(told()).toContain('not RETRY → DLQ: it is attempt 2 of 4')
  })

  it('becomes a dead letter rather than anything else when its last attempt fails', () => {
    const last = told({ attempt: 4 })
    expect(last.find((each) => each.startsWith('RETRY → DLQ'))).toBeDefined()
    expect(last).toContain('not RETRY → Discarded: it goes to DLQ instead')
    expect(last).toContain('not RETRY → WaitingRetry: it goes to DLQ instead')
  })

  it('is discarded when there is no dead-letter queue', () => {
    const last = told({ attempt: 4, policy: { ...facts.policy!, hasDeadLetter: false } })
    expect(last).toContain('not RETRY → DLQ: its queue has no dead-letter queue')
    expect(last.find((each) => each.startsWith('RETRY → Discarded'))).toBeDefined()
  })

  it('shows what a group of states allows as well', () => {
    expect(told({ state: 'Delayed', dueAt: 5_000 })).toEqual([
      'not DELAY_ELAPSED → Available: due in 3 s',
      'RESCHEDULE → Delayed: ',
      'RECALL → Discarded: ',
      'EXPIRE → Discarded: ',
      'PURGE → Discarded: ',
      'DISCARD → Discarded: ',
    ])
  })

  it('knows that nothing follows a final state', () => {
    expect(told({ state: 'Committed' })).toEqual([])
  })

  it('says what it depends on when the queue is gone', () => {
    const { policy: _, ...rest } = facts
    expect(
      nextSteps({ ...rest, state: 'Available', attempt: 0 }).find(({ to }) => to === 'DLQ')?.says,
    ).toEqual(['if no attempt is left', 'if its queue has a dead-letter queue'])
  })
})
