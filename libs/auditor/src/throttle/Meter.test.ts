import { expect, it } from 'vitest'
import { Meter } from './Meter.ts'

it('charges each span once, and nothing that others used in between', () => {
  let now = 1_000
  const used = { ms: 0 }
  const meter = new Meter(used, () => now)
  now += 30
  meter.charge()
  meter.charge()
  expect(used.ms).toBe(30)
  now += 500
  meter.resume()
  now += 7
  meter.charge()
  expect(used.ms).toBe(37)
})
