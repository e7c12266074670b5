import type { LinkNews } from '@kiroku/nats'
import { type Command, isKirokuError, type Reply } from '@kiroku/protocol'
import { LinkConnection } from './LinkConnection.ts'
import { nodeOf } from './address.ts'
import { pauseMsMax, pauseMsMin } from './limits.ts'

/** What is known of the way to one partition's owner. */
interface Way {
  readonly address: string
  /** How often a link to it failed, one after the other. */
  readonly failures: number
  /** Undefined: it may be used. Or it failed, and the owner is asked again from then on, in ms. */
  readonly askAtMs?: number
}

/**
 * A client's links to the nodes on its machine, one per node. A partition whose owner has no link that works is reached
 * over NATS, and its owner is asked for one again after a pause that grows.
 */
export class Links implements LinkNews {
  readonly #log: string
  readonly #as: string | undefined
  readonly #now: () => number
  readonly #ways = new Map<number, Way>()
  readonly #links = new Map<string, { readonly connection: LinkConnection; readonly begunMs: number }>()
  #isClosed = false

  /**
   * @param as the name under which the client enters NATS
   * @param now monotonic time, in ms
   */
  constructor(log: string, as?: string, now: () => number = () => performance.now()) {
    this.#log = log
    this.#as = as
    this.#now = now
  }

  /** Sends commands over the link to a partition's owner; undefined: there is none now. */
  request(partition: number, commands: readonly Command[]): Promise<Reply> | undefined {
    const way = this.#ways.get(partition)
    if (way === undefined || way.askAtMs !== undefined) return undefined
    const { address } = way
    const connection = this.#links.get(address)?.connection
    if (connection?.isOpen !== true) return undefined
    return connection.request(partition, commands).then(
      (reply) => {
        if (reply.answers[0]?.error?.id === 'NotOwner') this.#moved(partition, address)
        return reply
      },
      (error: unknown) => {
        if (isKirokuError(error) && error.id === 'NotOwner') this.#moved(partition, address)
        throw error
      },
    )
  }

  wants(partition: number): boolean {
    if (this.#isClosed) return false
    const way = this.#ways.get(partition)
    return way === undefined || (way.askAtMs !== undefined && way.askAtMs <= this.#now())
  }

  told(partition: number, address: string | undefined): void {
    if (this.#isClosed) return
    const node = address === undefined ? undefined : nodeOf(address)
    if (address === undefined || node === undefined) {
      this.#ways.set(partition, { address: '', failures: 0, askAtMs: this.#now() + pauseMsMax })
      return
    }
    const before = this.#ways.get(partition)
    this.#ways.set(partition, { address, failures: before?.address === address ? before.failures : 0 })
    if (this.#links.has(address)) return
    const whom = { log: this.#log, node, ...(this.#as === undefined ? {} : { as: this.#as }) }
    this.#links.set(address, {
      connection: new LinkConnection(address, whom, () => this.#closed(address)),
      begunMs: this.#now(),
    })
  }

  missed(): void {
    this.#ways.clear()
  }

  /** A partition did not answer in time. Its owner is looked for over NATS: there may be another by now. */
  timedOut(partition: number): void {
    this.#ways.delete(partition)
  }

  /** Closes all links. */
  close(): void {
    this.#isClosed = true
    for (const { connection } of [...this.#links.values()]) connection.close()
  }

  /** The node does not own the partition any more: its new owner is asked for. */
  #moved(partition: number, address: string): void {
    const way = this.#ways.get(partition)
    if (way?.address === address && way.askAtMs === undefined) this.#ways.delete(partition)
  }

  #closed(address: string): void {
    const nowMs = this.#now()
    const lasted = nowMs - this.#links.get(address)!.begunMs >= pauseMsMax
    this.#links.delete(address)
    for (const [partition, way] of this.#ways) {
      if (way.address !== address || way.askAtMs !== undefined) continue
      const failures = lasted ? 1 : way.failures + 1
      const askAtMs = nowMs + Math.min(pauseMsMax, pauseMsMin * 2 ** (failures - 1))
      this.#ways.set(partition, { address, failures, askAtMs })
    }
  }
}
