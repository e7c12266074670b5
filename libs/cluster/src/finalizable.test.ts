import { expect, it } from 'vitest'
import type { RunnerStatus } from './clusterStatus.ts'
import { finalizable } from './finalizable.ts'

const node = (more: Partial<RunnerStatus>): RunnerStatus => ({
  address: 'a',
  host: 'vm',
  pid: 7,
  startedAt: '',
  healthy: true,
  leaving: false,
  weight: 1,
  zone: '',
  version: '1.0.0',
  featureLevel: 1,
  refused: undefined,
  ...more,
})

it('what all live nodes read may be put in force', () => {
  expect(finalizable({ runners: [node({}), node({ address: 'b' })] })).toBe(1)
  expect(finalizable({ runners: [node({ featureLevel: 3 })] })).toBe(3)
})

it('a node that reads less is named, also one that is too old to say or on its way out', () => {
  const old = node({ address: 'b', pid: 8, version: undefined, featureLevel: undefined })
  expect(() => finalizable({ runners: [node({}), old] })).toThrow(
    expect.objectContaining({
      id: 'NotFinalized',
      message: expect.stringMatching(
        /version 1 .*not by b \(vm, process 8: version unknown, feature level unknown\)/,
      ),
    }),
  )
  expect(() => finalizable({ runners: [node({ featureLevel: 2 }), node({ leaving: true })] })).toThrow(
    /upgrade or stop it/,
  )
})

it('a node that is gone does not count, and without any node nothing is put in force', () => {
  expect(finalizable({ runners: [node({ featureLevel: 2 }), node({ healthy: false })] })).toBe(2)
  expect(() => finalizable({ runners: [] })).toThrow(expect.objectContaining({ id: 'Unavailable' }))
})
