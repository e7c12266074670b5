import { type Answers } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { bodiesBefore, describeQueues, evolve, snapshot } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'
import { address, by, given, lane, target } from '../testing/deadLetters.ts'
import { decideCarry } from '../trim/decideCarry.ts'
import { decideForwarded } from './decideForwarded.ts'

describe('the outbox', () => {
  it('numbers forwards from 1 without a gap, in the order of the dead letters', () => {
    const p = given({}, 6)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [4, 2], error: 'a' })
    p.settle('DeadLetter', d, { numbers: [1, 6], error: 'b' })
    const entries = lane(p)!.entries
    expect(entries.map((e) => [e.forward, e.number])).toEqual([
      [1, 4],
      [2, 2],
      [3, 1],
      [4, 6],
    ])
    expect(entries.map((e) => e.index)).toEqual([3, 1, 0, 5])
  })
  it('has a lane a target', () => {
    const p = given({}, 2)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [1] })
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    p.settle('DeadLetter', d, { numbers: [2] })
    expect([...p.state.outbox.values()].map((l) => [l.target.partition, l.entries[0]!.forward])).toEqual([
      [7, 1],
      [8, 1],
    ])
  })
  it('forgets what the target stored, and goes on numbering', () => {
    const p = given({}, 3)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [1, 2] })
    p.record({ type: 'Forwarded', source: 1, target: address, upTo: 2, outcome: 'stored' })
    expect(lane(p)!.entries.map((e) => e.forward)).toEqual([2])
    p.settle('DeadLetter', d, { numbers: [3] })
    expect(lane(p)!.entries.map((e) => e.forward)).toEqual([2, 3])
    p.record({ type: 'Forwarded', source: 1, target: address, upTo: 4, outcome: 'targetGone' })
    expect(lane(p)!.entries).toEqual([])
  })
  /** Three dead letters whose target says something of them. */
  const letters = (): TestPartition => {
    const p = given({}, 3)
    p.settle('DeadLetter', p.receive('q')!)
    return p
  }
  const said = (p: TestPartition, answer: Answers['Forward'], to = address): void => {
    const found = p.state.lane(1, to)!
    p.act((turn) => decideForwarded(turn, found, answer))
  }
  const gone = (change: { stored?: number; again?: number } = {}): Answers['Forward'] => ({
    outcome: 'targetGone',
    upTo: 4,
    stored: 1,
    ...change,
  })
  const lanes = (p: TestPartition) =>
    [...p.state.outbox.values()].map(({ target: to, entries }) => [
      `${to.partition}/${to.queue}`,
      entries.map((e) => `${e.forward}:${e.number}`).join(' '),
    ])
  const outbox = (p: TestPartition) =>
    describeQueues(p.state, [p.state.names.get('q')!], p.now, p.own)[0]!.outbox

  it('keeps what a queue that was deleted never stored, and says so', () => {
    const p = letters()
    said(p, gone())
    expect(p.events).toEqual([])
    const held = { reason: 'targetGone', since: p.now }
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'dead', messages: 3, held }])
    p.now += 50
    said(p, gone())
    expect(outbox(p)![0]!.held).toEqual(held)
  })
  it('is done with what a queue that was deleted had stored, and readdresses the rest to the one with its name', () => {
    const p = letters()
    said(p, gone({ stored: 2, again: 9 }))
    expect(p.events).toMatchObject([
      { type: 'Forwarded', upTo: 2, outcome: 'stored' },
      { type: 'QueueConfigured', config: { deadLetter: { ...target, queue: 9 } }, by: { name: 'engine' } },
      {
        type: 'Readdressed',
        from: address,
        forwards: [2, 2],
        target: { partition: 7, queue: 9 },
        name: 'dead',
        forward: 1,
      },
      { type: 'LanesClosed', source: 1, targets: [7, 4] },
    ])
    expect(lanes(p)).toEqual([['7/9', '1:2 2:3']])
    expect(lane(p)!.entries.map((e) => e.decidedSeq)).toEqual([p.state.frameSeq, p.state.frameSeq])
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'dead', messages: 2 }])
  })
  it('waits with a queue that was deleted where an older node cannot say what that had stored', () => {
    const p = letters()
    said(p, { outcome: 'targetGone', upTo: 4 })
    expect(p.events).toEqual([])
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
  })
  it('follows the setting that changes while its letters wait, ahead of those that come later', () => {
    const p = letters()
    said(p, gone())
    p.send('q')
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    p.settle('DeadLetter', p.receive('q')!)
    expect(lanes(p)).toEqual([['8/2', '1:1 2:2 3:3 4:4']])
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'other', messages: 4 }])
  })
  it('keeps letters for which the record has no room until the target is asked again', () => {
    const p = letters()
    p.turnBytesMax = 500
    said(p, gone({ again: 9 }))
    expect(p.events).toEqual([])
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
    p.turnBytesMax = 100_000
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  it('does not follow a setting that changes while its target is there', () => {
    const p = letters()
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
  })
  it('follows the setting of each subscription for itself', () => {
    const p = given()
    p.ok({
      type: 'CreateSubscription',
      queue: 'q',
      subscription: 'own',
      settings: { deadLetter: target },
      by,
    })
    p.send('q')
    for (const subscription of ['main', 'own']) p.settle('DeadLetter', p.receive('q', { subscription })!)
    const other = { partition: 8, queue: 2, name: 'other' }
    said(p, gone())
    p.ok({
      type: 'ConfigureSubscription',
      queue: 'q',
      subscription: 'own',
      settings: { deadLetter: other },
      by,
    })
    expect(lanes(p)).toEqual([
      ['7/4', '1:1 2:2'],
      ['8/2', '1:2'],
    ])
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([
      ['8/2', '1:2'],
      ['7/9', '1:1 2:2'],
    ])
    expect(p.state.names.get('q')!.config.deadLetter).toEqual({ ...target, queue: 9 })
    expect(p.state.names.get('q')!.named('own')!.config.deadLetter).toEqual(other)
  })
  it('readdresses the letters of a queue that was deleted itself', () => {
    const p = letters()
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  it('forgets the lanes of a queue that is deleted, when the last of its letters has arrived', () => {
    const p = letters()
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    said(p, { outcome: 'stored', upTo: 3 })
    expect(lanes(p)).toEqual([['7/4', '3:3']])
    said(p, { outcome: 'stored', upTo: 4 })
    expect(p.events).toMatchObject([
      { type: 'Forwarded' },
      { type: 'LanesClosed', source: 1, targets: [7, 4] },
    ])
    expect([p.state.outbox.size, p.state.firstForward]).toEqual([0, 5])
  })
  it('does not grow where queues with dead letters come and go', () => {
    const p = new TestPartition()
    for (let source = 1; source <= 20; source++) {
      p.create('q', { deadLetter: target })
      p.send('q', 2)
      p.settle('DeadLetter', p.receive('q')!)
      const lane = p.state.lane(source, address)!
      expect(lane.entries.map(({ forward }) => forward)).toEqual([3 * source - 2, 3 * source - 1])
      // Some are deleted with letters on their way, some without.
      const arrive = (): void =>
        p.act((turn) => decideForwarded(turn, lane, { outcome: 'stored', upTo: lane.next }))
      if (source % 2 === 0) arrive()
      p.ok({ type: 'DeleteQueue', queue: 'q', by })
      if (source % 2 === 1) arrive()
      expect(p.state.outbox.size).toBe(0)
    }
  })
  it('never uses the number of a forward again, also of a lane that it forgot', () => {
    const p = letters()
    said(p, gone({ stored: 3, again: 9 }))
    expect(p.state.lane(1, address)).toBeUndefined()
    p.send('q')
    p.configure('q', { deadLetter: target })
    p.settle('DeadLetter', p.receive('q')!)
    expect(lanes(p)).toEqual([
      ['7/9', '1:3'],
      ['7/4', '5:4'],
    ])
  })
  it('still knows the name of a target, and what it waits for, behind a checkpoint', () => {
    const p = letters()
    p.configure('q', { deadLetter: null })
    const fork = p.fork()
    said(fork, gone({ again: 9 }))
    expect(lanes(fork)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  /** What a checkpoint takes up of old frames, with the bodies that lie there. */
  const old = (p: TestPartition) => {
    const taken = snapshot(p.state)
    const letters = bodiesBefore(taken, p.state.frameSeq + 1).bodies.filter((of) => of.target !== undefined)
    const carried = letters.map((of) => ({
      old: of,
      bodies: p.bodies.get(`${of.seq}/${of.queue}`)!.slice(of.index, of.index + of.count),
    }))
    return { carried, seq: taken.seq }
  }
  const bodies = (p: TestPartition) =>
    lane(p)!.entries.map(({ seq, index }) => p.bodies.get(`${seq}/1`)![index]![3])
  it('has bodies stored again from an old frame, each under its letter', () => {
    const p = given({}, 6)
    p.settle('DeadLetter', p.receive('q')!, { numbers: [5, 2, 3] })
    const before = bodies(p)
    const { carried, seq } = old(p)
    // In the order in which they were sent.
    expect(carried.map((each) => [each.old.first, each.old.count])).toEqual([
      [2, 2],
      [1, 1],
    ])
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toEqual([
      { type: 'LettersCarried', source: 1, target: address, forwards: [1, 3], index: 0 },
    ])
    expect(before).toEqual([5, 2, 3])
    expect(lane(p)!.entries.map((e) => [e.seq, e.index])).toEqual([0, 1, 2].map((i) => [p.state.frameSeq, i]))
    expect(bodies(p)).toEqual(before)
  })
  it('has no body stored again of what has arrived or went elsewhere meanwhile', () => {
    const p = letters()
    const { carried, seq } = old(p)
    said(p, { outcome: 'stored', upTo: 2 })
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toMatchObject([{ type: 'LettersCarried', forwards: [2, 2] }])
    said(p, gone({ stored: 2, again: 9 }))
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toEqual([])
  })
  it('has bodies stored again beside those that its queue gets in the same frame', () => {
    const p = letters()
    p.send('q')
    const { carried, seq } = old(p)
    const needed = bodiesBefore(snapshot(p.state), p.state.frameSeq + 1).bodies
    const live = needed
      .filter((of) => of.target === undefined)
      .map((of) => ({
        old: of,
        bodies: p.bodies.get(`${of.seq}/1`)!.slice(of.index, of.index + of.count),
      }))
    const before = bodies(p)
    p.act((turn) => decideCarry(turn, [...carried, ...live], seq))
    expect(p.events).toMatchObject([{ type: 'BodiesCarried' }, { type: 'LettersCarried', index: 1 }])
    expect(bodies(p)).toEqual(before)
    const { seqs, indexes } = p.receive('q')!
    expect([seqs[0], indexes[0]]).toEqual([lane(p)!.entries[0]!.seq, 0])
  })
  it('keeps the dead letters of a queue that is deleted', () => {
    const p = given()
    p.settle('DeadLetter', p.receive('q')!)
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    expect(lane(p)!.entries.length).toBe(1)
  })
})

describe('a fact that cannot be', () => {
  it('is damage of the log', () => {
    const p = given()
    const damaged = expect.objectContaining({ id: 'LogDamaged' })
    const broken = [
      { type: 'Acked', queue: 1, sub: 0, numbers: [1, 1] },
      { type: 'Acked', queue: 9, sub: 0, numbers: [1, 1] },
      { type: 'DelayElapsed', queue: 1, numbers: [1, 1] },
      { type: 'QueuePurged', queue: 9, upTo: 1, by: { name: '', origin: '' } },
    ] as const
    for (const event of broken) expect(() => evolve(p.state, { ...event } as never)).toThrow(damaged)
  })
  it('of a type from the future is not passed over', () => {
    const p = given()
    expect(() => evolve(p.state, { type: 'Sung' } as never)).toThrow(
      expect.objectContaining({ id: 'FutureVersion' }),
    )
  })
})
