import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import { connect as connectClient } from '@kiroku/client-nats'
import type { PartitionDescription } from '@kiroku/protocol'
import { ageLog } from './ageLog.ts'
import { Deck } from './Deck.ts'
import type { Deployment } from './Deployment.ts'
import type { Fault, Situation } from './Fault.ts'
import type { History } from './History.ts'
import { LogReader } from './LogReader.ts'
import { oneServer } from './oneServer.ts'
import { ordersSends, ThreeServers } from './ThreeServers.ts'
import { Traffic } from './Traffic.ts'
import { Checker, type Violation } from './checker.ts'
import { clusterDeployment } from './clusterFaults.ts'
import { KillsInFlight, type Kill } from './inFlight.ts'
import { createQueues, partitions } from './queues.ts'
import { seeded, type Random } from './random.ts'
import { verifyLog } from './verifyLog.ts'

/** Acknowledged sends of every round. */
const sendsPerRound = 1_000
/** Pause of each sending loop while something recovers, in ms. */
const calmPauseMs = 150
/** Time of a fault under full load, in ms. */
const loadedMs = 100
/** Rounds after which the log so far is checked against the observations. */
const roundsPerCheck = 10
/** Share of the faults that do not wait until what was hit before is back. */
const hastyShare = 0.1
/** What takes longer than this counts as hanging, in ms. */
const hangMs = 60_000
const drainMs = 120_000
/** A rolling restart waits for each node, up to `hangMs`. */
const injectMs = 240_000
/** What is waited for between faults, in an error. */
const servedWhat = 'every partition is served, and every node has its share'

/** How a run under faults is made. */
export interface ChaosOptions {
  readonly rounds: number
  readonly seed: number
  /** Three nodes on three servers, and every kind of fault; otherwise two nodes on one server, and kills. */
  readonly cluster: boolean
  /** Only faults with this in their names; default: all. */
  readonly only?: string
  /** The folder of the run; the caller keeps it when something is wrong. */
  readonly folder: string
  readonly progress: (line: string) => void
}

/** The rounds of one kind of fault, and the longest pause of a partition's sends. */
interface FaultFigure {
  readonly fault: string
  readonly rounds: number
  /** Of the rounds that began when the fault before had healed, and in which the present release owned all partitions. */
  readonly longestPauseMs: number
  /** Of the others: theirs is the pause of two faults, or that of the previous release. */
  readonly longestOtherPauseMs: number
  /** What Kiroku aims at. */
  readonly pauseMs: number
}

/** What came of it. */
export interface ChaosResult {
  readonly rounds: number
  readonly kills: number
  readonly killsInFlight: number
  readonly faults: readonly FaultFigure[]
  readonly acknowledged: number
  readonly deadLettered: number
  readonly redriven: number
  readonly edited: number
  readonly erased: number
  readonly deduplicated: number
  readonly lost: number
  readonly doubled: number
  readonly resurrected: number
  readonly verified: boolean
  readonly violations: readonly Violation[]
  /** Whatever else went wrong, in words. */
  readonly failures: readonly string[]
}

/**
 * Nodes under load, on NATS; each round does something to them. At the end everything is consumed, and the log is
 * checked against what producer and consumer saw. Errors: an `Error` when something hangs or ends by itself.
 */
export const runChaos = async (options: ChaosOptions): Promise<ChaosResult> => {
  const random = seeded(options.seed)
  const kills: Kill[] = []
  const onKill = (what: Kill['what']): void => void kills.push({ what, atMs: Date.now() })
  const deployment = options.cluster
    ? clusterDeployment(await ThreeServers.start(options.folder, random), random, onKill)
    : await oneServer(options.folder, random, onKill)
  const abandon = (): void => deployment.abandon()
  process.once('exit', abandon)
  let run: Run | undefined
  try {
    const deck = new Deck(namedLike(options.only, deployment.faults), random)
    run = await Run.begin(options, deployment, deck, random, kills)
    return await run.run()
  } finally {
    await run?.end()
    await deployment.stop()
    process.off('exit', abandon)
  }
}

const namedLike = (text = '', faults: readonly Fault[]): readonly Fault[] => {
  const found = faults.filter(({ name }) => name.includes(text))
  if (found.length === 0) throw new Error(`no fault has "${text}" in its name`)
  return found
}

class Run {
  readonly #options: ChaosOptions
  readonly #deployment: Deployment
  readonly #client: Client
  readonly #traffic: Traffic
  readonly #reader: LogReader
  readonly #random: Random
  readonly #deck: Deck<Fault>
  readonly #kills: readonly Kill[]
  readonly #figures = new Map<string, FaultFigure>()
  readonly #crashes: string[] = []
  readonly #checker = new Checker(ordersSends)
  readonly #history: History[] = []

  private constructor(
    options: ChaosOptions,
    deployment: Deployment,
    deck: Deck<Fault>,
    random: Random,
    kills: readonly Kill[],
    client: Client,
    traffic: Traffic,
    reader: LogReader,
  ) {
    this.#options = options
    this.#deployment = deployment
    this.#client = client
    this.#traffic = traffic
    this.#reader = reader
    this.#random = random
    this.#deck = deck
    this.#kills = kills
    deployment.onCrash((text) => this.#crashes.push(text))
  }

  static async begin(
    options: ChaosOptions,
    deployment: Deployment,
    deck: Deck<Fault>,
    random: Random,
    kills: readonly Kill[],
  ): Promise<Run> {
    const client = await connectClient({ servers: deployment.urls, name: 'chaos' })
    try {
      await createQueues(client)
      if (options.cluster) await ageLog(client)
      const reader = await LogReader.open(deployment.urls)
      const traffic = await Traffic.start(deployment.urls, options.seed)
      return new Run(options, deployment, deck, random, kills, client, traffic, reader)
    } catch (error) {
      // An open connection would keep the process alive.
      await client.close()
      throw error
    }
  }

  async run(): Promise<ChaosResult> {
    const { rounds, progress } = this.#options
    for (let round = 1; round <= rounds; round++) {
      await this.#round(round)
      if (round % roundsPerCheck === 0 && round < rounds) await this.#check()
      if (this.#checker.violations.length + this.#traffic.failures.length + this.#crashes.length > 0) {
        progress(`round ${round}: something is wrong, stopping`)
        break
      }
    }
    await this.#drain()
    return this.#judge()
  }

  async end(): Promise<void> {
    this.#traffic.kill()
    await this.#reader.close()
    await this.#client.close()
  }

  async #round(round: number): Promise<void> {
    const before = this.#traffic.acknowledged
    const { pauses } = this.#traffic
    const fault = this.#deck.draw()
    const isHasty = this.#random.next() < hastyShare
    if (!isHasty) await this.#until('there is something to lose', () => this.#hits(fault))
    this.#traffic.pace(0)
    const sends = 50 + this.#random.int(650)
    await this.#until('sends are acknowledged', () => this.#traffic.acknowledged >= before + sends)
    await pause(this.#random.int(40))
    const situation: Situation = {
      active: await this.#active(),
      served: () => this.#until(servedWhat, this.#served),
    }
    pauses.begin(performance.now())
    const [awayMs] = await Promise.all([
      within(fault.inject(situation), injectMs, `${fault.name} is over`),
      pause(loadedMs).then(() => this.#traffic.pace(calmPauseMs)),
    ])
    pauses.expectAll()
    await this.#until(
      'sends to every partition are acknowledged',
      () => pauses.allServed && this.#traffic.acknowledged >= before + sendsPerRound,
    )
    const pauseMs = Math.max(0, pauses.longestMs(performance.now()) - awayMs)
    const isOther = isHasty || [situation.active, await this.#active()].some(this.#deployment.isMixed)
    this.#note(fault, pauseMs, isOther)
    this.#options.progress(
      `round ${round} of ${this.#options.rounds}: ${fault.name}${isHasty ? ' upon the one before' : isOther ? ' with the previous release' : ''}, pause ${(pauseMs / 1_000).toFixed(1)} s, ` +
        `${this.#traffic.acknowledged} sends acknowledged`,
    )
  }

  #note({ name, pauseMs }: Fault, roundPauseMs: number, isOther: boolean): void {
    const { rounds, longestPauseMs, longestOtherPauseMs } = this.#figures.get(name) ?? {
      rounds: 0,
      longestPauseMs: 0,
      longestOtherPauseMs: 0,
    }
    const ms = Math.round(roundPauseMs)
    this.#figures.set(name, {
      fault: name,
      rounds: rounds + 1,
      longestPauseMs: isOther ? longestPauseMs : Math.max(longestPauseMs, ms),
      longestOtherPauseMs: isOther ? Math.max(longestOtherPauseMs, ms) : longestOtherPauseMs,
      pauseMs,
    })
  }

  /** Whether every partition is served, the nodes have settled, and the fault has something to hit. */
  async #hits({ hits }: Fault): Promise<boolean> {
    const active = await this.#active()
    return this.#isSettled(active) && hits?.(active) !== false
  }

  #isSettled(active: readonly PartitionDescription[]): boolean {
    return active.length === partitions && this.#deployment.isSettled(active)
  }

  async #active(): Promise<PartitionDescription[]> {
    return (await this.#client.partitions()).filter(({ state }) => state === 'Active')
  }

  readonly #served = async (): Promise<boolean> => this.#isSettled(await this.#active())

  /** Holds the log so far against what was seen before it is read. */
  async #check(): Promise<void> {
    await this.#until(servedWhat, this.#served)
    const seen = this.#traffic.takeHistory()
    this.#history.push(seen)
    for await (const frame of this.#reader.frames()) this.#checker.frame(frame)
    this.#checker.compare(seen)
  }

  /** Lets everything that was sent come to its end. */
  async #drain(): Promise<void> {
    this.#options.progress('draining')
    await this.#until(servedWhat, this.#served)
    await within(this.#traffic.stopProducer(), drainMs, 'the last sends are acknowledged')
    this.#traffic.drain()
    const empty = async (): Promise<boolean> =>
      (await this.#client.queues.list()).every(
        ({ counts: c }) => c.delayed + c.available + c.inflight + c.waitingRetry === 0,
      )
    const nothingToForward = async (): Promise<boolean> => {
      const described = await this.#client.partitions()
      return described.length === partitions && described.every(({ outbox }) => outbox === 0)
    }
    // First no source has anything, then nothing is between the queues, then no target has anything.
    const drained = async () => (await empty()) && (await nothingToForward()) && (await empty())
    await this.#until('every message has its final state', drained, drainMs)
    await within(this.#traffic.stopConsumer(), drainMs, 'the consumer stops')
  }

  async #judge(): Promise<ChaosResult> {
    const { progress } = this.#options
    progress('verifying')
    const verified = await verifyLog(this.#deployment.urls)
    await this.#deployment.stopNodes()
    progress('checking')
    this.#history.push(this.#traffic.takeHistory())
    const checker = new Checker(ordersSends)
    const inFlight = new KillsInFlight()
    const reader = await LogReader.open(this.#deployment.urls)
    for await (const frame of reader.frames()) {
      checker.frame(frame)
      inFlight.frame(frame)
    }
    await reader.close()
    for (const history of this.#history) {
      checker.compare(history)
      inFlight.seen(history.deliveries)
    }
    checker.finish()
    return {
      rounds: [...this.#figures.values()].reduce((sum, { rounds }) => sum + rounds, 0),
      kills: this.#kills.length,
      killsInFlight: inFlight.among(this.#kills, this.#traffic.slow).size,
      faults: [...this.#figures.values()],
      acknowledged: this.#traffic.acknowledged,
      deadLettered: checker.totals.deadLettered,
      redriven: checker.totals.redriven,
      edited: checker.totals.edited,
      erased: checker.totals.erased,
      deduplicated: checker.totals.deduplicated,
      lost: checker.counts.lost,
      doubled: checker.counts.doubled,
      resurrected: checker.counts.resurrected,
      verified: verified.ok,
      violations: [...this.#checker.violations, ...checker.violations],
      failures: [
        ...this.#crashes,
        ...this.#traffic.failures,
        ...(verified.ok ? [] : [`verify: ${verified.text}`]),
      ],
    }
  }

  async #until(
    what: string,
    condition: () => boolean | Promise<boolean>,
    timeoutMs: number = hangMs,
  ): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs
    while (!(await condition())) {
      if (this.#crashes.length > 0) throw new Error(this.#crashes.join('; '))
      if (performance.now() >= deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
      await pause(5)
    }
  }
}

const within = async <A>(promise: Promise<A>, timeoutMs: number, what: string): Promise<A> => {
  const timer = new AbortController()
  const late = pause(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not within ${timeoutMs} ms: ${what}`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}
