import type { StoreRoom } from '@kiroku/log'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { askLeader } from './askLeader.ts'
import type { Ballast } from './Ballast.ts'

/** The disk that a NATS server stores on. */
export interface Disk {
  /** Bytes that may still be stored there. */
  readonly freeBytes: number
  /** Bytes that could be stored there if nothing were. */
  readonly bytesMax: number
  /** The server's own limit for all its streams together, in bytes; absent: not known. */
  readonly storeBytesMax?: number
}

/** A store's room, by all its limits: the NATS account, the server, the disk. */
export class JetStreamRoom {
  readonly #nc: NatsConnection
  readonly #jsm: JetStreamManager
  readonly #replicas: number
  readonly #disk: () => Promise<Disk | undefined>
  readonly #ballast: Ballast | undefined

  /** @param ballast for a store that does not report its room; absent: none is kept */
  constructor(
    nc: NatsConnection,
    jsm: JetStreamManager,
    replicas: number,
    disk: () => Promise<Disk | undefined> = () => Promise.resolve(undefined),
    ballast?: Ballast,
  ) {
    this.#nc = nc
    this.#jsm = jsm
    this.#replicas = replicas
    this.#disk = disk
    this.#ballast = ballast
  }

  /** Asks NATS and the disk. Undefined if no limit is known or was ever met. Errors: those of JetStream. */
  async look(): Promise<StoreRoom | undefined> {
    const [account, disk] = await Promise.all([
      askLeader(this.#nc, 'cannot read the room of the account', () => this.#jsm.getAccountInfo()),
      this.#disk(),
    ])
    // An account may have limits per number of replicas; then it has no overall one.
    const tier = account.tiers?.[`R${this.#replicas}`]
    const { storage, limits } = tier ?? account
    const limit = limits.max_storage > 0 ? limits.max_storage : Infinity
    // Every node sees this limit; a disk's only those that know the disk.
    if (limit !== Infinity) await this.#ballast?.remove()
    const serverLimit = disk?.storeBytesMax ?? Infinity
    const bytesMax = Math.min(limit, serverLimit, disk?.bytesMax ?? Infinity)
    if (bytesMax === Infinity) return this.#ballast?.look(storage)
    const freeBytes = Math.min(limit - storage, serverLimit - account.storage, disk?.freeBytes ?? Infinity)
    return { freeBytes: Math.max(0, freeBytes), bytesMax }
  }
}
