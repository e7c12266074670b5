import { describe, expect, it } from 'vitest'
import { queueConfigOf, queueFlags } from './queueFlags.ts'

const given = (flags: Record<string, string>) => ({
  text: (name: string) => flags[name],
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

  it('give only what was set, in ms and bytes', () => {
    const flags = {
      lease: '1m',
      retries: '0',
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

  it('remove the dead-letter queue with none', () => {
    expect(queueConfigOf(given({ 'dead-letter': 'none' }))).toEqual({ deadLetter: null })
  })
})
