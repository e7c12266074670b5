import { median, spreadOf } from '../Figure.ts'
import type { ShapeSystem } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import type { Handling, Publishing } from './serveShape.ts'
import { window } from './sizes.ts'

/** What a system does in its turn, one phase after the other. */
export interface Phase {
  readonly name: string
  /** Whether it adds messages to what waits, takes all of that, or leaves it as it is. */
  readonly kind: 'send' | 'handle' | 'live'
  /** How long it took, in ms. */
  readonly run: (system: ShapeSystem, messages: number) => Promise<number>
  /** Some systems have no part in it. */
  readonly isFor?: (system: ShapeSystem) => boolean
}

/** What one phase of one turn took. */
interface Turn {
  readonly perSecond: number
  /** Processor time a message of each process, in µs. */
  readonly processorUs: Readonly<Record<string, number>>
  readonly natsMessages: number
  readonly natsBytes: number
  readonly records: number
  readonly collections: number
  readonly messages: number
}

/** What the turns of one system gave in one phase: medians. */
export interface Measured extends Turn {
  readonly system: ShapeSystem
  readonly phase: string
  /** How far the rates of its rounds lie apart. */
  readonly spread: number
  /** Processor time a message of all processes. */
  readonly sumUs: number
}

/** A figure whose rounds lie further apart is measured again. */
export const spreadMax = 0.25

/** A shape: what its bodies are, and what is done with them. */
export interface Shape {
  readonly title: string
  readonly bodyBytes: number
  readonly phases: readonly Phase[]
  /** Whether the auditor's reading belongs to the last phase, however long it takes. */
  readonly isAudited?: boolean
}

/**
 * Lets the systems take turns, round after round, and again those whose rounds lie too far apart, together with the first.
 * Each does as many messages as it can in the time of a turn.
 */
export const measureTurns = async (
  run: ShapesRun,
  systems: readonly ShapeSystem[],
  shape: Shape,
): Promise<readonly Measured[]> => {
  const turns = new Turns(run, shape)
  await turns.warmUp(systems)
  return untilClose(systems, (some) => turns.rounds(some))
}

/** What the rounds of a system gave, and how far they lie apart. */
interface Spread {
  readonly system: ShapeSystem
  readonly phase: string
  readonly spread: number
}

/** Measures, and once more the systems whose rounds lie too far apart, together with the first. */
export const untilClose = async <T extends Spread>(
  systems: readonly ShapeSystem[],
  rounds: (systems: readonly ShapeSystem[]) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  const measured = await rounds(systems)
  const apart = new Set(measured.filter(({ spread }) => spread > spreadMax).map(({ system }) => system))
  if (apart.size === 0) return measured
  const again = await rounds(systems.filter((each, i) => i === 0 || apart.has(each)))
  return measured.map(
    (each) => again.find(({ system, phase }) => system === each.system && phase === each.phase) ?? each,
  )
}

class Turns {
  readonly #run: ShapesRun
  readonly #shape: Shape
  /** Messages of each phase of a system. */
  readonly #messages = new Map<ShapeSystem, number[]>()

  constructor(run: ShapesRun, shape: Shape) {
    this.#run = run
    this.#shape = shape
  }

  get #most(): number {
    return Math.floor(this.#run.sizes.turnBytes / this.#shape.bodyBytes)
  }

  get #least(): number {
    return Math.min(hundred, this.#most)
  }

  /** Finds how many messages a turn takes. */
  async warmUp(systems: readonly ShapeSystem[]): Promise<void> {
    const { sizes, progress } = this.#run
    for (const system of systems)
      this.#messages.set(
        system,
        this.#phasesOf(system).map(() => Math.min(sizes.messages, this.#most)),
      )
    for (const share of sizes.warmUps)
      for (const system of systems) {
        progress.step(`${this.#shape.title}, ${system.name}, warming up`)
        const rates = (await this.#turn(system)).map(({ perSecond }) => perSecond)
        const wanted = rates.map(
          (rate) => Math.ceil((rate * sizes.turnMs * share) / 1_000 / hundred) * hundred,
        )
        this.#messages.set(
          system,
          wanted.map((count) => Math.max(this.#least, Math.min(count, this.#most))),
        )
      }
  }

  async rounds(systems: readonly ShapeSystem[]): Promise<readonly Measured[]> {
    const { sizes, progress } = this.#run
    const turns = systems.map((): Turn[][] => [])
    for (let round = 1; round <= sizes.rounds; round++)
      for (const [i, system] of systems.entries()) {
        progress.step(`${this.#shape.title}, ${system.name}, round ${round} of ${sizes.rounds}`)
        turns[i]!.push(await this.#turn(system))
      }
    return systems.flatMap((system, i) =>
      this.#phasesOf(system).map(({ name }, phase) => {
        const own = turns[i]!.map((round) => round[phase]!)
        return { system, phase: name, ...middle(own), spread: spreadOf(own.map((each) => each.perSecond)) }
      }),
    )
  }

  #phasesOf(system: ShapeSystem): readonly Phase[] {
    return this.#shape.phases.filter(({ isFor }) => isFor?.(system) ?? true)
  }

  async #turn(system: ShapeSystem): Promise<Turn[]> {
    const turns: Turn[] = []
    let waiting = 0
    const phases = this.#phasesOf(system)
    for (const [i, { kind, run }] of phases.entries()) {
      const wanted = this.#messages.get(system)![i]!
      // What waits has to be handled, whatever the time.
      const messages = kind === 'handle' ? Math.max(wanted, waiting) : wanted
      if (kind === 'handle') await fill(system, messages - waiting, this.#shape.bodyBytes)
      waiting = kind === 'send' ? waiting + messages : kind === 'handle' ? 0 : waiting
      const before = await costOf(system)
      const tookMs = await run(system, messages)
      if (this.#shape.isAudited === true && i === phases.length - 1) await system.own?.audited()
      const after = await costOf(system)
      turns.push({
        messages,
        perSecond: (messages * 1_000) / tookMs,
        processorUs: Object.fromEntries(
          Object.entries(after.spent).map(([name, ms]) => [
            name,
            ((ms - (before.spent[name] ?? 0)) * 1_000) / messages,
          ]),
        ),
        natsMessages: (after.traffic.messages - before.traffic.messages) / messages,
        natsBytes: (after.traffic.bytes - before.traffic.bytes) / messages / this.#shape.bodyBytes,
        records: (after.records - before.records) / messages,
        collections: after.collections - before.collections,
      })
    }
    if (waiting > 0) await system.load.ask('consume', handled(system, waiting, this.#shape.bodyBytes))
    // The others must not have it beside them.
    await system.own?.audited()
    return turns
  }
}

/** Largest batch that is sent, in bytes: a larger one would hold up those behind it. */
const batchBytesMax = 1024 * 1024
const batchMax = 100
/** Most batches and bytes that are under way at once; nats-server has at most 50 atomic batches of a stream. */
const batchWindowMax = 40
const windowBytesMax = 4 * 1024 * 1024

/** How a system sends these messages: in batches of up to `largest`, or one by one if it has no batches. */
export const inBatches = (
  { isSingle }: ShapeSystem,
  messages: number,
  bodyBytes: number,
  largest = batchMax,
): Publishing => {
  const batch = isSingle === true ? 1 : Math.max(1, Math.min(largest, Math.floor(batchBytesMax / bodyBytes)))
  if (batch === 1) return { messages, bodyBytes, batch, window }
  const most = Math.min(batchWindowMax, window / batch, windowBytesMax / batch / bodyBytes)
  return { messages, bodyBytes, batch, window: Math.floor(most) }
}

/** What nats-server has on its way to a client: it cuts off one that has more than 64 MB outstanding. */
const pullBytesMax = 16 * 1024 * 1024

/** Messages that a system's consumers handle as is best for it. */
export const handled = (
  { handling, isRaw }: ShapeSystem,
  messages: number,
  bodyBytes: number,
): { messages: number; handling?: Handling } => {
  if (isRaw === true)
    return {
      messages,
      handling: { batch: 1, handlers: Math.min(window, Math.floor(pullBytesMax / bodyBytes)) },
    }
  return handling === undefined ? { messages } : { messages, handling }
}

/** Sends what is to wait. */
export const fill = async (system: ShapeSystem, messages: number, bodyBytes: number): Promise<void> => {
  if (messages > 0) await system.load.ask('publish', inBatches(system, messages, bodyBytes))
}

/** Batches of atomic sends come out even. */
const hundred = 100

/** What a system has spent so far. */
const costOf = async ({ load, own, spent }: ShapeSystem) => ({
  records: await load.ask('records'),
  traffic: (await own?.traffic()) ?? { messages: 0, bytes: 0 },
  collections: (await own?.engine().collections()) ?? 0,
  spent: spent(),
})

const middle = (turns: readonly Turn[]): Turn & { readonly sumUs: number } => {
  const of = (each: (turn: Turn) => number): number => median(turns.map(each))
  const sum = ({ processorUs }: Turn): number => Object.values(processorUs).reduce((a, b) => a + b, 0)
  return {
    messages: of((turn) => turn.messages),
    perSecond: of((turn) => turn.perSecond),
    processorUs: Object.fromEntries(
      Object.keys(turns[0]!.processorUs).map((name) => [name, of((turn) => turn.processorUs[name]!)]),
    ),
    sumUs: of(sum),
    natsMessages: of((turn) => turn.natsMessages),
    natsBytes: of((turn) => turn.natsBytes),
    records: of((turn) => turn.records),
    collections: of((turn) => turn.collections),
  }
}
