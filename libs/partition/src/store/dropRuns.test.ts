import { expect, it, vi } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'
import { LiveSlab } from './LiveSlab.ts'

it('a queue that has nothing under way is deleted without a look at what others have', () => {
  const p = new TestPartition()
  p.create('busy', {})
  p.send('busy', 1_000)
  p.receive('busy', { max: 1_000 })
  p.create('idle', {})
  const looks = vi.spyOn(LiveSlab.prototype, 'top', 'get')
  p.ok({ type: 'DeleteQueue', queue: 'idle', by: { name: 'tester', origin: 'test' } })
  expect(looks.mock.calls.length).toBeLessThan(100)
  p.ok({ type: 'DeleteQueue', queue: 'busy', by: { name: 'tester', origin: 'test' } })
  expect(looks.mock.calls.length).toBeGreaterThan(1_000)
  looks.mockRestore()
})
