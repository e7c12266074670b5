import { describe, expect, it } from 'vitest'
import { parseRetryPolicy } from './RetryPolicy.ts'
import { queueSettings } from './queueSettings.ts'
import { writeSetting } from './settingText.ts'

describe('a retry policy', () => {
  it.each([
    ['5s', { kind: 'fixed', delayMs: 5_000 }],
    ['fixed:5s', { kind: 'fixed', delayMs: 5_000 }],
    ['rocketmq', { kind: 'rocketmq' }],
    ['list:1s,1m', { kind: 'list', delaysMs: [1_000, 60_000] }],
    ['exponential:1s', { kind: 'exponential', baseMs: 1_000, factor: 2, maxMs: 3_600_000, jitter: 0 }],
    [
      'exponential:1s,3,10m,0.2',
      { kind: 'exponential', baseMs: 1_000, factor: 3, maxMs: 600_000, jitter: 0.2 },
    ],
  ] as const)('is read from %s, and written so that it reads back', (text, policy) => {
    expect(parseRetryPolicy(text, '--retry')).toEqual(policy)
    expect(parseRetryPolicy(writeSetting(queueSettings.retry, policy), '--retry')).toEqual(policy)
  })

  it.each(['fixed', 'list', 'exponential', 'linear:5s'])('%s is none, and the forms are named', (text) => {
    expect(() => parseRetryPolicy(text, '--retry')).toThrow(
      `--retry: "${text}" is not a retry policy; write one of a pause like 30s, exponential:1s,2,10m,0.2, rocketmq, list:1s,1m`,
    )
  })

  it.each(['often', 'list:', 'exponential:1s,0.5', 'exponential:1s,2,1m,7', 'fixed:'])(
    '%s is none',
    (text) => {
      expect(() => parseRetryPolicy(text, '--retry')).toThrow(/--retry/)
    },
  )
})
