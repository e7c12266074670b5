import { partitionOf, type QueueConfig } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'
import { calmOdds } from '../plan/Odds.ts'
import type { Plan } from '../plan/Plan.ts'
import type { QueuePlan } from '../plan/QueuePlan.ts'
import type { Person } from '../workload/Person.ts'
import { Environment } from './Environment.ts'
import { plentyBytes } from './KnownRoom.ts'
import { Network } from './Network.ts'
import { NodeProcess } from './NodeProcess.ts'
import { Placement } from './Placement.ts'

/** Harm that was done to a log on purpose: from this sequence on, at this time. */
export interface Hurt {
  readonly kind: 'damage' | 'tail' | 'checkpoint' | 'cured'
  readonly seq: number
  readonly atMs: number
  /** Of a lost tail: the owner, or the node that begins next on its machine, and what the machine's note says was stored. */
  readonly heir?: string
  readonly notedSeq?: number
}

/** Nodes alive at once, about. */
const nodesMax = 4

/** Everything that one seed consists of. */
export class World extends Environment {
  readonly network: Network
  readonly placement: Placement
  /** Everything ended: loops stop. */
  isOver = false
  /** Producers that have not sent all. */
  producersLeft = 0
  /** Whether a queue was ever spread over partitions. */
  isSpread = false
  /** Operators who are not done. */
  deedsLeft = 0
  /** What was done to the log of a partition, if anything. */
  readonly hurts = new Map<number, Hurt>()
  /** Last sequences when the queues were there; what was before is never hurt. */
  readonly setUpSeqs: number[] = []
  /** Everybody who consumes. */
  readonly consumers: Person[] = []
  /** Ids of the queues as they were created first, by name. */
  readonly queueIds = new Map<string, number>()
  #names = 0

  constructor(plan: Plan, keepsHistory: boolean) {
    super(plan, keepsHistory)
    this.placement = new Placement(this, plan.partitions, (but) => this.spareNode(but))
    this.network = new Network(this, this.placement)
  }

  /** Sets the clock of a node's machine. */
  setWallClock(party: Party, offMs: number): void {
    party.wallOffsetMs = offMs
    this.clocks.note(party.name, this.loop.nowMs, offMs)
  }

  /** The same for what an operator does, which must be over before the world can be. */
  startDeed(name: string, task: Promise<void>): void {
    this.deedsLeft++
    this.start(
      name,
      task.finally(() => this.deedsLeft--),
    )
  }

  /** Waits for a condition; `what` is named in the failure when it is never met. */
  async until(what: string, isSo: () => boolean, virtualMsMax = 600_000): Promise<void> {
    const untilMs = this.loop.livedMs + virtualMsMax
    for (let pauseMs = 1; !isSo(); pauseMs = Math.min(200, pauseMs * 2)) {
      if (this.failure !== undefined) return
      if (this.loop.livedMs > untilMs) throw new Error(`never: ${what}\n${describeState(this)}`)
      await this.loop.sleep(pauseMs)
    }
  }

  /** Waits until whatever was started has ended. */
  rest(): Promise<void> {
    return this.until('everything comes to rest', () => this.busy.size === 0)
  }

  /** Starts a node, on a machine that there was before or on a new one. */
  newNode(disk?: Map<string, string>): NodeProcess {
    const neighbours = {
      network: this.network,
      died: (dead: NodeProcess): void => this.placement.died(dead),
    }
    const process = new NodeProcess(this, neighbours, `node-${++this.#names}`, disk)
    this.setWallClock(process.party, this.chance.pick([0, 0, -240_000, 180_000]))
    return this.placement.add(process)
  }

  /** A node that is not `but`: a living one, or a new one. */
  spareNode(but: NodeProcess | undefined): NodeProcess {
    const alive = this.placement.processes.filter(
      (p) => p !== but && !p.party.isDead && p.party.frozenUntilMs <= this.loop.nowMs,
    )
    return alive.length >= nodesMax || (alive.length > 0 && this.chance.happens(0.5))
      ? this.chance.pick(alive)
      : this.newNode()
  }

  /** Settings of a queue, as they are created. */
  configOf({ config, deadLetter }: QueuePlan): Partial<QueueConfig> {
    if (deadLetter === undefined) return config
    const partition = partitionOf(deadLetter, this.plan.partitions)
    return { ...config, deadLetter: { name: deadLetter, partition, queue: this.queueIds.get(deadLetter)! } }
  }

  /** Whether every partition has a working owner that was told of nothing wrong. */
  isSettled(): boolean {
    for (let p = 0; p < this.plan.partitions; p++) {
      const actor = this.placement.ownerOf(p)?.node.actors.get(p)
      if (actor?.life !== 'Active' || actor.epoch !== this.truth.ledgers[p]!.epoch) return false
    }
    return true
  }

  /** Ends every node as an operator does. */
  async close(): Promise<void> {
    const { processes } = this.placement
    for (let p = 0; p < this.plan.partitions; p++)
      for (const process of processes) if (!process.party.isDead) await process.release(p)
  }

  /** Before the end there is room for all, for good. */
  #giveRoom(): void {
    const { store, partitions, recordBytesMax } = this.plan
    if (store === undefined) return
    this.log.faults.limitRecords(recordBytesMax)
    const give = (): void => {
      this.log.faults.resizeStore(this.chance.stream('room').pick([0, plentyBytes]))
      for (let p = 0; p < partitions; p++) this.log.faults.resizeStream(p, 0)
      this.history.note(() => 'from here on there is room for all')
    }
    this.loop.after(store.lastsMs, give, null)
  }

  #setClocksRight(): void {
    this.setStoreClock(0)
    for (const { party } of this.placement.processes) if (!party.isDead) this.setWallClock(party, 0)
  }

  /** From here on things go wrong. */
  begin(): void {
    this.odds = this.plan.odds
    for (let p = 0; p < this.plan.partitions; p++) this.setUpSeqs.push(this.log.faults.stored(p).lastSeq)
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.isCalm = true
    if (this.chance.stream('clocks').happens(0.5)) this.#setClocksRight()
    this.odds = calmOdds
    this.log.faults.calm()
    this.log.keys.isDown = false
    this.#giveRoom()
    for (let p = 0; p < this.plan.partitions; p++) this.land(p)
    for (const { party } of this.placement.processes) {
      party.frozenUntilMs = Math.min(party.frozenUntilMs, this.loop.nowMs)
      party.stepsLeft = Number.POSITIVE_INFINITY
      party.lagMs = 0
    }
    this.placement.tellAll()
    this.history.note(() => 'from here on nothing goes wrong')
  }
}

/** What a world that does not end is waiting for. */
const describeState = ({ truth, placement, plan, busy }: World): string => {
  const lines: string[] = []
  for (const { partition, queues } of truth.ledgers)
    for (const { name, messages, isDeleted } of queues.values()) {
      const counts = new Map<string, number>()
      for (const { lives } of messages.values())
        for (const { state } of lives.values()) counts.set(state, (counts.get(state) ?? 0) + 1)
      const states = [...counts].map(([state, count]) => `${count} ${state}`).join(', ')
      lines.push(`partition ${partition}, queue ${name}${isDeleted ? ', deleted' : ''}: ${states}`)
    }
  for (let p = 0; p < plan.partitions; p++) {
    const owner = placement.ownerOf(p)
    lines.push(`partition ${p} is ${owner?.node.actors.get(p)?.life ?? 'nowhere'} on ${owner?.name}`)
  }
  if (busy.size > 0) lines.push(`not ended: ${[...busy.values()].join(', ')}`)
  return lines.join('\n')
}
