import { type CommandOf, limits, queueNotesLevel } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
type Notes = NonNullable<CommandOf<'ConfigureQueue'>['notes']>

const withQueue = (notes?: Notes): TestPartition => {
  const p = TestPartition.newest()
  p.ok({ type: 'CreateQueue', queue: 'q', config: {}, ...(notes === undefined ? {} : { notes }), by })
  return p
}
const note = (p: TestPartition, ...notes: Notes) =>
  p.ask({ type: 'ConfigureQueue', queue: 'q', config: {}, notes, by })
const described = (p: TestPartition) => p.ok({ type: 'DescribeQueue', queue: 'q' })

describe('the notes of a queue', () => {
  it('come with it, change by name, and are on record with who did it', () => {
    const p = withQueue([
      ['owner', 'shop'],
      ['stage', 'test'],
    ])
    expect(described(p).notes).toEqual({ owner: 'shop', stage: 'test' })
    expect(note(p, ['owner', 'mail'], ['page', ''], ['none', null]).ok).toEqual({ queue: 1, noted: true })
    expect(p.events).toEqual([
      {
        type: 'QueueNoted',
        queue: 1,
        notes: [
          ['owner', 'mail'],
          ['page', ''],
        ],
        by,
      },
    ])
    note(p, ['stage', null])
    expect(described(p).notes).toEqual({ owner: 'mail', page: '' })
    note(p, ['owner', null], ['page', null])
    expect(described(p).notes).toBeUndefined()
  })

  it('change with settings in one turn, and alone where settings stay', () => {
    const p = withQueue()
    const change = { type: 'ConfigureQueue', queue: 'q', config: { leaseMs: 5 }, by } as const
    p.ok({ ...change, notes: [['owner', 'shop']] })
    expect(p.events.map(({ type }) => type)).toEqual(['QueueConfigured', 'QueueNoted'])
    p.ok({ ...change, notes: [['owner', 'mail']] })
    expect(p.events.map(({ type }) => type)).toEqual(['QueueNoted'])
    p.ok({ ...change, notes: [['owner', 'mail']] })
    expect(p.events).toEqual([])
    p.ok({ ...change, notes: [['owner', 'x']], dryRun: true })
    expect(p.events).toEqual([])
  })

  it('of a name that is said twice are as it was said last', () => {
    const p = withQueue([['owner', 'shop']])
    note(p, ['owner', 'mail'], ['owner', 'shop'])
    expect(p.events).toEqual([])
    note(p, ['owner', null], ['owner', 'mail'])
    expect(p.events).toMatchObject([{ notes: [['owner', 'mail']] }])
  })

  it('make a queue that is there already another one only by those that are named', () => {
    const p = withQueue([
      ['owner', 'shop'],
      ['stage', 'test'],
    ])
    const again = (notes?: Notes) =>
      p.ask({ type: 'CreateQueue', queue: 'q', config: {}, ...(notes && { notes }), by })
    expect(again().ok).toEqual({ queue: 1, created: false })
    expect(again([['owner', 'shop']]).ok).toEqual({ queue: 1, created: false, noted: true })
    expect(again([['owner', 'mail']]).error?.id).toBe('QueueExists')
    expect(again([['page', 'x']]).error?.id).toBe('QueueExists')
  })

  it('are as many and as large as they may be, and no more', () => {
    const p = withQueue()
    const many = Array.from({ length: limits.notesPerQueueMax }, (_, i) => [`n${i}`, ''] as const)
    expect(note(p, ...many).ok).toBeDefined()
    expect(note(p, ['one more', '']).error?.id).toBe('InvalidArgument')
    expect(note(p, ['n0', null], ['one more', '']).ok).toBeDefined()
    const large = 'x'.repeat(limits.notesCharactersMax)
    const q = withQueue()
    expect(note(q, ['n', large]).error).toMatchObject({
      id: 'InvalidArgument',
      message: 'the notes of a queue have up to 65,536 characters together, not 65,537',
    })
    expect(note(q, ['n', large.slice(1)]).ok).toBeDefined()
    expect(q.events).toHaveLength(1)
  })

  it.each(['', '__proto__', 'x'.repeat(limits.noteNameCharactersMax + 1), '\ud800'])(
    'are refused under the name "%s"',
    (name) => {
      expect(note(withQueue(), [name, 'x']).error?.id).toBe('InvalidArgument')
      const p = TestPartition.newest()
      const create = { type: 'CreateQueue', queue: 'q', config: {}, notes: [[name, 'x']], by } as const
      expect(p.ask(create).error?.id).toBe('InvalidArgument')
      expect(p.state.queues.size).toBe(0)
    },
  )

  it('are refused with half of a pair of surrogates, which records lose', () => {
    expect(note(withQueue(), ['owner', 'a\udc00']).error?.id).toBe('InvalidArgument')
  })

  it('are refused until every node reads them, with the queue that they would come with', () => {
    const p = new TestPartition()
    p.ok({ type: 'RaiseClusterVersion', version: queueNotesLevel - 1, by })
    const create = { type: 'CreateQueue', queue: 'q', config: {}, by } as const
    expect(p.ask({ ...create, notes: [['owner', 'x']] }).error?.id).toBe('NotFinalized')
    expect(p.state.queues.size).toBe(0)
    p.ok(create)
    expect(note(p, ['owner', 'x']).error?.id).toBe('NotFinalized')
    expect(p.events).toEqual([])
  })

  it('count for the hash of the state, and are in a snapshot of it', () => {
    const p = withQueue()
    const before = stateHash(snapshot(p.state))
    note(p, ['owner', 'shop'])
    const taken = snapshot(p.state)
    expect(stateHash(taken)).not.toBe(before)
    expect(stateHash(snapshot(restore(taken)))).toBe(stateHash(taken))
    expect(described(new TestPartition(restore(snapshot(p.state)), p.replica)).notes).toEqual({
      owner: 'shop',
    })
  })
})

describe('the times of a queue', () => {
  it('say when it was created, changed and purged, and survive a snapshot', () => {
    const p = withQueue()
    const created = p.now
    expect(described(p)).toMatchObject({ createdAt: created, configuredAt: created })
    expect(described(p).purgedAt).toBeUndefined()
    p.pass(1_000)
    p.configure('q', { leaseMs: 5 })
    expect(described(p)).toMatchObject({ createdAt: created, configuredAt: created + 1_000 })
    p.pass(1_000)
    note(p, ['owner', 'shop'])
    p.pass(1_000)
    p.send('q')
    p.ok({ type: 'PurgeQueue', queue: 'q', by })
    const times = { createdAt: created, configuredAt: created + 2_000, purgedAt: created + 3_000 }
    expect(described(p)).toMatchObject(times)
    expect(described(new TestPartition(restore(snapshot(p.state)), p.replica))).toMatchObject(times)
  })

  it('are not kept before every node keeps them, so that a replay from any checkpoint comes to the same', () => {
    const p = new TestPartition()
    p.create('q')
    p.ok({ type: 'RaiseClusterVersion', version: queueNotesLevel, by })
    expect(described(p).createdAt).toBeUndefined()
    p.pass(10)
    p.configure('q', { leaseMs: 5 })
    expect(described(p)).toMatchObject({ configuredAt: p.now })
    expect(described(p).createdAt).toBeUndefined()
  })
})
