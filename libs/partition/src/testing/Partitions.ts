import {
  type Answers,
  type CommandOf,
  encodeEnvelope,
  type QueueConfig,
  type SpreadView,
} from '@kiroku/protocol'
import { PartitionState, placePart } from '../index.ts'
import { decideDropped, decidePlaced } from '../spread/decideHome.ts'
import { TestPartition } from './TestPartition.ts'

export const bodies = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => encodeEnvelope(new Uint8Array([i])))

/** Partitions whose homes and parts hear of each other when the test says so. */
export class Partitions {
  readonly all: TestPartition[]
  #sends = 0

  constructor(count: number) {
    this.all = Array.from(
      { length: count },
      (_, n) => new TestPartition(new PartitionState(n), new PartitionState(n)),
    )
  }

  at(partition: number): TestPartition {
    return this.all[partition]!
  }

  /** Everything that homes and parts still have to say to each other. */
  talk(): void {
    for (const p of this.all) {
      for (const part of [...p.state.leaving]) {
        const { name, queue, partition, revision } = part
        const home = { partition: p.state.partition, queue }
        this.at(partition).ok({ type: 'DropPart', queue: name, home, revision })
        p.act((turn) => decideDropped(turn, part))
      }
      for (const queue of [...p.state.homes]) {
        for (const { partition } of queue.spread!.parts) this.place(p, queue.name, partition)
      }
    }
    if (this.all.some((p) => p.state.leaving.length > 0)) this.talk()
  }

  /** What one home says to one part, and the answer. */
  place(p: TestPartition, name: string, partition: number): Answers['PlacePart'] {
    const queue = p.state.names.get(name)!
    const part = queue.spread!.parts.find((each) => each.partition === partition)!
    const answer = this.at(partition).ok(placePart(p.state, queue, part))
    p.act((turn) => decidePlaced(turn, queue.id, partition, answer))
    return answer
  }

  /** Asks for parts; returns the token of the answer. */
  spread(name: string, ...partitions: number[]): number {
    return this.at(0).turn({ type: 'SpreadQueue', queue: name, partitions, by })[0]!
  }

  /** What clients are told of the queue. */
  view(name: string): SpreadView {
    return this.at(0).state.names.get(name)!.spread!.view
  }

  send(partition: number, queue: string, count: number, knows?: number) {
    const send: CommandOf<'Enqueue'> = {
      type: 'Enqueue',
      queue,
      producer: 'p',
      send: ++this.#sends,
      messages: bodies(count),
      ...(knows === undefined ? undefined : { spread: knows }),
    }
    return this.at(partition).ask(send)
  }
}

export const spreadQueue = (config: Partial<QueueConfig> = {}, ...partitions: number[]): Partitions => {
  const ps = new Partitions(4)
  ps.at(0).create('q', config)
  ps.spread('q', ...partitions)
  ps.talk()
  return ps
}

export const by = { name: 'tester', origin: 'test' }
