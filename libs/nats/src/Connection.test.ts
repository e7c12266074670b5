import { expect, test } from 'vitest'
import { pauseMs } from './Connection.ts'
import { backOffMsMax, backOffMsMin } from './limits.ts'
import { isOlder } from './requireJetStream.ts'

test('pauses between attempts to reconnect grow with the length of the outage, within limits', () => {
  expect(pauseMs(0, 0.5)).toBe(backOffMsMin)
  expect(pauseMs(1000, 0.5)).toBe(125)
  expect(pauseMs(3_600_000, 0.5)).toBe(backOffMsMax)
  expect(pauseMs(1000, 0)).toBe(93.75)
  expect(pauseMs(1000, 1)).toBe(156.25)
})

test('versions are compared by number', () => {
  expect(isOlder('2.9.25', '2.12.0')).toBe(true)
  expect(isOlder('2.11.99', '2.12.0')).toBe(true)
  expect(isOlder('2.12.0', '2.12.0')).toBe(false)
  expect(isOlder('2.12.0-RC.3', '2.12.0')).toBe(false)
  expect(isOlder('3.0.0', '2.12.0')).toBe(false)
  expect(isOlder('', '2.12.0')).toBe(true)
})
