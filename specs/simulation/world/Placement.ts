import type { LockLease } from '@kiroku/engine'
import type { Chance } from '../core/Chance.ts'
import type { Party } from '../core/Party.ts'
import type { Environment } from './Environment.ts'
import type { NodeProcess } from './NodeProcess.ts'

/** How long a lock holds without being confirmed, and how often it is confirmed, in ms. */
const ttlMs = 4_000
const confirmMs = 1_000

/** A node that has, or once had, the lock on a partition. */
export interface Claim {
  readonly process: NodeProcess
  /** When the lock was confirmed for the last time, once it is lost. */
  lostMs: number | undefined
}

/**
 * Which node is to own which partition. Locks are honest by default: no node gets one before the last
 * holder's expired or was released. A fault may break that.
 */
export class Placement {
  readonly #world: Environment
  readonly #spareNode: (but: NodeProcess) => NodeProcess
  readonly #claims: (Claim | undefined)[]
  /** Partitions on which two nodes held a lock at once: there an owner's memory may be out of date. */
  readonly dishonest = new Set<number>()
  readonly processes: NodeProcess[] = []
  readonly #reserved = new Map<number, NodeProcess>()
  readonly #standbys = new Map<number, NodeProcess>()
  /** Of its own, so that standbys change as little else as they can. */
  readonly #standbyChance: Chance

  /** @param spareNode finds a node that is not this one, or makes it */
  constructor(world: Environment, partitions: number, spareNode: (but: NodeProcess) => NodeProcess) {
    this.#world = world
    this.#spareNode = spareNode
    this.#standbyChance = world.chance.stream('standbys')
    this.#claims = new Array<Claim | undefined>(partitions).fill(undefined)
  }

  add(process: NodeProcess): NodeProcess {
    this.processes.push(process)
    return process
  }

  /** Who holds the lock on a partition now. */
  ownerOf(partition: number): NodeProcess | undefined {
    return this.#claims[partition]?.process
  }

  /** The lock on a partition now; another one after it changed hands, even when it came back. */
  claimOf(partition: number): Claim | undefined {
    return this.#claims[partition]
  }

  /** Gives the lock to a node although another has it, which sees it confirmed for a while longer. */
  giveTwice(partition: number, process: NodeProcess, bothMs: number): void {
    const before = this.#claims[partition]
    this.dishonest.add(partition)
    this.#claims[partition] = undefined
    this.give(partition, process)
    if (before === undefined || before.process === process) return
    this.#world.coverage.add('seed', 'take-overs')
    this.#world.loop.after(bothMs, () => (before.lostMs ??= this.#confirmed()), null)
  }

  /** Gives the lock to a node; it begins at once. */
  give(partition: number, process: NodeProcess): void {
    const before = this.#claims[partition]
    if (before?.process === process && before.lostMs === undefined) return
    if (before !== undefined) before.lostMs ??= this.#confirmed()
    const claim: Claim = { process, lostMs: undefined }
    this.#claims[partition] = claim
    if (this.#world.isCalm) this.tellAll()
    if (before !== undefined) {
      this.#world.coverage.add('seed', 'take-overs')
      this.#world.history.note(() => `partition ${partition} goes to ${process.name}`)
    }
    this.#nameStandby(partition, process)
    // A former owner that does not know that another node owned it meanwhile starts over.
    if (!process.owns(partition)) this.#own(partition, claim)
    else
      this.#world.start(
        `${process.name} lets ${partition} go`,
        process.release(partition).then(() => {
          if (this.#claims[partition] === claim && !process.owns(partition)) this.#own(partition, claim)
        }),
      )
  }

  /** The node that follows a partition's log, where there is one that lives. */
  standbyOf(partition: number): NodeProcess | undefined {
    const standby = this.#standbys.get(partition)
    return standby?.party.isDead === true ? undefined : standby
  }

  /** Whoever has a partition now, another may follow it. */
  #nameStandby(partition: number, owner: NodeProcess): void {
    const before = this.#standbys.get(partition)
    if (before !== owner) before?.unfollow(partition)
    this.#standbys.delete(partition)
    const chance = this.#standbyChance
    const others = this.processes.filter((each) => each !== owner && !each.party.isDead)
    if (others.length === 0 || !chance.happens(0.8)) return
    const standby = chance.pick(others)
    this.#standbys.set(partition, standby)
    this.#world.loop.after(
      chance.pick([0, 300, 3_000]),
      () => this.#standbys.get(partition) === standby && standby.follow(partition),
      standby.party,
    )
  }

  /** Takes the lock from its holder without telling; resolves to when another node may have it. */
  cutOff(partition: number): number {
    const claim = this.#claims[partition]
    if (claim === undefined) return this.#world.loop.nowMs
    claim.lostMs ??= this.#confirmed()
    return claim.lostMs + ttlMs
  }

  /** The holder releases it: it may no longer answer from memory, and the lock is free. */
  leaving(partition: number): void {
    const claim = this.#claims[partition]
    if (claim !== undefined) claim.lostMs ??= this.#confirmed()
  }

  /** A frozen node confirms nothing: another node gets what it has when its locks have expired. */
  standsStill(partition: number, party: Party): void {
    const claim = this.#claims[partition]
    if (claim?.process.party !== party) return
    this.#next(partition, claim)
  }

  /** Has a node get the partition next, as the machine that is restarted. */
  reserve(partition: number, process: NodeProcess): void {
    this.#reserved.set(partition, process)
  }

  /** Every node that continues without a lock learns of it. */
  tellAll(): void {
    for (const [partition, claim] of this.#claims.entries())
      for (const process of this.processes)
        if (process !== claim?.process && !process.party.isDead && process.owns(partition))
          this.#world.start(`${process.name} lets ${partition} go`, process.release(partition))
  }

  /** A node is gone: others take its partitions when its locks have run out. */
  died(process: NodeProcess): void {
    for (const [partition, claim] of this.#claims.entries())
      if (claim?.process === process) this.#next(partition, claim)
  }

  #next(partition: number, claim: Claim): void {
    const { loop, chance } = this.#world
    claim.lostMs ??= this.#confirmed()
    const freeMs = Math.max(0, claim.lostMs + ttlMs - loop.nowMs) + chance.below(300)
    loop.after(
      freeMs,
      () => {
        if (this.#claims[partition] !== claim) return
        const reserved = this.#reserved.get(partition)
        this.#reserved.delete(partition)
        const isThere = reserved !== undefined && !reserved.party.isDead
        const standby = this.standbyOf(partition)
        const isFollowed = standby !== undefined && standby.party.frozenUntilMs <= loop.nowMs
        if (isFollowed) this.#world.coverage.add('party', 'taken over by the standby')
        this.give(partition, isThere ? reserved : isFollowed ? standby : this.#spareNode(claim.process))
      },
      null,
    )
  }

  #confirmed(): number {
    const { nowMs } = this.#world.loop
    return nowMs - (nowMs % confirmMs)
  }

  #own(partition: number, claim: Claim): void {
    const { process } = claim
    const { loop, chance, history } = this.#world
    const lease: LockLease = {
      ttlMs,
      confirmedAtMs: () => claim.lostMs ?? this.#confirmed(),
    }
    process.own(partition, lease, (error) => {
      history.note(() => `the actor of partition ${partition} ended: ${error.split('\n')[0]}`)
      if (error.includes('Internal')) this.#world.fail(new Error(error))
      // Whoever still has the lock tries again.
      loop.after(
        chance.pick([10, 100, 1_000]),
        () => {
          const now = this.#claims[partition]
          if (now?.process === process && !process.owns(partition)) this.#own(partition, now)
        },
        process.party,
      )
    })
  }
}
