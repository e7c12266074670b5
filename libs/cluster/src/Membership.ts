import type { ClusterTimes } from './ClusterLimits.ts'
import type { KvBucket, KvEntry } from './KvBucket.ts'
import type { Member } from './planPlacement.ts'
import { isCertainlyDead } from './ProcessIdentity.ts'
import type { RefusedPartition, RunnerRecord } from './RunnerRecord.ts'
import { stepAside } from './stepAside.ts'

/** Another node, as far as this one knows. */
interface Known {
  readonly record: RunnerRecord
  heardAtMs: number
  /** When NATS was last asked whether it is gone. */
  askedAtMs: number
}

/**
 * Membership: keeps this node's heartbeat and judges those of the others.
 *
 * A heartbeat is written only over the one before it. Where that succeeds, the key never expired in between, so nobody can have
 * found this node gone: one write a beat, at the leader and fenced, confirms every lock that the node holds. Where it fails because the key
 * had expired, a new `stay` begins, and each lock has to be confirmed by itself.
 */
export class Membership {
  readonly #bucket: KvBucket<RunnerRecord>
  readonly #times: ClusterTimes
  readonly #standby: (() => RunnerRecord['standby']) | undefined
  readonly #others = new Map<string, Known>()
  #self: RunnerRecord
  #isMember = false
  /** Its first heartbeat arrived. */
  #hasJoined = false
  /** Of this node's last heartbeat. */
  #revision = 0
  #beating: Promise<unknown> = Promise.resolve()
  #stay = 0
  #beatAtMs = -Infinity
  /** When the last gap ended in which this node heard nothing, or was not heard: silence of the others before that says nothing about them. */
  #recoveredAtMs = -Infinity

  /** @param standby what this node follows now; absent: it is no standby */
  constructor(
    bucket: KvBucket<RunnerRecord>,
    self: RunnerRecord,
    times: ClusterTimes,
    standby?: () => RunnerRecord['standby'],
  ) {
    this.#bucket = bucket
    this.#self = self
    this.#times = times
    this.#standby = standby
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

  /** Counts how often this node became a member: within one stay its heartbeat never expired. */
  get stay(): number {
    return this.#stay
  }

  /** Writes this node's heartbeat for the first time; where that fails, the next beat tries again. */
  async join(): Promise<void> {
    this.#isMember = true
    await this.beat()
  }

  /**
   * Renews this node's heartbeat.
   *
   * @returns whether it was written; if not, an earlier one was whose answer was lost
   */
  beat(): Promise<boolean> {
    const beaten = this.#beating.then(() => this.#isMember && this.#beat())
    this.#beating = beaten.catch(() => {})
    return beaten
  }

  async #beat(): Promise<boolean> {
    const sentAtMs = performance.now()
    const isAfterGap = !this.#isHeard
    const record = this.#record()
    let revision = await this.#bucket.compareAndSet(this.address, record, this.#revision)
    if (revision === undefined) {
      const entry = await this.#bucket.get(this.address)
      if (entry?.value !== undefined) {
        this.#revision = entry.revision
        this.#hasJoined = true
        return false
      }
      this.#stay++
      this.#beatAtMs = -Infinity
      this.#revision = entry?.revision ?? 0
      revision = await this.#bucket.compareAndSet(this.address, record, this.#revision)
      if (revision === undefined) return false
    }
    this.#revision = revision
    this.#beatAtMs = sentAtMs
    this.#hasJoined = true
    if (isAfterGap) this.#recoveredAtMs = performance.now()
    return true
  }

  /**
   * Whether this node's own heartbeats arrive. What keeps them away, such as an election in NATS, keeps away those of the others
   * too, and lasts longer than a TTL.
   */
  get #isHeard(): boolean {
    return performance.now() - this.#beatAtMs <= this.#times.unheardMs
  }

  #record(): RunnerRecord {
    const standby = this.#standby?.()
    return standby === undefined ? this.#self : { ...this.#self, standby }
  }

  /**
   * Asks the others to take over this node's partitions; the heartbeat continues, so that its locks stay
   * valid meanwhile.
   */
  async leave(): Promise<void> {
    this.#self = { ...this.#self, leaving: true }
    // The first may find the answer of an earlier beat lost.
    if (!(await this.beat())) await this.beat()
  }

  /** Notes the first partition that this node cannot read; the others hear of it with the next heartbeat. */
  refuse(refused: RefusedPartition): void {
    this.#self = { refused, ...this.#self }
  }

  /** Removes this node's heartbeat, after the last lock was released. */
  async signOff(): Promise<void> {
    if (!this.#isMember) return
    this.#isMember = false
    await this.#beating
    await this.#bucket.delete(this.address)
  }

  /** What the watch says of all nodes; `gapMs` is how long it had heard nothing. */
  snapshot(entries: ReadonlyMap<string, KvEntry<RunnerRecord>>, gapMs: number): void {
    if (gapMs > this.#times.ttlMs / 3) this.#recoveredAtMs = performance.now()
    for (const entry of entries.values()) this.heard(entry)
  }

  /**
   * What the watch says of one node.
   *
   * @returns whether that changes where partitions should be; a heartbeat alone does not
   */
  heard({ key, value }: KvEntry<RunnerRecord>): boolean {
    if (key === this.address) return false
    if (value === undefined) return this.#others.delete(key)
    const before = this.#others.get(key)?.record
    this.#others.set(key, { record: value, heardAtMs: performance.now(), askedAtMs: -Infinity })
    return (
      before === undefined ||
      before.leaving !== value.leaving ||
      before.weight !== value.weight ||
      (before.refused === undefined) !== (value.refused === undefined) ||
      keysOf(before.standby) !== keysOf(value.standby)
    )
  }

  /** The nodes that are alive, with this one once it has joined. Those that step aside for nodes that read more have no share. */
  members(): ReadonlyArray<Member> {
    const records: RunnerRecord[] = this.#isMember && this.#hasJoined ? [this.#record()] : []
    for (const [address, { record }] of this.#others)
      if (isCertainlyDead(record, this.#self.machine)) this.#others.delete(address)
      else records.push(record)
    const aside = stepAside(records.filter(({ leaving }) => !leaving))
    return records.map(({ address, host, zone, leaving, weight, standby }) => ({
      address,
      host,
      zone,
      weight: aside.has(address) ? 0 : weight,
      isLeaving: leaving,
      follows: standby === undefined ? undefined : new Set(Object.keys(standby).map(Number)),
    }))
  }

  /**
   * Asks NATS about the nodes that were silent for a TTL, and forgets those that are gone. One that nobody could have heard,
   * because this node heard nothing or NATS took no heartbeats, has one TTL to beat again.
   *
   * @returns whether any is gone
   */
  async forgetSilent(): Promise<boolean> {
    if (!this.#isHeard) return false
    const nowMs = performance.now()
    const silent = [...this.#others].filter(
      ([, { heardAtMs, askedAtMs }]) =>
        nowMs - Math.max(heardAtMs, this.#recoveredAtMs) > this.#times.ttlMs &&
        nowMs - askedAtMs > this.#times.goneMs,
    )
    const gone = await Promise.all(
      silent.map(async ([address, known]) => {
        known.askedAtMs = nowMs
        if ((await this.#bucket.get(address))?.value !== undefined) return false
        // It may have been heard of meanwhile.
        return this.#others.get(address) === known && this.#others.delete(address)
      }),
    )
    return gone.includes(true)
  }

  /** Whether any node has been silent so long that NATS has to be asked about it soon. */
  get isWaiting(): boolean {
    const sinceMs = performance.now() - this.#times.ttlMs + this.#times.lookMs
    return [...this.#others.values()].some(
      ({ heardAtMs }) => Math.max(heardAtMs, this.#recoveredAtMs) < sinceMs,
    )
  }

  /** Whether the runner at `address` is gone, so that its locks are void. Asks the leader. */
  async isGone(address: string): Promise<boolean> {
    if (address === this.address) return false
    const known = this.#others.get(address)
    if (known !== undefined) return isCertainlyDead(known.record, this.#self.machine)
    const record = (await this.#bucket.get(address))?.value
    if (record !== undefined) return isCertainlyDead(record, this.#self.machine)
    // Its heartbeat may have expired only because NATS elected for longer than a TTL.
    const ledForMs = await this.#bucket.ledForMs()
    return ledForMs === undefined || ledForMs > this.#times.ttlMs
  }
}

/** The partitions that a node follows, to compare; undefined: it is no standby. */
const keysOf = (standby: RunnerRecord['standby']): string | undefined =>
  standby === undefined ? undefined : Object.keys(standby).join()
