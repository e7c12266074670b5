import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import { connect as connectClient } from '@kiroku/client-nats'
import { startServer, type Server } from '@kiroku/nats-server'
import type { PartitionDescription } from '@kiroku/protocol'
import { EngineProcess } from './EngineProcess.ts'
import type { History } from './History.ts'
import { LogReader } from './LogReader.ts'
import { Traffic } from './Traffic.ts'
import { Checker, type Violation } from './checker.ts'
import { KillsInFlight, type Kill } from './inFlight.ts'
import { createQueues, partitions } from './queues.ts'
import { seeded, type Random } from './random.ts'
import { verifyLog } from './verifyLog.ts'

/** Acknowledged sends of every round. */
const sendsPerRound = 1_000
/** Pause of each sending loop while something recovers, in ms. */
const calmPauseMs = 150
/** Rounds after which the log so far is checked against the observations. */
const roundsPerCheck = 10
/** Share of the kills that do not wait until what was killed before is back. */
const hastyShare = 0.1
/**
 * Share of the rounds in which the other node freezes for longer than the TTL of its locks, then continues.
 */
const freezeShare = 0.05
const freezeMs = 3_500
/** What takes longer than this counts as hanging, in ms. */
const hangMs = 60_000
const drainMs = 120_000

/** How a run under kills is made. */
export interface ChaosOptions {
  readonly rounds: number
  readonly seed: number
  /** The folder of the run; the caller keeps it when something is wrong. */
  readonly folder: string
  readonly progress: (line: string) => void
}

/** What came of it. */
export interface ChaosResult {
  readonly rounds: number
  readonly kills: number
  readonly killsInFlight: number
  readonly freezes: number
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
 * Two nodes on one nats-server under load; each round kills one of the three without warning and starts it again.
 * At the end everything is consumed, and the log is checked against what producer and consumer saw. Errors:
 * an `Error` when something hangs or ends by itself.
 */
export const runChaos = async (options: ChaosOptions): Promise<ChaosResult> => {
  const server = await startServer({ dataDir: join(options.folder, 'nats') })
  const nodes = ['a', 'b'].map((name) => new EngineProcess(name, server.url, options.folder, partitions))
  const endNodes = (): void => nodes.forEach((node) => node.kill())
  process.once('exit', endNodes)
  let run: Run | undefined
  try {
    for (const node of nodes) node.start()
    run = await Run.begin(options, server, nodes)
    return await run.run()
  } finally {
    await run?.end()
    endNodes()
    process.off('exit', endNodes)
    await server.stop()
  }
}

class Run {
  readonly #options: ChaosOptions
  readonly #server: Server
  readonly #nodes: readonly EngineProcess[]
  readonly #client: Client
  readonly #traffic: Traffic
  readonly #reader: LogReader
  readonly #random: Random
  readonly #kills: Kill[] = []
  #freezes = 0
  readonly #crashes: string[] = []
  readonly #checker = new Checker()
  readonly #history: History[] = []

  private constructor(
    options: ChaosOptions,
    server: Server,
    nodes: readonly EngineProcess[],
    client: Client,
    traffic: Traffic,
    reader: LogReader,
  ) {
    this.#options = options
    this.#server = server
    this.#nodes = nodes
    this.#client = client
    this.#traffic = traffic
    this.#reader = reader
    this.#random = seeded(options.seed)
    for (const node of nodes) node.onCrash = (text) => this.#crashes.push(text)
  }

  static async begin(options: ChaosOptions, server: Server, nodes: readonly EngineProcess[]): Promise<Run> {
    const client = await connectClient({ servers: server.url, name: 'chaos' })
    try {
      await createQueues(client)
      const reader = await LogReader.open(server.url)
      const traffic = await Traffic.start(server.url, options.seed)
      return new Run(options, server, nodes, client, traffic, reader)
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
    const choice = this.#random.int(5)
    const victim = choice === 0 ? undefined : this.#nodes[choice % 2]!
    if (this.#random.next() >= hastyShare)
      await this.#until('the victim has something to lose', () => this.#worthKilling(victim))
    if (victim !== undefined && this.#random.next() < freezeShare) await this.#freezeOther(victim)
    this.#traffic.pace(0)
    const sends = 50 + this.#random.int(650)
    await this.#until('sends are acknowledged', () => this.#traffic.acknowledged >= before + sends)
    await pause(this.#random.int(40))
    await this.#kill(victim)
    this.#traffic.pace(calmPauseMs)
    await this.#until('sends are acknowledged', () => this.#traffic.acknowledged >= before + sendsPerRound)
    const name = victim === undefined ? 'nats-server' : `node ${victim.name}`
    this.#options.progress(
      `round ${round} of ${this.#options.rounds}: killed ${name}, ${this.#traffic.acknowledged} sends acknowledged`,
    )
  }

  /** Kills a node, or the server, at once and starts it again a moment later. */
  async #kill(victim: EngineProcess | undefined): Promise<void> {
    this.#kills.push({ what: victim === undefined ? 'server' : 'node', atMs: Date.now() })
    await (victim === undefined ? this.#server.kill('SIGKILL') : victim.end('SIGKILL'))
    await pause(this.#random.int(300))
    if (victim === undefined) await this.#server.restart()
    else victim.start()
  }

  /** Lets the other node lose everything without knowing: what it still sends off must not count any more. */
  async #freezeOther(victim: EngineProcess): Promise<void> {
    const other = this.#nodes.find((node) => node !== victim)!
    other.signal('SIGSTOP')
    await pause(freezeMs + this.#random.int(1_000))
    other.signal('SIGCONT')
    this.#freezes++
  }

  /** Whether every partition is served, and some of them by the victim. */
  async #worthKilling(victim: EngineProcess | undefined): Promise<boolean> {
    const active = await this.#active()
    if (active.length < partitions) return false
    return victim === undefined || active.some(({ node }) => node.endsWith(`-${victim.pid}`))
  }

  async #active(): Promise<PartitionDescription[]> {
    return (await this.#client.partitions()).filter(({ state }) => state === 'Active')
  }

  readonly #served = async (): Promise<boolean> => (await this.#active()).length === partitions

  /** Holds the log so far against what was seen before it is read. */
  async #check(): Promise<void> {
    await this.#until('every partition is served', this.#served)
    const seen = this.#traffic.takeHistory()
    this.#history.push(seen)
    for await (const frame of this.#reader.frames()) this.#checker.frame(frame)
    this.#checker.compare(seen)
  }

  /** Lets everything that was sent come to its end. */
  async #drain(): Promise<void> {
    this.#options.progress('draining')
    await this.#until('every partition is served', this.#served)
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
    const verified = await verifyLog(this.#server.url)
    await Promise.all(this.#nodes.map((node) => node.end('SIGTERM')))
    progress('checking')
    this.#history.push(this.#traffic.takeHistory())
    const checker = new Checker()
    const inFlight = new KillsInFlight()
    const reader = await LogReader.open(this.#server.url)
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
      rounds: this.#kills.length,
      kills: this.#kills.length,
      killsInFlight: inFlight.among(this.#kills, this.#traffic.slow).size,
      freezes: this.#freezes,
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

const within = async (promise: Promise<void>, timeoutMs: number, what: string): Promise<void> => {
  const timer = new AbortController()
  const late = pause(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not within ${timeoutMs} ms: ${what}`)
  })
  late.catch(() => undefined)
  await Promise.race([promise, late])
  timer.abort()
}
