import { Replay, type ReplayOptions } from '@kiroku/audit'
import { MemorySavedStates } from '@kiroku/audit/testing'
import { decodeCheckpoint } from '@kiroku/engine'
import type { PartitionLog } from '@kiroku/log'
import { snapshot, stateHash, type PartitionState } from '@kiroku/partition'
import { isKirokuError } from '@kiroku/protocol'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Work between two moments: so little that there are many of them. */
const keep = { work: 200, bytes: Infinity }
/** How many of a partition's moments are tried. */
const triesMax = 3

/** Whoever looks back comes to the owner's state, from wherever the way begins. */
export class LookingBackChecker implements Checker {
  readonly name = 'lookingBack'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async ended(): Promise<void> {
    for (let p = 0; p < this.#world.plan.partitions; p++) {
      const log = await this.#world.log.partition(p)
      try {
        await this.#look(log)
      } catch (error) {
        // Damage that was never read ends the replay.
        const isDamage = isKirokuError(error) && error.id === 'LogDamaged'
        if (!isDamage || !this.#world.hurts.has(p)) throw error
      } finally {
        await log.close()
      }
    }
  }

  async #look(log: PartitionLog): Promise<void> {
    const moments = new MemorySavedStates()
    const { lastSeq } = await log.state()
    await this.#pass(log, 'the beginning', { moments, keep })
    await this.#pass(log, 'the last checkpoint', { near: lastSeq })
    const notes = await moments.list(log.partition)
    for (let i = 1; i <= triesMax && i <= notes.length; i++) {
      const { seq } = notes[Math.floor((notes.length * i) / triesMax) - 1] ?? notes[0]!
      await this.#pass(log, `moment ${seq}`, { moments, near: seq })
    }
  }

  async #pass(log: PartitionLog, from: string, options: Partial<ReplayOptions>): Promise<void> {
    const pass = await Replay.open(log, { decodeCheckpoint, ...options })
    await pass.run()
    const { partition } = log
    const owner = this.#world.placement.ownerOf(partition)!.node.actors.get(partition)!
    if (hashOf(pass.state, owner.state.at) !== hashOf(owner.state, owner.state.at))
      throw new Objection(
        this.name,
        `a pass through partition ${partition} from ${from} comes to another state than its owner`,
      )
  }
}

/** Time that went by without a fact is no part of the record. */
const hashOf = (state: PartitionState, at: number): string => {
  state.beginFrame(state.frameSeq, at)
  return stateHash({ ...snapshot(state), seq: 0 })
}
