import { featureLevel } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { evolve, PartitionState, restore, snapshot, stateHash } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'ops', origin: 'cli', reason: 'all nodes are upgraded' }
const raise = (p: TestPartition, version: number) => p.ask({ type: 'RaiseClusterVersion', version, by })

describe('the cluster version of a partition', () => {
  it('is 0 until it is raised, which is on record with who did it', () => {
    const p = new TestPartition()
    expect(p.state.clusterVersion).toBe(0)
    expect(raise(p, 1).ok).toEqual({ clusterVersion: 1, raised: true })
    expect(p.events).toEqual([{ type: 'ClusterVersionRaised', version: 1, by }])
    expect(p.state.clusterVersion).toBe(1)
  })

  it('is never lowered, and raised once', () => {
    const p = new TestPartition()
    raise(p, 1)
    expect([raise(p, 1), raise(p, 0)].map(({ ok }) => ok)).toEqual([
      { clusterVersion: 1, raised: false },
      { clusterVersion: 1, raised: false },
    ])
    expect(p.events).toEqual([])
  })

  it('is not raised beyond what this version reads, nor to what is no level', () => {
    const p = new TestPartition()
    expect(raise(p, featureLevel + 1).error).toMatchObject({
      id: 'FutureVersion',
      message: expect.stringContaining('install a version that reads'),
    })
    expect([raise(p, 0.5), raise(p, -1)].map(({ error }) => error?.id)).toEqual([
      'InvalidArgument',
      'InvalidArgument',
    ])
  })

  it('is kept by snapshots, which versions without one pass over; those of a partition without one they read', () => {
    const p = new TestPartition()
    expect(snapshot(p.state).version).toBe(4)
    const before = stateHash(snapshot(p.state))
    raise(p, 1)
    const taken = snapshot(p.state)
    expect(taken.version).toBe(5)
    expect(stateHash(taken)).not.toBe(before)
    expect(restore(snapshot(p.state)).clusterVersion).toBe(1)
  })

  it('above what this version reads is refused, in the log and in a snapshot', () => {
    const newer = expect.objectContaining({ id: 'FutureVersion' })
    const version = featureLevel + 1
    const state = new PartitionState(0)
    expect(() => evolve(state, { type: 'ClusterVersionRaised', version, by })).toThrow(newer)
    expect(() => restore({ ...snapshot(state), clusterVersion: version })).toThrow(newer)
  })
})
