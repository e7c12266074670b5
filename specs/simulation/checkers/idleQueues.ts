import type { Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** A queue ends by itself only when its owner got no receives for as long as it may be idle. */
export class IdleQueuesChecker implements Checker {
  readonly name = 'idle queues'
  readonly #world: World
  /** By partition and name: the last receive that was answered, when it came, and in which epoch. */
  readonly #receives = new Map<string, { readonly arrivedMs: number; readonly epoch: number }>()

  constructor(world: World) {
    this.#world = world
  }

  left({ partition, commands, arrivedMs }: Exchange, reply: Reply): void {
    for (const [i, command] of commands.entries()) {
      if (command.type !== 'Receive' || reply.answers[i]!.ok === undefined) continue
      const key = `${partition} ${command.queue}`
      const before = this.#receives.get(key)
      if (before === undefined || before.epoch < reply.epoch || before.arrivedMs < arrivedMs!)
        this.#receives.set(key, { arrivedMs: arrivedMs!, epoch: reply.epoch })
    }
  }

  storing({ partition, seq, record, sentMs }: Stored): void {
    for (const e of record.events) {
      if (e.type !== 'QueueDeleted' || e.by.origin !== 'idle') continue
      const queue = this.#world.truth.ledgers[partition]!.queues.get(e.queue)!
      const { idleMs } = queue.configOf(0)
      if (idleMs === 0)
        throw this.#object(`queue ${partition}/${e.queue} ends at ${seq}, and may be idle for ever`)
      const last = this.#receives.get(`${partition} ${queue.name}`)
      if (last?.epoch === record.epoch && sentMs - last.arrivedMs < idleMs - roundingMs)
        throw this.#object(
          `queue ${partition}/${e.queue} ends at ${seq}, ${sentMs - last.arrivedMs} ms after a receive, and may be idle for ${idleMs}`,
        )
    }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const roundingMs = 2
