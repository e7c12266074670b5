import type { ActorState } from '@kiroku/engine'
import type { MessageAddress, QueueCounts, Reply } from '@kiroku/protocol'
import type { Coverage } from '../core/Coverage.ts'
import type { History } from '../core/History.ts'
import type { Party } from '../core/Party.ts'
import type { Exchange } from '../world/Exchange.ts'
import type { Move } from '../world/Move.ts'
import type { Stored } from '../world/Stored.ts'
import type { Truth, TruthListener } from '../world/Truth.ts'
import { momentsOf, settingsChanged } from '../world/momentsOf.ts'
import type { Checker } from './Checker.ts'

/** Tells all checkers what happens. */
export class Judges implements TruthListener {
  #checkers: readonly Checker[] = []
  readonly #coverage: Coverage
  readonly #history: History
  readonly #truth: () => Truth
  readonly #failed: (error: Error) => void

  constructor(coverage: Coverage, history: History, truth: () => Truth, failed: (error: Error) => void) {
    this.#history = history
    this.#truth = truth
    this.#coverage = coverage
    this.#failed = failed
  }

  /** Says which checkers they are: once, before anything happens. */
  appoint(checkers: readonly Checker[]): void {
    this.#checkers = checkers
  }

  storing(frame: Stored): void {
    this.#history.note(() => describeFrame(frame))
    this.#count(frame)
    this.#each((c) => c.storing?.(frame))
  }
  moving(move: Move): void {
    this.#each((c) => c.moving?.(move))
  }
  stored(frame: Stored): void {
    for (const { type } of frame.record.events) this.#coverage.add('event', type)
    this.#each((c) => c.stored?.(frame))
  }
  givenUp(partition: number, from: number, upTo: number): void {
    this.#each((c) => c.givenUp?.(partition, from, upTo))
  }
  turned(partition: number, node: string, state: ActorState, reason: string): void {
    this.#each((c) => c.turned?.(partition, node, state, reason))
  }
  fetched(partition: number, seq: number, node: string): void {
    this.#each((c) => c.fetched?.(partition, seq, node))
  }
  trimming(partition: number, upTo: number, node: string): void {
    this.#each((c) => c.trimming?.(partition, upTo, node))
  }
  arrived(exchange: Exchange): void {
    this.#each((c) => c.arrived?.(exchange))
  }
  left(exchange: Exchange, reply: Reply): void {
    // It may rest on what was lost or given up since.
    if (reply.epoch <= this.#truth().repairedEpochs[exchange.partition]!) return
    this.#each((c) => c.left?.(exchange, reply))
  }
  heard(exchange: Exchange, reply: Reply): void {
    this.#each((c) => c.heard?.(exchange, reply))
  }
  promised(label: string, place: MessageAddress): void {
    this.#each((c) => c.promised?.(label, place))
  }
  read(reader: Party, partition: number, queue: number, counts: QueueCounts): void {
    this.#each((c) => c.read?.(reader, partition, queue, counts))
  }

  /** Counts what a frame brings, by what is known ahead of it. */
  #count(frame: Stored): void {
    const ledger = this.#truth().ledgers[frame.partition]!
    for (const moment of momentsOf(frame, ledger.at, ledger.isDisputed)) this.#coverage.add('moment', moment)
    for (const e of frame.record.events) {
      const queue = e.type === 'QueueConfigured' ? ledger.queues.get(e.queue) : undefined
      if (e.type === 'QueueConfigured' && queue !== undefined)
        for (const name of settingsChanged(queue, e.config)) this.#coverage.add('setting', name)
    }
  }

  async ended(): Promise<void> {
    for (const checker of this.#checkers) {
      if (checker.ended === undefined) continue
      await checker.ended()
      this.#coverage.add('check', checker.name)
    }
  }

  /** What a checker throws must not disturb what is checked. */
  #each(tell: (checker: Checker) => void): void {
    for (const checker of this.#checkers)
      try {
        tell(checker)
      } catch (error) {
        this.#failed(error as Error)
      }
  }
}

const describeFrame = ({ partition, seq, node, record }: Stored): string => {
  const events = record.events.map((e) =>
    JSON.stringify(e, (key, value: unknown) => {
      if (key === 'config' || key === 'by' || key === 'digest' || key === 'stateHash') return undefined
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
    }),
  )
  return `partition ${partition} holds ${seq} of ${node}, epoch ${record.epoch}: ${events.join(' ')}`
}
