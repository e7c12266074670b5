import type { KvBucket } from './KvBucket.ts'
import { isCertainlyDead } from './ProcessIdentity.ts'
import type { RefusedPartition, RunnerRecord } from './RunnerRecord.ts'
import { stepAside } from './stepAside.ts'

/** Membership: keeps this node's heartbeat and judges those of the others. */
export class Membership {
  readonly #bucket: KvBucket<RunnerRecord>
  readonly #ttlMs: number
  readonly #knownRunners = new Map<string, RunnerRecord>()
  #self: RunnerRecord
  #isMember = false
  #beatAtMs = -Infinity
  #listedAtMs = -Infinity
  /** When reading worked again after a gap; a heartbeat missing soon after says nothing about its owner. */
  #recoveredAtMs = -Infinity

  constructor(bucket: KvBucket<RunnerRecord>, self: RunnerRecord, ttlMs: number) {
    this.#bucket = bucket
    this.#self = self
    this.#ttlMs = ttlMs
  }

  get address(): string {
    return this.#self.address
  }

  get isLeaving(): boolean {
    return this.#self.leaving
  }

  /**
   * When the last heartbeat that arrived was sent: for one TTL after that no node may consider this one dead.
   */
  get beatAtMs(): number {
    return this.#beatAtMs
  }

  /** Writes this node's heartbeat for the first time. */
  async join(): Promise<void> {
    this.#isMember = true
    await this.beat()
  }

  /** Renews this node's heartbeat. */
  async beat(): Promise<void> {
    if (!this.#isMember) return
    const sentAtMs = performance.now()
    await this.#bucket.put(this.#self.address, this.#self)
    this.#beatAtMs = sentAtMs
  }

  /**
   * Asks the others to take over this node's partitions; the heartbeat continues, so that its locks stay
   * valid meanwhile.
   */
  async leave(): Promise<void> {
    this.#self = { ...this.#self, leaving: true }
    await this.beat()
  }

  /** Notes the first partition that this node cannot read; the others hear of it with the next heartbeat. */
  refuse(refused: RefusedPartition): void {
    this.#self = { refused, ...this.#self }
  }

  /** Which of the last candidates take no partitions, since others read more. */
  steppedAside(): ReadonlySet<string> {
    const others = [...this.#knownRunners.values()].filter(
      ({ address, leaving }) => !leaving && address !== this.#self.address,
    )
    return stepAside([...others, ...(this.isLeaving ? [] : [this.#self])])
  }

  /** Removes this node's heartbeat, after the last lock was released. */
  async signOff(): Promise<void> {
    if (!this.#isMember) return
    this.#isMember = false
    await this.#bucket.delete(this.#self.address)
  }

  /** Addresses of the runners that partitions may be given to. */
  async candidates(): Promise<ReadonlyArray<string>> {
    const entries = await this.#bucket.list()
    const nowMs = performance.now()
    if (nowMs - this.#listedAtMs > this.#ttlMs / 3) this.#recoveredAtMs = nowMs
    this.#listedAtMs = nowMs
    const present = new Map<string, RunnerRecord>()
    for (const { key, value } of entries) if (value !== undefined) present.set(key, value)
    for (const [address, record] of this.#knownRunners) {
      const signedOff = entries.some((entry) => entry.key === address && entry.value === undefined)
      if (!present.has(address) && !signedOff && this.#isInGrace(nowMs)) present.set(address, record)
    }
    this.#knownRunners.clear()
    const candidates: Array<string> = []
    for (const [address, record] of present) {
      if (isCertainlyDead(record, this.#self.machine)) continue
      this.#knownRunners.set(address, record)
      if (!record.leaving && address !== this.#self.address) candidates.push(address)
    }
    if (this.#isMember && !this.isLeaving) candidates.push(this.#self.address)
    return candidates
  }

  /** Whether the runner at `address` is gone, so that its locks are void. Asks the leader. */
  async isGone(address: string): Promise<boolean> {
    if (address === this.#self.address) return false
    const entry = await this.#bucket.get(address)
    if (entry?.value !== undefined) return isCertainlyDead(entry.value, this.#self.machine)
    const known = this.#knownRunners.get(address)
    if (known === undefined || entry !== undefined) return true
    return isCertainlyDead(known, this.#self.machine) || !this.#isInGrace(performance.now())
  }

  /**
   * After an outage of NATS the heartbeats of the living may have expired too: they get one TTL to beat
   * again.
   */
  #isInGrace(nowMs: number): boolean {
    return nowMs - this.#recoveredAtMs < this.#ttlMs
  }
}
