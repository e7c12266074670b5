import type { Log, PartitionLog } from '@kiroku/log'

/** Holds up the appends of a log, on their way to it or on the way back. */
export class Gate {
  #held: 'none' | 'requests' | 'answers' = 'none'
  #waiting: (() => void)[] = []

  /** From now on appends do not reach the log, or their answers do not come back. */
  hold(what: 'requests' | 'answers'): void {
    this.#held = what
  }

  /** Lets everything pass, also what was held up. */
  open(): void {
    this.#held = 'none'
    for (const pass of this.#waiting.splice(0)) pass()
  }

  /** How many appends are held up now. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The log behind this gate. */
  before(log: Log): Log {
    return {
      meta: log.meta,
      keys: log.keys,
      room: () => log.room(),
      close: () => log.close(),
      partition: async (n) => this.#partition(await log.partition(n)),
      restore: (n) => log.restore(n),
    }
  }

  #partition(log: PartitionLog): PartitionLog {
    const pass = (what: 'requests' | 'answers'): Promise<void> =>
      this.#held === what ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
    return {
      partition: log.partition,
      get recordBytesMax() {
        return log.recordBytesMax
      },
      state: () => log.state(),
      fence: (records, expected) => log.fence(records, expected),
      append: async (record, expected) => {
        await pass('requests')
        const seq = await log.append(record, expected)
        await pass('answers')
        return seq
      },
      read: (from, to) => log.read(from, to),
      get: (seq, bytes) => log.get(seq, bytes),
      holes: () => log.holes(),
      trim: (upTo) => log.trim(upTo),
      onStored: (listener) => log.onStored(listener),
      checkpoints: log.checkpoints,
      close: () => log.close(),
    }
  }
}
