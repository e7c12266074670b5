import { isKirokuError } from '@kiroku/protocol'
import { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'
import { connect } from './connect.ts'

/** Looks at queues again and again with the real client. */
export class Reader {
  readonly party: Party
  readonly #world: World

  constructor(world: World, name: string) {
    this.#world = world
    this.party = new Party(name)
  }

  async run(): Promise<void> {
    const client = connect(this.#world, this.party)
    const chance = this.#world.chance.stream(this.party.name)
    while (!this.#world.isCalm) {
      const { name } = chance.pick(this.#world.plan.queues)
      try {
        const { queue, partition, counts } = await client.queues.describe(name)
        this.#world.judges.read(this.party, partition, queue, counts)
      } catch (error) {
        if (!isKirokuError(error)) throw error
      }
      await this.#world.loop.sleep(chance.pick([5, 50, 150]))
    }
    await client.close()
  }
}
