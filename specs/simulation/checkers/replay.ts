import { evolve, PartitionState, snapshot, stateHash } from '@kiroku/partition'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Invariant 7: a replay of all frames that ever were is the state of the owner, and that of every checkpoint. */
export class ReplayChecker implements Checker {
  readonly name = 'replay'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  ended(): void {
    for (let p = 0; p < this.#world.plan.partitions; p++) this.#replay(p)
  }

  #replay(partition: number): void {
    const frames = this.#world.truth.frames[partition]!
    const checkpoints = new Map<number, string>()
    for (const { record } of frames)
      for (const e of record.events) if (e.type === 'Checkpointed') checkpoints.set(e.seq, e.stateHash)
    const state = new PartitionState(partition)
    for (const { seq, record } of frames) {
      state.beginFrame(seq, record.at)
      for (const event of record.events) evolve(state, event)
      const expected = checkpoints.get(seq)
      if (expected !== undefined && stateHash(snapshot(state), expected) !== expected)
        throw new Objection(
          this.name,
          `checkpoint ${seq} of partition ${partition} is not the state of the log there`,
        )
    }
    const owner = this.#world.placement.ownerOf(partition)!.node.actors.get(partition)!
    // Time that passed without an event is not part of the record, and what ended by then may be forgotten or
    // not.
    owner.state.beginFrame(owner.state.frameSeq, owner.state.at)
    const live = snapshot(owner.state)
    state.beginFrame(state.frameSeq, live.at)
    if (stateHash(snapshot(state)) !== stateHash({ ...live, seq: state.frameSeq }))
      throw new Objection(this.name, `a replay of partition ${partition} differs from its owner's state`)
  }
}
