import { queueSettings } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { settingName, settingText } from './settingText.ts'

it.each([
  ['leaseMs', 30_000, '30 s'],
  ['leaseCapMs', 0, 'no cap'],
  ['deliveryDelayMs', 0, 'none'],
  ['retentionMs', 4 * 86_400_000, '4 d'],
  ['idleMs', 0, 'never'],
  ['bodyBytesMax', 1024 * 1024, '1.0 MiB'],
  ['batchBytes', 512, '512 B'],
  ['rateMax', 0, 'no limit'],
  ['rateMax', 1_200, '1,200 per second'],
  ['retriesMax', 3, '3'],
  ['deadLetter', null, 'none'],
  ['deadLetter', { name: 'mail-dlq', partition: 1, queue: 2 }, 'mail-dlq'],
  ['retry', { kind: 'fixed', delayMs: 0 }, 'none'],
  ['retry', { kind: 'list', delaysMs: [1_000, 60_000] }, '1 s, 1 min'],
  [
    'retry',
    { kind: 'exponential', baseMs: 2_000, factor: 2, maxMs: 60_000, jitter: 0.2 },
    '2 s, × 2 each time, up to 1 min, minus up to 20 % jitter',
  ],
  ['tags', ['paid', 'open'], 'paid, open'],
  ['paused', true, 'yes'],
])('%s %j reads %s', (key, value, text) => {
  expect(settingText(key, value)).toBe(text)
})

it('has a name for every setting of a queue, and keeps what it does not know', () => {
  for (const key of Object.keys(queueSettings)) expect(settingName(key)).toMatch(/^[a-z][a-z ]+$/)
  expect(settingName('somethingNew')).toBe('somethingNew')
})
