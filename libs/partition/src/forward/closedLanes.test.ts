import { encodeEnvelope, type Answer, type CommandOf } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { closedLanesFor, PartitionState, snapshot } from '../index.ts'
import { decideClosingTold, decideForwarded } from './decideForwarded.ts'
import { laneKey } from './Outbox.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

/** Two partitions: dead letters of queues in the one go to a queue in the other. */
const partitions = () => {
  const there = new TestPartition(new PartitionState(7), new PartitionState(7))
  const target = { partition: 7, queue: there.create('dead'), name: 'dead' }
  const here = new TestPartition()
  return { here, there, target }
}

/** A queue whose message is on its way; the id of the queue. */
const withLetter = (here: TestPartition, target: ReturnType<typeof partitions>['target']): number => {
  const source = here.create('mail', { deadLetter: target })
  here.send('mail')
  here.settle('DeadLetter', here.receive('mail')!)
  return source
}

/** The next letter of a lane, as it leaves. */
const forwardOf = (here: TestPartition, source: number, target: { partition: number; queue: number }) => {
  const { forward, enqueuedAt } = here.state.lane(source, target)!.entries[0]!
  const command: CommandOf<'Forward'> = {
    type: 'Forward',
    from: { partition: here.state.partition, queue: source },
    target: target.queue,
    name: 'dead',
    forward,
    messages: [encodeEnvelope(new Uint8Array([source]))],
    enqueuedAt: [enqueuedAt],
    first: here.state.firstForward,
  }
  return command
}

/** What the target said comes back. */
const confirm = (
  here: TestPartition,
  source: number,
  target: { partition: number; queue: number },
  { ok }: Answer<'Forward'>,
): void => {
  const lane = here.state.lane(source, target)!
  here.act((turn) => decideForwarded(turn, lane, ok!))
}

/** The target is told of lanes that were closed, and says that it forgot them. */
const tell = (here: TestPartition, there: TestPartition): CommandOf<'ForgetLanes'> => {
  const command = closedLanesFor(here.state, there.state.partition, here.state.frameSeq)!
  there.ok(command)
  here.act((turn) => decideClosingTold(turn, there.state.partition, command.first))
  return command
}

describe('a lane whose queue was deleted', () => {
  it('leaves nothing where it led: hundreds of queues that come and go are no number in the state', () => {
    const { here, there, target } = partitions()
    const size = (): number =>
      JSON.stringify([snapshot(here.state), snapshot(there.state)].map(withoutColumns)).length
    let early = 0
    for (let i = 0; i < 300; i++) {
      const source = withLetter(here, target)
      confirm(here, source, target, there.ask(forwardOf(here, source, target)))
      here.ok({ type: 'DeleteQueue', queue: 'mail', by })
      tell(here, there)
      there.settle('Ack', there.receive('dead')!)
      if (i === 10) early = size()
    }
    expect([there.state.forwardsSeen.size, here.state.outbox.size, here.state.closedLanes.length]).toEqual([
      0, 0, 0,
    ])
    expect([...there.state.firstForwards.keys()]).toEqual([here.state.partition])
    // But for what grows by a digit.
    expect(size() - early).toBeLessThan(100)
  })

  it('takes no letter twice that was repeated, and arrives after the lane is forgotten', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    const forward = forwardOf(here, source, target)
    confirm(here, source, target, there.ask(forward))
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    tell(here, there)
    expect(there.state.forwardsSeen.size).toBe(0)
    expect(there.ask(forward).error?.id).toBe('Unavailable')
    expect(there.fork().ask(forward).error?.id).toBe('Unavailable')
    const { first: _, ...ofOlderNode } = forward
    expect(there.ask(ofOlderNode).error?.id).toBe('Unavailable')
    expect(there.counts('dead').sent).toBe(1)
  })

  it('does not keep letters of other lanes out, the first of which left before or leaves after', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    const other = here.create('other', { deadLetter: target })
    here.send('other')
    here.settle('DeadLetter', here.receive('other')!)
    const early = forwardOf(here, other, target)
    confirm(here, source, target, there.ask(forwardOf(here, source, target)))
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    tell(here, there)
    expect(there.ask(early).error?.id).toBe('Unavailable')
    confirm(here, other, target, there.ask(forwardOf(here, other, target)))
    const next = withLetter(here, target)
    confirm(here, next, target, there.ask(forwardOf(here, next, target)))
    expect(there.counts('dead').sent).toBe(3)
    expect([...here.state.outbox.values()].flatMap(({ entries }) => entries)).toEqual([])
  })

  it('is told of again until it was said to be forgotten, also behind a checkpoint', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    confirm(here, source, target, there.ask(forwardOf(here, source, target)))
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    const again = here.fork()
    expect(tell(here, there)).toMatchObject({ lanes: [source, target.queue] })
    expect(there.events).toMatchObject([{ type: 'LanesForgotten', partition: 3 }])
    tell(again, there)
    expect(there.events).toEqual([])
    expect(again.state.closedLanes).toEqual([])
  })

  it('is told of once it is stored, not before', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    confirm(here, source, target, there.ask(forwardOf(here, source, target)))
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    expect(closedLanesFor(here.state, 7, here.state.frameSeq - 1)).toBeUndefined()
    expect(closedLanesFor(here.state, 8, here.state.frameSeq)).toBeUndefined()
  })

  it('ends for itself, while another one of its queue still waits', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    confirm(here, source, target, there.ask(forwardOf(here, source, target)))
    here.configure('mail', { deadLetter: { partition: 8, queue: 1, name: 'gone' } })
    here.send('mail')
    here.settle('DeadLetter', here.receive('mail')!)
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    expect([...here.state.outbox.keys()]).toEqual([`${source}>8/1`])
    tell(here, there)
    expect(there.state.forwardsSeen.size).toBe(0)
  })

  it('goes in pieces where there are more than one record should name', () => {
    const { here, target } = partitions()
    const source = withLetter(here, target)
    const lanes = 2_500
    for (let queue = 1; queue <= lanes; queue++)
      here.state.outbox.set(laneKey(source, { partition: 7, queue }), {
        source,
        target: { partition: 7, queue },
        next: 2,
        entries: [],
      })
    here.act((turn) => turn.ok(0, {}))
    const p = here.fork()
    p.ok({ type: 'DeleteQueue', queue: 'mail', by })
    const told: number[] = []
    for (;;) {
      const command = closedLanesFor(p.state, 7, p.state.frameSeq)
      if (command === undefined) break
      told.push(command.lanes.length / 2)
      p.act((turn) => decideClosingTold(turn, 7, command.first))
    }
    expect(told).toEqual([1_000, 1_000, 500])
    expect(p.state.outbox.size).toBe(0)
  })

  it('is known by the queue that it led to: what lies there may have the id of another', () => {
    const { here, there, target } = partitions()
    const source = withLetter(here, target)
    confirm(here, source, target, there.ask(forwardOf(here, source, target)))
    here.ok({ type: 'DeleteQueue', queue: 'mail', by })
    tell(here, there)
    expect(there.fork().state.names.get('dead')!.hadForwards).toBe(true)
  })
})

/** What a snapshot holds beside typed arrays that have a fixed first size. */
const withoutColumns = ({ runs: _, live: __, producers: ___, ...rest }: ReturnType<typeof snapshot>) => rest
