import { expect, it } from 'vitest'
import type { queueSettings } from './queueSettings.ts'

/** Settings as people may write them, with what is read; undefined where it is refused. */
const settingWords: readonly (readonly [
  setting: keyof typeof queueSettings,
  text: string,
  value: unknown,
])[] = [
  ['leaseMs', '500ms', 500],
  ['leaseMs', '1.5s', 1_500],
  ['leaseMs', '30 S', 30_000],
  ['leaseMs', ' 2m ', 120_000],
  ['leaseMs', '12h', 43_200_000],
  ['leaseMs', '13h', undefined],
  ['leaseMs', '0', 0],
  ['leaseMs', '30', undefined],
  ['leaseMs', '-5s', undefined],
  ['leaseMs', '5sec', undefined],
  ['leaseMs', '', undefined],
  ['leaseCapMs', '0', 0],
  ['leaseCapMs', 'unlimited', undefined],
  ['retentionMs', '7d', 604_800_000],
  ['retentionMs', '1000001d', undefined],
  ['bodyBytesMax', '1048576', 1_048_576],
  ['bodyBytesMax', '512KiB', 524_288],
  ['bodyBytesMax', '512KB', 512_000],
  ['bodyBytesMax', '1 mib', 1_048_576],
  ['bodyBytesMax', '100B', 100],
  ['bodyBytesMax', '1.5MiB', 1_572_864],
  ['bodyBytesMax', '1kb', undefined],
  ['bodyBytesMax', '9GiB', undefined],
  ['bodyBytesMax', '0', undefined],
  ['bodyBytesMax', '1 bucket', undefined],
  ['retriesMax', '3', 3],
  ['retriesMax', ' 3 ', 3],
  ['retriesMax', 'unlimited', 'unlimited'],
  ['retriesMax', '1.5', undefined],
  ['retriesMax', 'three', undefined],
  ['retry', '30s', { kind: 'fixed', delayMs: 30_000 }],
  ['retry', '0', { kind: 'fixed', delayMs: 0 }],
  ['retry', 'fixed:5s', { kind: 'fixed', delayMs: 5_000 }],
  ['retry', 'rocketmq', { kind: 'rocketmq' }],
  ['retry', ' list:1s, 1M ', { kind: 'list', delaysMs: [1_000, 60_000] }],
  ['retry', 'exponential:1s', { kind: 'exponential', baseMs: 1_000, factor: 2, maxMs: 3_600_000, jitter: 0 }],
  [
    'retry',
    'exponential:2s,3,10m,0.2',
    { kind: 'exponential', baseMs: 2_000, factor: 3, maxMs: 600_000, jitter: 0.2 },
  ],
  ['retry', 'exponential:1s,0.5', undefined],
  ['retry', 'exponential:1s,2,1m,7', undefined],
  ['retry', 'list:', undefined],
  ['retry', 'list:1s,soon', undefined],
  ['retry', 'linear:1s', undefined],
  ['exhaustion', 'onNextReceive', 'onNextReceive'],
  ['exhaustion', 'sometimes', undefined],
]

/**
 * Proves that settings are read from the words that every other place takes.
 * @param read the value of a text; throws or rejects where it is refused
 */
export const testSettingWords = (
  read: (setting: keyof typeof queueSettings, text: string) => unknown,
): void => {
  it.each(settingWords)('%s from "%s"', async (setting, text, value) => {
    const reading = (async () => read(setting, text))()
    if (value === undefined) await expect(reading).rejects.toThrow(/./)
    else expect(await reading).toEqual(value)
  })
}
