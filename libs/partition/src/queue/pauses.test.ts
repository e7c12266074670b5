import { limits } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const pauseMs = 60_000
const create = (p: TestPartition, queue = 'q') =>
  p.ask({ type: 'CreateQueue', queue, config: {}, pauseMs, by })
const remove = (p: TestPartition, queue = 'q') => p.ok({ type: 'DeleteQueue', queue, by })

describe('a pause after a deletion', () => {
  it('ends after its time, and is of the name alone', () => {
    const p = TestPartition.newest()
    create(p)
    remove(p)
    expect(create(p).error).toMatchObject({ id: 'QueueDeletedRecently', retryAfterMs: pauseMs })
    expect(create(p, 'other').ok).toMatchObject({ created: true })
    p.pass(pauseMs - 1)
    expect(create(p).error).toMatchObject({ retryAfterMs: 1 })
    p.pass(1)
    expect(create(p).ok).toMatchObject({ created: true })
    remove(p)
    // Who asks for none waits for none.
    expect(p.ask({ type: 'CreateQueue', queue: 'q', config: {}, by }).ok).toMatchObject({ created: true })
  })

  it('outlives a change of owner, and is no part of the hash', () => {
    const p = TestPartition.newest()
    create(p)
    remove(p)
    const copy = snapshot(p.state)
    expect([...restore(copy).deletedNames]).toEqual([['q', p.now]])
    const { deletedNames: _, ...older } = copy
    expect(restore(older).deletedNames.size).toBe(0)
    expect(stateHash(older)).toBe(stateHash(copy))
  })

  it('needs names for two minutes only', () => {
    const p = TestPartition.newest()
    create(p)
    remove(p)
    p.pass(limits.deletedNamesMs)
    create(p, 'other')
    remove(p, 'other')
    expect([...p.state.deletedNames.keys()]).toEqual(['other'])
  })
})

it('a pause between purges counts from the last that discarded something', () => {
  const p = TestPartition.newest()
  create(p)
  const purge = () => p.ask({ type: 'PurgeQueue', queue: 'q', pauseMs, by })
  let sends = 0
  const send = () =>
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: ++sends, messages: [new Uint8Array(5)] })
  expect(purge().ok).toEqual({ purged: 0 })
  send()
  expect(purge().ok).toEqual({ purged: 1 })
  send()
  expect(purge().error).toMatchObject({ id: 'QueuePurgedRecently', retryAfterMs: pauseMs })
  p.pass(pauseMs)
  expect(purge().ok).toEqual({ purged: 1 })
})
