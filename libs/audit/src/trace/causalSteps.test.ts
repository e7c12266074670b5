import { expect, it } from 'vitest'
import type { TraceStep } from './TraceStep.ts'
import { causalSteps } from './causalSteps.ts'

const step = (at: number, partition: number, queue: string, more: Partial<TraceStep> = {}): TraceStep => ({
  partition,
  seq: 1,
  at,
  queue,
  number: 1,
  event: 'Delivered',
  state: 'Inflight',
  attempt: 1,
  ...more,
})

it('what a dead letter causes is shown no earlier than the letter, by either clock', () => {
  const dead = step(1_000, 3, 'mail', { target: { partition: 1, queue: 'mail-dlq', forward: 7 } })
  const arrived = step(968, 1, 'mail-dlq', { from: { partition: 3, queue: 'mail', forward: 7 } })
  const received = step(980, 1, 'mail-dlq')
  const later = step(1_020, 1, 'mail-dlq')
  const back = step(1_020, 1, 'mail-dlq', { target: { partition: 3, queue: 'mail', forward: 2 } })
  const again = step(1_010, 3, 'mail', { number: 2, from: { partition: 1, queue: 'mail-dlq', forward: 2 } })
  const times = causalSteps([dead, arrived, received, later, back, again]).map(({ at }) => at)
  expect(times).toEqual([1_000, 1_000, 1_000, 1_020, 1_020, 1_020])
})

it('what has no cause elsewhere keeps its time', () => {
  const steps = [
    step(5, 0, 'mail'),
    step(3, 1, 'mail-dlq', { from: { partition: 0, queue: 'mail', forward: 1 } }),
  ]
  expect(causalSteps(steps)).toEqual(steps)
})

it('another subscription follows the clock of its partition', () => {
  const steps = [
    step(100, 0, 'mail'),
    step(300, 0, 'mail'),
    step(120, 0, 'mail', { event: 'Delivered', subscription: 'audit' }),
  ]
  expect(causalSteps(steps)).toEqual(steps)
})

it('a forward is identified by its sender, though two have the same number', () => {
  const other = step(2_000, 4, 'post', { target: { partition: 1, queue: 'mail-dlq', forward: 7 } })
  const dead = step(1_000, 3, 'mail', { target: { partition: 1, queue: 'mail-dlq', forward: 7 } })
  const arrived = step(968, 1, 'mail-dlq', { from: { partition: 3, queue: 'mail', forward: 7 } })
  expect(causalSteps([dead, other, arrived]).at(-1)!.at).toBe(1_000)
})
