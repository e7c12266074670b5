import { expect, it } from 'vitest'
import type { Trace, TraceStep } from './TraceStep.ts'
import { renderTrace } from './renderTrace.ts'

const step = (seq: number, more: Pick<TraceStep, 'event' | 'state'> & Partial<TraceStep>): TraceStep => ({
  partition: 0,
  seq,
  at: 1_000 + seq,
  queue: 'mail',
  number: 1,
  attempt: 1,
  ...more,
})

const undelivered = (seq: number): TraceStep[] => [
  step(seq, { event: 'Delivered', state: 'Inflight', consumer: 'vm-7', leaseUntil: 5_000 }),
  step(seq, { event: 'Released', state: 'Available', attempt: 0, cause: 'undelivered' }),
]

const told = (steps: readonly TraceStep[]): string =>
  renderTrace({
    messageId: 'abc-0-1-1',
    queues: ['mail'],
    state: 'Available',
    steps,
    attempts: [],
    cameBack: 0,
    complete: true,
    unreadable: [],
  } satisfies Trace)

it('deliveries to the abandoned receives of a killed consumer are one line', () => {
  const text = told([1, 2, 3].flatMap(undelivered))
  expect(text).toMatch(/ 0\/1 +mail +Delivered +1 +Available +3 × undelivered\n/)
  expect(text).not.toContain('Released')
  expect(text).not.toContain('0/2')
})

it('a single such delivery, and a release by a consumer, are shown as they are', () => {
  const byClient = undelivered(2).map((each) =>
    each.event === 'Released' ? { ...each, cause: 'client' } : each,
  )
  const text = told([...undelivered(1), ...byClient])
  expect(text.match(/Delivered/g)).toHaveLength(2)
  expect(text.match(/Released/g)).toHaveLength(2)
})
