import type { CheckpointStore, LogRecord, LogState, PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'

/** The log of a partition that the store does not have: whatever is asked of it fails, so that its actor can say why. */
export class UnreadableLog implements PartitionLog {
  readonly partition: number
  readonly recordBytesMax = 0
  readonly checkpoints: CheckpointStore
  readonly #problem: KirokuError

  constructor(partition: number, problem: KirokuError) {
    this.partition = partition
    this.#problem = new KirokuError('LogDamaged', problem.message, { cause: problem })
    const fail = (): Promise<never> => this.#fail()
    this.checkpoints = { list: fail, get: fail, size: fail, put: fail, delete: fail }
  }

  state(): Promise<LogState> {
    return this.#fail()
  }
  fence(): Promise<never> {
    return this.#fail()
  }
  append(): Promise<never> {
    return this.#fail()
  }

  async *read(): AsyncGenerator<LogRecord, void, undefined> {
    await this.#fail()
  }
  get(): Promise<never> {
    return this.#fail()
  }
  holes(): Promise<never> {
    return this.#fail()
  }
  trim(): Promise<never> {
    return this.#fail()
  }
  onStored(): () => void {
    return () => {}
  }
  close(): Promise<void> {
    return Promise.resolve()
  }

  #fail(): Promise<never> {
    return Promise.reject(this.#problem)
  }
}
