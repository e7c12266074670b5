import { httpLimitsDefault } from '@kiroku/doors'
import { expect, it } from 'vitest'
import { resolveSettings } from '../config/resolveSettings.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'

it("the limits of an API of one's own are the defaults of the settings", () => {
  const file = { root: {} } as Parameters<typeof resolveSettings>[0]['file']
  expect(httpLimitsOf(resolveSettings({ flags: {}, env: {}, file }))).toEqual(httpLimitsDefault)
})
