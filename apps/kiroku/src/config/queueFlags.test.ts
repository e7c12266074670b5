import { queueSettings } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { formatSetting, parseRetryPolicy, queueConfigOf, queueFlags } from './queueFlags.ts'

const given = (flags: Record<string, string | number>) => ({
  text: (name: string) => flags[name] as string | undefined,
  int: (name: string) => flags[name] as number | undefined,
})

describe('the queue flags', () => {
  it('are named after the settings', () => {
    const flags = new Map(queueFlags.map(({ key, flag }) => [key, flag]))
    expect(flags.get('leaseMs')).toBe('lease')
    expect(flags.get('retriesMax')).toBe('retries')
    expect(flags.get('deliveryDelayMs')).toBe('delivery-delay')
    expect(flags.get('batchBytes')).toBe('batch-bytes')
    expect(new Set(flags.values()).size).toBe(queueFlags.length)
  })

  it('give only what was named, in ms and bytes', () => {
    const flags = {
      lease: '1m',
      retries: 0,
      'body-bytes': '2MiB',
      'dead-letter': 'dlq',
      'late-handles': 'reject',
    }
    expect(queueConfigOf(given(flags))).toEqual({
      leaseMs: 60_000,
      retriesMax: 0,
      bodyBytesMax: 2 * 1024 * 1024,
      deadLetter: 'dlq',
      lateHandles: 'reject',
    })
  })

  it('take the dead-letter queue away with none', () => {
    expect(queueConfigOf(given({ 'dead-letter': 'none' }))).toEqual({ deadLetter: null })
  })
})

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
    expect(parseRetryPolicy(formatSetting(queueSettings.retry, policy), '--retry')).toEqual(policy)
  })

  it.each(['often', 'list:', 'exponential:1s,0.5', 'exponential:1s,2,1m,7', 'fixed:'])(
    '%s is none',
    (text) => {
      expect(() => parseRetryPolicy(text, '--retry')).toThrow(/--retry/)
    },
  )
})
