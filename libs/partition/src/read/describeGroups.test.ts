import { encodeEnvelope } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

it('describes at most as many groups as asked for, the largest first, and refuses a count that is none', () => {
  const p = new TestPartition()
  p.create('q', { groups: 'fair' })
  const messages = Array.from({ length: 3 }, () => encodeEnvelope(new Uint8Array(4)))
  p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: 1, messages, groups: ['a', 'b', 'b'] })
  const described = (max: number) => p.ask({ type: 'DescribeGroups', queue: 'q', max })
  expect(described(1).ok).toMatchObject({ groups: [{ group: 'b', waiting: 2 }], total: 2 })
  for (const max of [0, -1, 1.5]) expect(described(max).error?.id, `${max}`).toBe('InvalidArgument')
})
