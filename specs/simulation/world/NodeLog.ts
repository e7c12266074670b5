import type {
  WriteFault,
  CheckpointStore,
  KeyStore,
  Log,
  LogMeta,
  LogRecord,
  LogState,
  PartitionLog,
  StoreRoom,
} from '@kiroku/log'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { Party } from '../core/Party.ts'
import type { Environment } from './Environment.ts'
import { KnownRoom } from './KnownRoom.ts'

/**
 * The log as one node sees it: its answers take time and may overtake each other, its writes fail by the seed's
 * odds, and once the node is dead nothing of it returns, while what was sent off may still land.
 */
export class NodeLog implements Log {
  readonly #world: Environment
  readonly #party: Party
  /** What this node knows of the store's room. */
  readonly known: KnownRoom

  constructor(world: Environment, party: Party) {
    this.#world = world
    this.#party = party
    this.known = new KnownRoom(world.loop, party)
  }

  get meta(): LogMeta {
    return this.#world.log.meta
  }

  get keys(): KeyStore {
    const { keys } = this.#world.log
    const answer = <A>(call: () => Promise<A>): Promise<A> => answered(this.#world, this.#party, call)
    return {
      keptMs: keys.keptMs,
      get: (name) => answer(() => keys.get(name)),
      put: (name, value, revision) => answer(() => this.#put(name, value, revision)),
      scrub: (name) => answer(() => keys.scrub(name)),
    }
  }

  async #put(name: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    const { chance, odds, coverage, log } = this.#world
    const stored = await log.keys.put(name, value, revision)
    if (!chance.happens(odds.keyAnswerLost)) return stored
    coverage.add('fault', 'key stored, answer lost')
    throw new KirokuError('KeysUnavailable', 'the key store did not answer')
  }

  async partition(n: number): Promise<PartitionLog> {
    return new NodePartition(this.#world, this.#party, this.known, await this.#world.log.partition(n))
  }

  restore(n: number): Promise<void> {
    return answered(this.#world, this.#party, () => this.#world.log.restore(n))
  }

  room(): Promise<StoreRoom | undefined> {
    const told = this.known.asks()
    const { log, plan } = this.#world
    const asked = plan.store === undefined ? log.room() : answered(this.#world, this.#party, () => log.room())
    return asked.then((room) => {
      told(room)
      return room
    })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** How long an answer that is delayed takes, in ms. */
const delaysMs = [2, 10, 60, 400] as const

class NodePartition implements PartitionLog {
  readonly partition: number
  readonly checkpoints: CheckpointStore
  readonly #world: Environment
  readonly #party: Party
  readonly #known: KnownRoom
  readonly #log: PartitionLog
  readonly #newsChance: Chance

  constructor(world: Environment, party: Party, known: KnownRoom, log: PartitionLog) {
    this.#world = world
    this.#party = party
    this.#known = known
    this.#log = log
    this.partition = log.partition
    this.#newsChance = world.chance.stream(`news of ${log.partition} for ${party.name}`)
    const { checkpoints } = log
    this.checkpoints = {
      list: () => this.#answer(() => checkpoints.list()),
      get: (seq) => this.#answer(() => checkpoints.get(seq)),
      size: (seq) => this.#answer(() => checkpoints.size(seq)),
      put: (seq, bytes) => {
        const put = () => checkpoints.put(seq, this.#garbled(seq, bytes))
        return this.#answer(() =>
          put().catch((error: unknown) => this.#countWant('checkpoint', 'none', error)),
        )
      },
      delete: (seq) => this.#answer(() => checkpoints.delete(seq)),
    }
  }

  /** What of it arrives in the store, now and then. */
  #garbled(seq: number, bytes: Uint8Array): Uint8Array {
    const { chance, odds, coverage, garbled } = this.#world
    if (!chance.happens(odds.checkpointGarbled)) return bytes
    garbled.add(`${this.partition} ${seq}`)
    coverage.add('fault', 'checkpoint garbled')
    const stored = Uint8Array.from(bytes)
    stored[chance.below(stored.length)]! ^= 1
    return stored
  }

  get recordBytesMax(): number {
    return this.#log.recordBytesMax
  }

  state(): Promise<LogState> {
    return this.#answer(() => this.#log.state())
  }

  fence(records: readonly Uint8Array[], expectedLastSeq: number): Promise<{ seq: number; timeMs: number }> {
    const { odds, chance } = this.#world
    const fault: WriteFault = chance.happens(odds.fenceLost)
      ? 'requestLost'
      : chance.happens(odds.fenceAnswerLost)
        ? 'answerLost'
        : chance.happens(odds.late)
          ? 'late'
          : 'none'
    this.#known.fences(this.partition)
    return this.#write('fence', fault, records, () => this.#log.fence(records, expectedLastSeq))
  }

  append(record: Uint8Array, expectedLastSeq: number): Promise<number> {
    const { odds, chance } = this.#world
    const fault: WriteFault = chance.happens(odds.appendLost)
      ? 'requestLost'
      : chance.happens(odds.answerLost)
        ? 'answerLost'
        : chance.happens(odds.late)
          ? 'late'
          : chance.happens(odds.full)
            ? 'full'
            : 'none'
    if (!this.#world.truth.isSent(record)) this.#known.sends(record.length)
    const appended = this.#write('append', fault, [record], () => this.#log.append(record, expectedLastSeq))
    return appended.catch((error: unknown) => {
      if (isKirokuError(error) && error.id === 'StorageFull') this.#known.refused(this.partition)
      throw error
    })
  }

  #write<A>(
    kind: 'append' | 'fence',
    fault: WriteFault,
    records: readonly Uint8Array[],
    call: () => Promise<A>,
  ): Promise<A> {
    const { partition } = this
    const { log, truth, coverage, history } = this.#world
    truth.sending(records, this.#party.name)
    if (kind === 'append') log.faults.onAppend(partition, fault)
    else log.faults.onFence(partition, fault)
    if (fault !== 'none') {
      coverage.add('fault', `${kind} ${names[fault]}`)
      history.note(() => `${kind} of ${records.length} records to partition ${partition}: ${names[fault]}`)
    }
    if (fault === 'late') this.#world.landLater(partition)
    return this.#answer(() => call().catch((error: unknown) => this.#countWant(kind, fault, error)))
  }

  /** Counts what the store itself had no room for. */
  #countWant(kind: 'append' | 'fence' | 'checkpoint', fault: WriteFault, error: unknown): never {
    const { plan, coverage } = this.#world
    const isWant = isKirokuError(error) && error.id === 'StorageFull' && fault !== 'full'
    if (isWant && plan.store !== undefined) coverage.add('fault', `${kind} into a full store`)
    throw error
  }

  async *read(fromSeq: number, toSeq?: number): AsyncIterable<LogRecord> {
    const records: AsyncIterator<LogRecord> = this.#log.read(fromSeq, toSeq)[Symbol.asyncIterator]()
    const { chance } = this.#world
    // Records come in bursts: something else may happen between two of them.
    for (let left = 0; ; left--) {
      const next = left > 0 ? await records.next() : await this.#answer(() => records.next())
      if (left <= 0) left = chance.pick([1, 8, 64])
      if (next.done === true) return
      this.#world.judges.fetched(this.partition, next.value.seq, this.#party.name)
      yield next.value
    }
  }

  get(seq: number): Promise<LogRecord | undefined> {
    return this.#answer(() => this.#log.get(seq))
  }

  holes(): Promise<number[]> {
    return this.#answer(() => this.#log.holes())
  }

  trim(upTo: number): Promise<void> {
    this.#world.judges.trimming(this.partition, upTo, this.#party.name)
    return this.#answer(() => this.#log.trim(upTo))
  }

  /** Some of what is told never arrives. */
  onStored(listener: (lastSeq: number) => void): () => void {
    const { loop } = this.#world
    return this.#log.onStored((lastSeq) => {
      if (!this.#newsChance.happens(0.3)) loop.after(this.#party.lagMs, () => listener(lastSeq), this.#party)
    })
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  #answer<A>(call: () => Promise<A>): Promise<A> {
    return answered(this.#world, this.#party, call)
  }
}

/** The outcome of a call when it has come back to the node. */
const answered = <A>(
  { loop, odds, chance, coverage }: Environment,
  party: Party,
  call: () => Promise<A>,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const back = (run: () => void): void => {
      let ms = party.lagMs + chance.pick([0, 0, 0, 1])
      if (chance.happens(odds.answerDelayed)) {
        ms = chance.pick(delaysMs)
        coverage.add('fault', 'log answer delayed')
      }
      loop.after(ms, run, party)
    }
    call().then(
      (value) => back(() => resolve(value)),
      (error: Error) => back(() => reject(error)),
    )
  })

const names: Readonly<Record<WriteFault, string>> = {
  none: '',
  requestLost: 'lost',
  answerLost: 'answer lost',
  late: 'late',
  displaced: 'displaced',
  full: 'without room',
}
