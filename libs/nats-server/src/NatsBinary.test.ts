import { expect, test } from 'vitest'
import { compareVersions, isSupported } from './NatsBinary.ts'

test('versions are compared by number, not by letter', () => {
  const versions = ['2.9.25', '2.10.7', '2.15.1', '2.12.0', '3.0.0', '2.12.11']
  expect(versions.sort(compareVersions)).toEqual(['2.9.25', '2.10.7', '2.12.0', '2.12.11', '2.15.1', '3.0.0'])
})

test.each([
  ['2.11.9', false],
  ['2.12.0', true],
  ['2.12.0-RC.1', true],
  ['2.15.1', true],
  ['1.99.0', false],
  ['3.0.0', true],
])('nats-server %s is supported: %s', (version, supported) => {
  expect(isSupported(version)).toBe(supported)
})
