import { httpLimitsDefault } from '@kiroku/doors'
import { expect, it } from 'vitest'
import { resolveSettings } from '../config/resolveSettings.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'

const settingsOf = (flags: Record<string, string> = {}) =>
  resolveSettings({ flags, env: {}, file: { root: {} } as Parameters<typeof resolveSettings>[0]['file'] })

it("the limits of an API of one's own are the defaults of the settings", () => {
  expect(httpLimitsOf(settingsOf())).toEqual(httpLimitsDefault)
})

it('an API takes no more connections than the process may open beside what it needs itself', () => {
  const taken = [50, 1_024, 1_048_576].map((files) => httpLimitsOf(settingsOf(), files).connectionsMax)
  expect(taken).toEqual([1, 924, httpLimitsDefault.connectionsMax])
})
