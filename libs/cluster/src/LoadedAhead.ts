import type { AheadNotes } from './AheadNotes.ts'
import type { ClusterTimes } from './ClusterLimits.ts'
import type { Planned } from './CurrentPlan.ts'
import type { Membership } from './Membership.ts'

/** A partition that is loaded here while another node serves it. */
export interface LoadingPartition {
  /** Resolves when it is loaded, or that failed. */
  readonly loaded: Promise<void>
  readonly stop: () => Promise<void>
}

/** What {@link LoadedAhead} works with. */
export interface LoadedAheadOptions {
  readonly times: ClusterTimes
  readonly membership: Membership
  readonly notes: AheadNotes
  /** Whether this node is a standby. */
  readonly isStandby: boolean
  /** Begins to load a partition, and follows its log. */
  readonly load: (partition: number) => LoadingPartition
  /** Called when a partition is loaded. */
  readonly onLoaded: () => void
  readonly onTrouble: (error: unknown, what?: string) => void
}

interface Entry {
  readonly loading: LoadingPartition
  isLoaded: boolean
  /** Its owner hands it over to this node, and was told that it is loaded. */
  isNoted: boolean
}

/**
 * The partitions that are loaded here while others serve them: those that are handed over to this node or will be, and those that it is the
 * standby of. One that is not needed any more is kept until another node has loaded it.
 */
export class LoadedAhead {
  readonly #o: LoadedAheadOptions
  readonly #entries = new Map<number, Entry>()
  /** Monotonic ms since when this node is the standby of partitions that it has not begun to load. */
  readonly #plannedAtMs = new Map<number, number>()

  constructor(options: LoadedAheadOptions) {
    this.#o = options
  }

  /** Begins and ends what the plan asks for. */
  update({ view: { holders, members }, plan, standbys }: Planned): void {
    const { address } = this.#o.membership
    const alive = new Set(members.map((member) => member.address))
    for (const [partition, standby] of standbys.entries()) {
      const holder = holders.get(partition)
      const isHeld = holder !== undefined && alive.has(holder.owner)
      const isNext = isHeld && holder.next === address
      const entry = this.#entries.get(partition)
      if (entry === undefined) {
        const isPlanned = isHeld && holder.owner !== address && standby === address
        if (isNext || (isPlanned && (plan[partition] === address || this.#hasSettled(partition))))
          this.#begin(partition)
        if (!isPlanned) this.#plannedAtMs.delete(partition)
        continue
      }
      // While nobody holds it, it may be on its way here.
      const isArriving = !isHeld || (holder.owner === address && !holder.isServing)
      const isElsewhere = members.some(
        (member) =>
          member.address !== address &&
          member.address !== holder?.owner &&
          member.follows?.has(partition) === true,
      )
      const isNeeded = standby === address || (this.#o.isStandby && !isElsewhere)
      if (isNext) this.#note(partition, entry)
      else entry.isNoted = false
      if (!isNext && !isArriving && (holder.owner === address || !isNeeded)) this.#end(partition, entry)
    }
  }

  /** Ends everything. */
  end(): void {
    for (const [partition, entry] of this.#entries) this.#end(partition, entry)
  }

  /** Whether the plan has been so for a while: nodes that come and go leave no time to load anything. */
  #hasSettled(partition: number): boolean {
    const nowMs = performance.now()
    const sinceMs = this.#plannedAtMs.get(partition)
    if (sinceMs === undefined) this.#plannedAtMs.set(partition, nowMs)
    return sinceMs !== undefined && nowMs - sinceMs >= this.#o.times.settleMs
  }

  #begin(partition: number): void {
    this.#plannedAtMs.delete(partition)
    const entry: Entry = { loading: this.#o.load(partition), isLoaded: false, isNoted: false }
    this.#entries.set(partition, entry)
    void entry.loading.loaded.then(() => {
      entry.isLoaded = true
      this.#o.onLoaded()
    })
  }

  #end(partition: number, { loading }: Entry): void {
    this.#entries.delete(partition)
    void loading.stop()
  }

  /** Tells the owner that it need not wait any longer. */
  #note(partition: number, entry: Entry): void {
    if (!entry.isLoaded || entry.isNoted) return
    entry.isNoted = true
    this.#o.notes
      .write(partition)
      .catch((error: unknown) => this.#o.onTrouble(error, `partition ${partition}`))
  }
}
