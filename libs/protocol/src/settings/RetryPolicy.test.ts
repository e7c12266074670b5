import { retryDelayMs, type RetryPolicy } from './RetryPolicy.ts'
import { expect, it } from 'vitest'

const delays = (policy: RetryPolicy, attempts: number[], random = 0): number[] =>
  attempts.map((attempt) => retryDelayMs(policy, attempt, random))

it('a fixed policy pauses equally after every attempt', () => {
  expect(delays({ kind: 'fixed', delayMs: 250 }, [1, 2, 100])).toEqual([250, 250, 250])
})

it('RocketMQ pauses by its 16 steps, then by the last', () => {
  const seconds = [10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1200, 1800, 3600, 7200]
  const attempts = [...seconds.keys()].map((i) => i + 1)
  expect(delays({ kind: 'rocketmq' }, attempts)).toEqual(seconds.map((each) => each * 1000))
  expect(delays({ kind: 'rocketmq' }, [17, 1000])).toEqual([7_200_000, 7_200_000])
})

it('an exponential policy grows by its factor up to its maximum', () => {
  const policy = { kind: 'exponential', baseMs: 100, factor: 3, maxMs: 1_000, jitter: 0 } as const
  expect(delays(policy, [1, 2, 3, 4, 5, 5_000], 0.9)).toEqual([100, 300, 900, 1_000, 1_000, 1_000])
})

it('jitter takes at most its share of the delay away, in whole milliseconds', () => {
  const policy = { kind: 'exponential', baseMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0.25 } as const
  expect(retryDelayMs(policy, 2, 0)).toBe(2_000)
  expect(retryDelayMs(policy, 2, 0.5)).toBe(1_750)
  expect(retryDelayMs(policy, 2, 0.3333)).toBe(1_833)
})

it('an exponential policy from zero never pauses, however many attempts there were', () => {
  const policy = { kind: 'exponential', baseMs: 0, factor: 30, maxMs: 60_000, jitter: 0 } as const
  expect(delays(policy, [1, 5_000])).toEqual([0, 0])
})

it('a list is used in order and its last delay repeats', () => {
  expect(delays({ kind: 'list', delaysMs: [5, 10] }, [1, 2, 3, 9])).toEqual([5, 10, 10, 10])
})

it('an empty list means no pause', () => {
  expect(delays({ kind: 'list', delaysMs: [] }, [1, 4])).toEqual([0, 0])
})

it('jitter takes its share off the maximum too', () => {
  const policy = { kind: 'exponential', baseMs: 1_000, factor: 10, maxMs: 5_000, jitter: 0.5 } as const
  expect(retryDelayMs(policy, 3, 1)).toBe(2_500)
})
