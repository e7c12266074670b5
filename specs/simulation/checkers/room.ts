import type { Command, LogEventType, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { KnownRoom } from '../world/KnownRoom.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** What continues below the reserve, and must occur there. */
export const fromReserve = ['Delivered', 'Acked', 'DeadLettered', 'Checkpointed', 'Trimmed'] as const

/** What a node knew when a request came. */
interface Known {
  readonly isFull: boolean
  readonly isPlenty: boolean
  readonly isFresh: boolean
  readonly isSpent: boolean
  readonly isRefused: boolean
  readonly refusals: number
  readonly freeBytes: number
}

/**
 * Sends leave the reserve of the store that all partitions share, by what their node knows of it, and
 * everything but sends and dead letters continues, receives as long as an eighth of it is left. Nothing is
 * refused for lack of room that its node does not know of, and it asks often enough.
 */
export class RoomChecker implements Checker {
  readonly name = 'room'
  readonly #world: World
  readonly #requests = new WeakMap<Exchange, Known>()
  /** Partitions where a send was refused since the last one was taken. */
  readonly #refusing = new Set<number>()

  constructor(world: World) {
    this.#world = world
  }

  arrived(exchange: Exchange): void {
    const known = this.#knownBy(exchange.node!)!
    const { isFull, freeBytes, isFresh, refusals } = known
    // How full a log of its own is is not known.
    const isOwn = this.#world.plan.store?.limits === 'logs'
    const isPlenty = known.isPlenty && !isOwn
    const isSpent = known.isSpent || isOwn
    const isRefused = known.isRefused(exchange.partition)
    this.#requests.set(exchange, { isFull, freeBytes, isFresh, isSpent, refusals, isPlenty, isRefused })
  }

  left(exchange: Exchange, reply: Reply): void {
    const known = this.#requests.get(exchange)!
    for (const [i, command] of exchange.commands.entries()) {
      const { error, ok } = reply.answers[i]!
      if (error?.id === 'StorageFull') this.#refused(exchange, command, known)
      if (ok !== undefined && command.type === 'Enqueue') this.#taken(exchange, known)
    }
  }

  #taken({ node, partition }: Exchange, { isFull, freeBytes }: Known): void {
    if (isFull)
      throw this.#object(
        `${node} takes a send to partition ${partition}, and knows of ${freeBytes} free bytes`,
      )
    if (this.#refusing.delete(partition)) this.#world.coverage.add('check', 'send taken after want of room')
  }

  #refused({ node, partition }: Exchange, { type }: Command, known: Known): void {
    const { coverage } = this.#world
    const now = this.#knownBy(node!)!
    if (known.isRefused || now.refusals > known.refusals) return
    // It asks the queue that the letter came from, whose partition may have refused an append.
    const { processes } = this.#world.placement
    if (type === 'EditBody' && processes.some(({ log }) => log.known.isRefusedAnywhere)) return
    if (type === 'Receive' && (known.isSpent || now.isSpent))
      return coverage.add('check', 'receive refused for want of room')
    if (type !== 'Enqueue' && type !== 'Forward')
      throw this.#object(`${node} refuses ${type} in partition ${partition}, and the log took everything`)
    if (known.isPlenty)
      throw this.#object(`${node} refuses ${type} in partition ${partition}, and knows of room for all`)
    if (!known.isFresh)
      throw this.#object(
        `${node} refuses ${type} in partition ${partition}, and has not asked for room lately`,
      )
    if (type === 'Forward') return coverage.add('check', 'letter refused for want of room')
    coverage.add('check', 'send refused for want of room')
    this.#refusing.add(partition)
  }

  stored({ node, record }: Stored): void {
    if (this.#knownBy(node)?.isFull !== true) return
    const types = new Set<LogEventType>(record.events.map(({ type }) => type))
    for (const type of fromReserve)
      if (types.has(type)) this.#world.coverage.add('moment', `${type} from the reserve`)
  }

  #knownBy(node: string): KnownRoom | undefined {
    return this.#world.placement.processes.find(({ name }) => name === node)?.log.known
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
