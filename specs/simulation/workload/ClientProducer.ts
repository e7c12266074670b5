import { isKirokuError, parseMessageId } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'
import { connect } from './connect.ts'
import { currentConfig } from './currentConfig.ts'

const sendsMax = 8

/** Sends with the real client. */
export class ClientProducer {
  readonly party: Party
  readonly #world: World
  readonly #chance: Chance
  readonly #queue: string

  constructor(world: World, queue: string, name: string) {
    this.#world = world
    this.#queue = queue
    this.party = new Party(name)
    this.#chance = world.chance.stream(name)
  }

  async run(): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    const client = connect(this.#world, this.party)
    const sending: Promise<void>[] = []
    const { leaps } = this.#world
    for (let send = 1; send <= sendsMax; send++) {
      const labels = Array.from(
        { length: chance.pick([1, 1, 3]) },
        (_, i) => `${this.party.name} ${send}.${i}`,
      )
      sending.push(
        (labels.length === 1
          ? client.send(this.#queue, labels[0]!).then(({ messageId }) => [messageId])
          : client
              .sendBatch(
                this.#queue,
                labels.map((body) => ({ body })),
              )
              .then(({ messageIds }) => messageIds)
        ).then(
          (ids) => this.#acknowledged(labels, ids),
          (error: unknown) => {
            if (!isKirokuError(error)) throw error
            const isSettled =
              error.id === 'InvalidArgument' && currentConfig(this.#world, this.#queue)?.isChanged
            // What it did not hear of for days it does not repeat.
            const isLate = this.#world.leaps > leaps && error.retryable
            if (isSettled !== true && !isLate && !expected.has(error.id)) throw error
          },
        ),
      )
      await loop.sleep(this.#world.isCalm ? 1 : chance.pick([0, 0, 5, 100, 2_000]))
    }
    await Promise.all(sending)
    await client.close()
  }

  #acknowledged(labels: readonly string[], ids: readonly string[]): void {
    ids.forEach((id, i) => this.#world.judges.promised(labels[i]!, parseMessageId(id)))
  }
}

/** A queue that is being deleted and created again, or a partition that is closed until it is repaired. */
const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'Quarantined'])
