import type { AheadNotes } from './AheadNotes.ts'
import {
  type ClusterTimes,
  loadAheadMsMax,
  onTheWayMax,
  orderlyLeaveMsMax,
  retryMs,
} from './ClusterLimits.ts'
import { CurrentPlan, type Planned } from './CurrentPlan.ts'
import { LoadedAhead, type LoadingPartition } from './LoadedAhead.ts'
import type { Membership } from './Membership.ts'
import type { PartitionLocks } from './PartitionLocks.ts'
import type { Pins } from './Pins.ts'
import { nextMoves } from './planPlacement.ts'

/** A partition that runs here. */
export interface RunningPartition {
  /** Drains it and resolves when it has stopped. */
  readonly stop: () => Promise<void>
}

/** What a {@link Placer} works on. */
export interface PlacerOptions {
  readonly partitions: number
  readonly times: ClusterTimes
  readonly membership: Membership
  readonly locks: PartitionLocks
  readonly notes: AheadNotes
  readonly pins: Pins
  /** Whether what is known of nodes and locks is up to date. */
  readonly isInformed: () => boolean
  /** Starts a partition whose lock was just taken. */
  readonly start: (partition: number) => RunningPartition
  /** Whether this node is a standby. */
  readonly isStandby: boolean
  /** Begins to load a partition that another node serves. */
  readonly loadAhead: (partition: number) => LoadingPartition
  /** Called when the lock of a partition is about to be taken. */
  readonly taking: (partition: number) => void
  readonly onTrouble: (error: unknown, what?: string) => void
}

type Step = 'taking' | 'running' | 'stopping'

/**
 * Carries out this node's part of the plan: takes what is free and planned for it, and hands over what is planned for others, a
 * few at a time. It decides whenever something is heard, and asks NATS nothing to do so.
 */
export class Placer {
  readonly #o: PlacerOptions
  readonly #steps = new Map<number, Step>()
  readonly #running = new Map<number, RunningPartition>()
  readonly #current = new CurrentPlan()
  readonly #ahead: LoadedAhead
  /** Partitions that the next owner has loaded. */
  readonly #loadedAhead = new Set<number>()
  /** Called when something may have changed for a hand-over that waits. */
  readonly #waits = new Set<() => void>()
  /** Monotonic ms before which a partition is not tried again. */
  readonly #retryAtMs = new Map<number, number>()
  readonly #timer: NodeJS.Timeout
  #isWoken = false
  #isClearing = false
  #leavingSinceMs: number | undefined
  #left: (() => void) | undefined

  constructor(options: PlacerOptions) {
    this.#o = options
    this.#ahead = new LoadedAhead({
      ...options,
      load: options.loadAhead,
      onLoaded: () => this.wake(),
    })
    this.#timer = setInterval(() => this.#look(), options.times.lookMs)
  }

  /** Something was heard: looks what is to be done, once for all that is heard now. */
  wake(): void {
    if (this.#isWoken) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      this.#look()
    })
  }

  /** Whether the node that takes a partition over has its state already. */
  isLoadedAhead(partition: number): boolean {
    return this.#loadedAhead.has(partition)
  }

  /** Hands over everything, which the membership has announced, and resolves when nothing runs here any more. */
  async leave(): Promise<void> {
    this.#leavingSinceMs = performance.now()
    this.#ahead.end()
    await new Promise<void>((resolve) => {
      this.#left = resolve
      this.#look()
    })
    clearInterval(this.#timer)
  }

  #look(): void {
    const { membership, locks, isInformed } = this.#o
    if (isInformed()) {
      void this.#clearUp()
      const planned = this.#current.of({
        partitions: this.#o.partitions,
        members: membership.members(),
        holders: locks.holders(),
        pins: this.#o.pins.hosts(),
      })
      if (this.#leavingSinceMs === undefined) {
        this.#take(planned)
        this.#ahead.update(planned)
      }
      this.#handOver(planned)
    }
    for (const check of this.#waits) check()
    if (this.#leavingSinceMs === undefined) return
    if (this.#isInAHurry())
      for (const partition of this.#running.keys()) void this.#stop(partition, undefined)
    if (this.#steps.size === 0) this.#left?.()
  }

  /** Whether the node stops and has nobody to wait for, or no time. */
  #isInAHurry(): boolean {
    const { membership, isInformed } = this.#o
    if (performance.now() - (this.#leavingSinceMs ?? Infinity) > orderlyLeaveMsMax) return true
    return (
      isInformed() && membership.members().every(({ isLeaving, weight }) => isLeaving || weight === undefined)
    )
  }

  /** Takes what is planned for this node and free; whether a dead node's lock is, the leader says. */
  #take({ view: { members, holders }, plan }: Planned): void {
    const { locks, membership } = this.#o
    const alive = new Set(members.map(({ address }) => address))
    const nowMs = performance.now()
    const isDue = (partition: number) =>
      !this.#steps.has(partition) && nowMs >= (this.#retryAtMs.get(partition) ?? 0)
    for (const [partition, to] of plan.entries()) {
      if (to !== membership.address || !isDue(partition)) continue
      const owner = holders.get(partition)?.owner
      if (owner === undefined || owner === membership.address || !alive.has(owner))
        void this.#begin(partition)
    }
    for (const partition of locks.unheld())
      if (isDue(partition) && plan[partition] !== membership.address)
        void this.#once(partition, 'taking', () => locks.disown(partition))
  }

  /** Resolves when the next owner of a partition has loaded it, or there is no use in waiting for that. */
  #loadedBy(partition: number, next: string): Promise<'loaded' | 'gone' | 'late'> {
    const { locks, membership, notes } = this.#o
    const revision = locks.revision(partition)
    const untilMs = performance.now() + loadAheadMsMax
    return new Promise((resolve) => {
      const check = (): void => {
        const taker = membership.members().find(({ address, isLeaving }) => address === next && !isLeaving)
        const isLoaded = taker?.follows?.has(partition) === true || notes.isThere(partition, next, revision)
        const isWaiting =
          taker !== undefined &&
          locks.isHeld(partition) &&
          performance.now() < untilMs &&
          !this.#isInAHurry() &&
          !isLoaded
        if (isWaiting) return
        this.#waits.delete(check)
        resolve(taker === undefined ? 'gone' : isLoaded ? 'loaded' : 'late')
      }
      this.#waits.add(check)
      check()
    })
  }

  #handOver({ view, plan }: Planned): void {
    const { membership, locks } = this.#o
    for (const { partition, from, to } of nextMoves(view, plan, onTheWayMax))
      if (from === membership.address && this.#running.has(partition)) void this.#stop(partition, to)
    for (const partition of this.#running.keys())
      if (!locks.isHeld(partition)) void this.#stop(partition, undefined)
      else if (view.holders.get(partition)?.next !== undefined) this.#resume(partition, plan[partition])
  }

  /** Goes on with a hand-over that ended behind its announcement, or takes that back: others count it as on its way. */
  #resume(partition: number, to: string | undefined): void {
    if (this.#steps.get(partition) !== 'running') return
    const { membership, locks, onTrouble } = this.#o
    if (to !== undefined && to !== membership.address) return void this.#stop(partition, to)
    locks
      .note(partition, { next: undefined })
      .catch((error: unknown) => onTrouble(error, `partition ${partition}`))
  }

  /** Does one thing with a partition; what fails is tried again later. */
  async #once(partition: number, step: Step, act: () => Promise<unknown>): Promise<void> {
    this.#steps.set(partition, step)
    try {
      await act()
    } catch (error) {
      this.#o.onTrouble(error, `partition ${partition}`)
    }
    if (this.#running.has(partition)) this.#steps.set(partition, 'running')
    else this.#steps.delete(partition)
    this.#retryAtMs.set(partition, performance.now() + retryMs)
    this.wake()
  }

  #begin(partition: number): Promise<void> {
    return this.#once(partition, 'taking', async () => {
      const { locks, taking } = this.#o
      taking(partition)
      if (!(await locks.take(partition))) return
      if (this.#leavingSinceMs === undefined) this.#running.set(partition, this.#o.start(partition))
      else await locks.release(partition)
    })
  }

  /** Stops a partition and gives its lock back; says before to whom it goes. */
  async #stop(partition: number, next: string | undefined): Promise<void> {
    const running = this.#running.get(partition)
    if (running === undefined || this.#steps.get(partition) === 'stopping') return
    const { locks } = this.#o
    await this.#once(partition, 'stopping', async () => {
      if (next !== undefined) {
        await locks.note(partition, { next })
        const came = await this.#loadedBy(partition, next)
        // It serves on: what was announced goes to another node, or is taken back.
        if (came === 'gone' && !this.#isInAHurry()) return
        if (came === 'loaded') this.#loadedAhead.add(partition)
      }
      await running.stop()
      this.#running.delete(partition)
      this.#loadedAhead.delete(partition)
      await this.#release(partition)
    })
    this.#retryAtMs.delete(partition)
  }

  /** Releases the lock of a partition that has stopped; a node that goes does not wait for NATS to answer. */
  async #release(partition: number): Promise<void> {
    const { locks, onTrouble } = this.#o
    while (locks.isHeld(partition))
      try {
        await locks.release(partition)
      } catch (error) {
        onTrouble(error, `could not release partition ${partition}`)
        if (this.#leavingSinceMs !== undefined && this.#isInAHurry()) return
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
  }

  /** Asks NATS about what only it can say: silent nodes, and locks in doubt. */
  async #clearUp(): Promise<void> {
    if (this.#isClearing) return
    this.#isClearing = true
    const { membership, locks, times, onTrouble } = this.#o
    try {
      const [isAnyGone] = await Promise.all([membership.forgetSilent(), locks.confirmDoubted()])
      if (isAnyGone) this.wake()
    } catch (error) {
      onTrouble(error)
    } finally {
      this.#isClearing = false
      if (membership.isWaiting) setTimeout(() => this.wake(), times.goneMs)
    }
  }
}
