import { httpLimitsDefault } from '@kiroku/doors'
import { expect, it } from 'vitest'
import { resolveSettings } from '../config/resolveSettings.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'

const settingsOf = (flags: Record<string, string> = {}) =>
  resolveSettings({ flags, env: {}, file: { root: {} } as Parameters<typeof resolveSettings>[0]['file'] })

it("the limits of an API of one's own are the defaults of the settings", () => {
  expect(httpLimitsOf(settingsOf(), Infinity, Infinity)).toEqual(httpLimitsDefault)
})

it('an API holds no more of requests than its share of the memory', () => {
  const mebibyte = 1024 * 1024
  const taken = [512, 1_024, 24_576].map(
    (memory) => httpLimitsOf(settingsOf(), Infinity, memory * mebibyte).bytesMax,
  )
  expect(taken).toEqual([64 * mebibyte, 128 * mebibyte, httpLimitsDefault.bytesMax])
  const set = settingsOf({ 'http-bytes': '32MiB' })
  expect(httpLimitsOf(set, Infinity, 512 * mebibyte).bytesMax).toBe(32 * mebibyte)
})

it('an API takes no more connections than the process may open beside what it needs itself', () => {
  const taken = [50, 1_024, 1_048_576].map((files) => httpLimitsOf(settingsOf(), files).connectionsMax)
  expect(taken).toEqual([1, 924, httpLimitsDefault.connectionsMax])
})
