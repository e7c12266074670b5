import type { QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

describe('retries without end, and leases of 0', () => {
  const settings: Partial<QueueConfig>[] = [
    { retriesMax: 'unlimited' },
    { leaseMinMs: 0 },
    { leaseMinMs: 0, leaseMs: 0 },
  ]
  it.each(settings)('%o is taken once every node knows it, and refused before', (config) => {
    const create = (p: TestPartition) => p.ask({ type: 'CreateQueue', queue: 'q', config, by })
    expect(create(TestPartition.newest()).ok).toMatchObject({ created: true })
    expect(create(new TestPartition()).error?.id).toBe('NotFinalized')
  })
})

it('attempts without end do not wrap, nor in a snapshot', () => {
  const p = TestPartition.newest()
  p.create('q', { retriesMax: 'unlimited', leaseMinMs: 0 })
  p.send('q')
  const { live } = p.state
  const attempt = (): number => {
    p.turn({ type: 'Receive', queue: 'q', poll: 'x', max: 1, leaseMs: 0, mode: 'push', consumer: '' })
    return p.said.find(({ delivery }) => delivery !== undefined)!.delivery!.attempts[0]!
  }
  expect(attempt()).toBe(1)
  // As after so many: a test that receives as often would take minutes.
  const slot = live.find(p.state.queues.get(1)!.subs[0]!.index, 1)
  for (const state of [p.state, p.replica]) state.live.attempt[slot] = 70_000
  expect(attempt()).toBe(70_001)

  const restored = restore(snapshot(p.state))
  expect(restored.live.attempt[slot]).toBe(70_001)
  expect(stateHash(snapshot(restored))).toBe(stateHash(snapshot(p.state)))
})
