import { limits } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const follow = (follower: string, since: number) => ({ type: 'FollowPartition', follower, since }) as const

it('tells a follower first how the queues stand, then what happened, and how they stand again where it missed something', () => {
  const p = new TestPartition()
  p.ok({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  const first = p.ok(follow('a', 0))
  expect(first).toMatchObject({ kind: 'standing', queues: [{ queue: 'mail', counts: { available: 0 } }] })
  p.send('mail', 3)
  const second = p.ok(follow('a', first.seq))
  expect(second).toMatchObject({
    kind: 'changes',
    queues: [
      {
        queue: 'mail',
        transitions: [{ from: 'New', to: 'Available', count: 3 }],
        change: { available: 3, sent: 3 },
      },
    ],
  })
  expect(p.ok(follow('a', second.seq))).toMatchObject({ kind: 'changes', seq: second.seq, queues: [] })
  p.send('mail', 1)
  expect(p.ok(follow('a', first.seq))).toMatchObject({
    kind: 'standing',
    queues: [{ queue: 'mail', counts: { available: 4 } }],
  })
})

it('counts for nobody who stays away, and for so many at most', () => {
  const p = new TestPartition()
  for (let i = 0; i < limits.followersMax; i++) p.ok(follow(`f${i}`, 0))
  expect(p.ask(follow('one more', 0)).error).toMatchObject({ id: 'Busy' })
  p.now += limits.followerLingerMs + 1
  p.turn()
  expect(p.own.followers).toBeUndefined()
  p.ok(follow('one more', 0))
})
