import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the design card's promises. */
export const cardMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'CARD-01',
    file: 'libs/message/src/machine.ts',
    from: "{ guard: and(['leaseHolder', 'dueLater']), target: 'WaitingRetry', actions: 'setDue' }",
    to: "{ guard: and(['leaseHolder', 'dueLater']), target: 'Ready.Available', actions: 'setDue' }",
    what: 'a message that is to be retried later does not wait',
  },
  {
    id: 'CARD-02',
    file: 'libs/engine/src/actor/TurnLoop.ts',
    from: 'sections }, turn.answers)',
    to: 'sections }, []); for (const a of turn.answers) this.#p.gate.resolve(a)',
    what: 'answers leave when their frame is sent off, not when it is stored',
  },
  {
    id: 'CARD-03',
    file: 'libs/partition/src/receive/DeliveryBuilder.ts',
    from: 'this.#bytes + bytes > this.#poll.bytesMax',
    to: 'this.#bytes > this.#poll.bytesMax',
    what: 'a batch closes one message after it is full of bytes',
  },
  {
    id: 'CARD-04',
    file: 'libs/engine/src/checkpoint/StateLoad.ts',
    from: 'this.#state.beginFrame(seq, record.at)',
    to: 'this.#state.beginFrame(seq, 0)',
    what: 'a replay does not know when its frames were written',
  },
  {
    id: 'CARD-05',
    spec: 'specs/card/CARD-05.state-at.spec.ts',
    file: 'libs/audit/src/past/PastReader.ts',
    from: '(await firstFrameAt(log, time + 0.5, firstSeq, lastSeq)) - 1',
    to: 'await firstFrameAt(log, time + 0.5, firstSeq, lastSeq)',
    what: 'a moment contains the first frame that is later',
  },
  {
    id: 'CARD-06',
    file: 'libs/partition/src/read/TransitionCounts.ts',
    from: 'if (after[name] !== before[name]) change[name]',
    to: "if (name !== 'committed' && after[name] !== before[name]) change[name]",
    what: 'live counts do not grow by what is acknowledged',
  },
  {
    id: 'CARD-07',
    spec: 'specs/cluster/nodes.spec.ts',
    file: 'libs/cluster/src/PartitionLocks.ts',
    from: '!(await this.#membership.isGone(owner))',
    to: 'true',
    what: 'the partitions of a dead node are not taken over',
  },
]
