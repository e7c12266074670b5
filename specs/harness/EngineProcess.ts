import { Node, type NodeOptions, type Time } from '@kiroku/engine'
import type { KeyStore, Log, PartitionLog } from '@kiroku/log'
import type { Command, Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'

/** What a process needs of a node's options. */
export type ProcessOptions = Pick<NodeOptions, 'name' | 'log' | 'checkpoints' | 'tailNotes'> & {
  readonly time: Time
}

const never = new Promise<never>(() => {})

/** A real engine node as one process would run it: it can hand over, and it can die between two instructions. */
export class EngineProcess {
  readonly node: Node
  readonly #scope = Effect.runSync(Scope.make())
  #dead = false

  private constructor(options: ProcessOptions) {
    const { log, time } = options
    this.node = new Node({ ...options, log: this.#mortalLog(log), time: this.#mortalTime(time) })
  }

  /** Starts a node that owns every partition of the log; resolves when it serves. */
  static async start(options: ProcessOptions): Promise<EngineProcess> {
    const process = new EngineProcess(options)
    const { partitions } = options.log.meta
    for (let n = 0; n < partitions; n++)
      Effect.runFork(process.node.run(n).pipe(Scope.provide(process.#scope)))
    await waitUntil(() => {
      const lives = [...process.node.actors.values()].map((actor) => actor.life)
      return lives.length === partitions && lives.every((life) => life === 'Active' || life === 'Quarantined')
    })
    return process
  }

  /** As a client in another process sees it: a dead engine never answers. */
  async request(partition: number, commands: readonly Command[]): Promise<Reply> {
    return this.#whileAlive(this.node.request(partition, commands))
  }

  /** Hands its partitions over and ends. */
  drain(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }

  /**
   * Ends as by SIGKILL: what it sent to the log may still land, but nothing of it is heard of again.
   */
  crash(): void {
    this.#dead = true
  }

  async #whileAlive<A>(outcome: Promise<A>): Promise<A> {
    try {
      const value = await outcome
      return this.#dead ? await never : value
    } catch (error) {
      if (this.#dead) return never
      throw error
    }
  }

  #mortalTime(time: Time): Time {
    return {
      monotonicMs: () => time.monotonicMs(),
      wallMs: () => time.wallMs(),
      after: (afterMs, run) => time.after(afterMs, () => void (this.#dead || run())),
    }
  }

  #mortalLog(log: Log): Log {
    return {
      meta: log.meta,
      keys: this.#mortalKeys(log.keys),
      partition: async (n) => this.#mortalPartition(await log.partition(n)),
      restore: (n) => log.restore(n),
      room: () => (this.#dead ? never : this.#whileAlive(log.room())),
      close: () => log.close(),
    }
  }

  #mortalKeys(keys: KeyStore): KeyStore {
    const io = <A>(act: () => Promise<A>): Promise<A> => (this.#dead ? never : this.#whileAlive(act()))
    return {
      keptMs: keys.keptMs,
      get: (name) => io(() => keys.get(name)),
      put: (name, value, revision) => io(() => keys.put(name, value, revision)),
      scrub: (name) => io(() => keys.scrub(name)),
    }
  }

  #mortalPartition(log: PartitionLog): PartitionLog {
    const io = <A>(act: () => Promise<A>): Promise<A> => (this.#dead ? never : this.#whileAlive(act()))
    const { checkpoints } = log
    return {
      partition: log.partition,
      get recordBytesMax() {
        return log.recordBytesMax
      },
      state: () => io(() => log.state()),
      fence: (records, expected) => io(() => log.fence(records, expected)),
      append: (record, expected) => io(() => log.append(record, expected)),
      read: (from, to) => log.read(from, to),
      get: (seq, bytes) => io(() => log.get(seq, bytes)),
      holes: () => io(() => log.holes()),
      trim: (upTo) => io(() => log.trim(upTo)),
      onStored: (listener) => log.onStored((lastSeq) => this.#dead || listener(lastSeq)),
      checkpoints: {
        list: () => io(() => checkpoints.list()),
        get: (seq) => io(() => checkpoints.get(seq)),
        size: (seq) => io(() => checkpoints.size(seq)),
        put: (seq, bytes) => io(() => checkpoints.put(seq, bytes)),
        delete: (seq) => io(() => checkpoints.delete(seq)),
      },
      close: () => log.close(),
    }
  }
}
