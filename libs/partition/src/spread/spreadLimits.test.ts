import { describe, expect, it } from 'vitest'
import { PartitionState, placePart } from '../index.ts'
import { by, Partitions, spreadQueue } from '../testing/Partitions.ts'
import { TestPartition } from '../testing/TestPartition.ts'
import { decidePlaced } from './decideHome.ts'

describe('a spread queue is deleted', () => {
  it('with all its parts, and the answer comes when they are gone', () => {
    const ps = spreadQueue({}, 1, 2)
    const waiting = ps.at(1).poll('q', { waitMs: 10_000 })
    const [token] = ps.at(0).turn({ type: 'DeleteQueue', queue: 'q', by })
    expect(ps.at(0).answers.has(token!)).toBe(false)
    ps.talk()
    expect(ps.at(0).answers.get(token!)?.answer?.ok).toEqual({ queue: 1 })
    expect(ps.at(1).answers.get(waiting)?.answer?.error?.id).toBe('QueueMoved')
    expect(ps.all.flatMap((p) => [...p.state.names.keys()])).toEqual([])
  })
  it('and so does a command that waits for its parts to follow', () => {
    const p = new Partitions(2)
    p.at(0).create('q')
    const waiting = p.spread('q', 1)
    expect(p.at(0).answers.get(waiting)).toBeUndefined()
    p.at(0).turn({ type: 'DeleteQueue', queue: 'q', by })
    expect(p.at(0).answers.get(waiting)?.answer?.error?.id).toBe('UnknownQueue')
  })
  it('and a new one of the same name has parts of its own, whatever came late', () => {
    const ps = spreadQueue({}, 1)
    const home = ps.at(0)
    const old = home.state.names.get('q')!
    const late = placePart(home.state, old, old.spread!.parts[0]!)
    ps.send(1, 'q', 3, 9)
    home.turn({ type: 'DeleteQueue', queue: 'q', by })
    home.create('q')
    ps.spread('q', 1)
    ps.talk()
    expect(ps.at(1).counts('q')).toMatchObject({ sent: 0 })
    expect(ps.at(1).ask(late).error?.id).toBe('QueueMoved')
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toMatchObject({ queue: 2 })
  })
})

describe('the limits of a spread queue', () => {
  const took = (ps: Partitions): number[] => {
    const spread = ps.view('q').version
    const from = ps.all.filter((p) => p.state.names.has('q'))
    return from.map((p) => p.receive('q', { max: 100, spread })?.attempts.length ?? 0)
  }
  it('are shared out among its parts, and are whole again when it has none', () => {
    const ps = spreadQueue({ inflightMax: 10 }, 1, 2, 3)
    for (const n of [0, 1, 2, 3]) ps.send(n, 'q', 20, 9)
    expect(took(ps)).toEqual([3, 3, 2, 2])
    ps.at(0).turn({ type: 'PurgeQueue', queue: 'q', by })
    ps.spread('q')
    ps.talk()
    ps.talk()
    ps.send(0, 'q', 20, 99)
    expect(took(ps)).toEqual([10])
  })
  it('must allow each part at least one', () => {
    const ps = spreadQueue({ rateMax: 2 }, 1)
    expect(ps.at(0).ask({ type: 'SpreadQueue', queue: 'q', partitions: [1, 2], by }).error?.id).toBe(
      'InvalidConfig',
    )
    const act = { queue: 'q', by } as const
    const config = { concurrencyMax: 1 }
    const subscription = 's'
    expect([
      ps.at(0).ask({ type: 'ConfigureQueue', ...act, config }).error?.id,
      ps.at(0).ask({ type: 'CreateSubscription', ...act, subscription, settings: config }).error?.id,
    ]).toEqual(['InvalidConfig', 'InvalidConfig'])
  })
})

describe('homes and parts', () => {
  it('are the same after a restart from a checkpoint, and find to each other again', () => {
    const ps = spreadQueue({ inflightMax: 10 }, 1, 2)
    ps.send(2, 'q', 3, 9)
    ps.spread('q', 1)
    ps.at(0).turn({ type: 'PauseDelivery', queue: 'q', by })
    for (const n of [0, 1, 2]) ps.all[n] = ps.at(n).fork()
    ps.talk()
    expect(ps.at(1).state.names.get('q')!.deliveryPaused).toBe(true)
    ps.at(0).turn({ type: 'PurgeQueue', queue: 'q', by })
    ps.talk()
    ps.talk()
    expect(ps.view('q').parts).toEqual([{ partition: 1, isOpen: true }])
    expect(ps.at(0).counts('q')).toMatchObject({ sent: 3, discarded: 3 })
  })
  it('agree again after a repair gave up the end of the home’s log', () => {
    const ps = spreadQueue({}, 1)
    const before = ps.at(0).fork()
    ps.at(0).turn({ type: 'PauseDelivery', queue: 'q', by })
    ps.talk()
    ps.all[0] = before
    before.record({ type: 'Repaired', from: 9, upTo: 1, hash: '', skip: 2 ** 30, note: '', by })
    ps.talk()
    expect(ps.at(1).state.names.get('q')!.deliveryPaused).toBe(false)
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toMatchObject({ first: 1 })
  })
  it('agree again after a repair gave up a part', () => {
    const ps = spreadQueue({}, 1)
    ps.all[1] = new TestPartition(new PartitionState(1), new PartitionState(1))
    ps.at(1).record({ type: 'Repaired', from: 9, upTo: 1, hash: '', skip: 2 ** 30, note: '', by })
    ps.talk()
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toMatchObject({ queue: 2 ** 30 + 1 })
    expect(ps.at(0).state.names.get('q')!.spread!.parts[0]!.queue).toBe(2 ** 30 + 1)
  })

  it('when a home of before speaks up again, which changes nothing of the one that is there', () => {
    const ps = spreadQueue({}, 1)
    const home = ps.at(0)
    const queue = home.state.names.get('q')!
    const place = placePart(home.state, queue, queue.spread!.parts[0]!)
    const newer = { ...place, home: { ...place.home, queue: place.home.queue + 1 } }
    ps.at(1).ok(newer)
    expect(ps.at(1).ask(place).error?.id).toBe('QueueMoved')
    ps.at(1).ok({ type: 'DropPart', queue: 'q', home: place.home, revision: 1_000 })
    expect(ps.at(1).state.names.get('q')!.place!.home).toEqual(newer.home)
  })
  it('when a part is wanted again before its home heard that it was sealed', () => {
    const ps = spreadQueue({}, 1)
    const home = ps.at(0)
    ps.spread('q')
    const queue = home.state.names.get('q')!
    const said = ps.at(1).ok(placePart(home.state, queue, queue.spread!.parts[0]!))
    expect(said.totals).toBeDefined()
    ps.spread('q', 1)
    home.act((turn) => decidePlaced(turn, queue.id, 1, said))
    expect(queue.spread!.parts[0]!.state).toBe('opening')
    ps.talk()
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toBeDefined()
  })
})
