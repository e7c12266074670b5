import { encodeEnvelope, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { QueuePlan } from '../plan/QueuePlan.ts'
import { labelFor } from './labels.ts'

const encoder = new TextEncoder()

/** What one message of a send consists of. */
interface Draft {
  readonly body: Uint8Array
  readonly dedupId: string
}

/** Puts sends of one producer together: as its queue wants them, and some messages again. */
export class Composer {
  readonly #queue: string
  readonly #config: () => Partial<QueueConfig>
  readonly #hasFilters: boolean
  readonly #name: string
  readonly #chance: Chance
  /** Messages that may be sent again. */
  readonly #before: Draft[] = []

  /** @param config settings of the queue now */
  constructor(
    { name, second }: QueuePlan,
    config: () => Partial<QueueConfig>,
    producer: string,
    chance: Chance,
  ) {
    this.#queue = name
    this.#config = config
    this.#hasFilters = second !== undefined
    this.#name = producer
    this.#chance = chance
  }

  compose(send: number): CommandOf<'Enqueue'> {
    const chance = this.#chance
    const { groups = 'none', dedup = 'off' } = this.#config()
    const drafts = Array.from({ length: chance.pick([1, 1, 1, 2, 5]) }, (_, i) => this.#draft(send, i, dedup))
    return {
      type: 'Enqueue',
      queue: this.#queue,
      producer: this.#name,
      send,
      messages: drafts.map(({ body }) => body),
      ...(chance.happens(0.15) ? { delayMs: chance.pick(delaysMs) } : {}),
      ...(chance.happens(0.05) ? { delaysMs: drafts.map(() => chance.pick([0, -1, 300])) } : {}),
      ...(this.#hasFilters ? { tags: drafts.map(() => chance.pick(['', 'red', 'blue'])) } : {}),
      ...(groups === 'none' ? {} : { groups: drafts.map(() => chance.pick(['a', 'b', 'c'])) }),
      ...(dedup === 'off' ? {} : { dedupIds: drafts.map(({ dedupId }) => dedupId) }),
    }
  }

  #draft(send: number, index: number, dedup: QueueConfig['dedup']): Draft {
    const chance = this.#chance
    const bytes = chance.happens(0.02) ? 70_000 : chance.pick([30, 30, 30, 30, 900])
    if (dedup === 'off') return { body: bodyOf(labelFor(this.#name, send, index), bytes), dedupId: '' }
    const again = chance.happens(0.3) ? this.#before.at(-1 - chance.below(3)) : undefined
    if (again?.dedupId === '' && dedup === 'content') return again
    // A body may differ from the first one's where an id is given.
    const dedupId =
      (again?.dedupId ?? '') ||
      (dedup === 'id' || chance.happens(0.5) ? `${this.#name}-${send}-${index}` : '')
    const key = dedupId === '' ? `body ${send}.${index}` : dedupId
    const draft = { body: bodyOf(labelFor(this.#name, send, index, key), bytes), dedupId }
    this.#before.push(draft)
    return draft
  }
}

/** Most delays are short; one of days ends when days pass. */
const delaysMs = [50, 50, 700, 700, 4_000, 4_000, 3 * 86_400_000] as const

const bodyOf = (label: string, bytes: number): Uint8Array =>
  encodeEnvelope(encoder.encode(label.padEnd(bytes)))
