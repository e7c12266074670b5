import { defaultQueueConfig, queueSettings } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { changesOf, draftOf } from './settingDraft.ts'

it('reads every setting back as it was written', () => {
  const draft = draftOf(defaultQueueConfig)
  expect(Object.keys(draft)).toEqual(Object.keys(queueSettings))
  const { bodySchema: _, ...given } = draft
  // Against nothing, so that each is read.
  expect(changesOf(given, {}).changes).toEqual((({ bodySchema: _, ...rest }) => rest)(defaultQueueConfig))
})

it('reports only what differs', () => {
  const before = { leaseMs: 30_000, retriesMax: 3, deadLetter: { name: 'dlq', partition: 1, queue: 2 } }
  const draft = draftOf(before)
  expect(changesOf(draft, before)).toEqual({ changes: {}, errors: {} })
  expect(changesOf({ ...draft, leaseMs: '2m', deadLetter: '' }, before).changes).toEqual({
    leaseMs: 120_000,
    deadLetter: null,
  })
})

it.each([
  ['30s', { kind: 'fixed', delayMs: 30_000 }],
  [
    'exponential:2s,2,10m,0.2',
    { kind: 'exponential', baseMs: 2_000, factor: 2, maxMs: 600_000, jitter: 0.2 },
  ],
  ['list:1s,1m', { kind: 'list', delaysMs: [1_000, 60_000] }],
  ['rocketmq', { kind: 'rocketmq' }],
] as const)('reads the pause %s before a retry', (text, retry) => {
  expect(changesOf({ retry: text }, {}).changes).toEqual({ retry })
  expect(draftOf({ retry })).toEqual({ retry: text })
})

it.each([
  ['leaseMs', 'soon', /like 500ms/],
  ['leaseMs', '13h', /from 0 to 12h/],
  ['retriesMax', '1.5', /whole number/],
  ['retriesMax', '1001', /from 0 to 1,000 or unlimited/],
  ['retry', 'sometimes', /like 30s/],
  ['retry', 'exponential:2s,0.5', /needs a factor/],
  ['batchBytes', '1 GiB', /to 64MiB/],
])('says what %s can be in place of %s', (key, text, says) => {
  const { changes, errors } = changesOf({ [key]: text }, {})
  expect(changes).toEqual({})
  expect(errors[key]).toMatch(says)
})
