import type { InProcessNode } from '@kiroku/client'
import type { PartitionActor, Time } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import type { Command, Reply } from '@kiroku/partition'
import { EngineProcess } from './EngineProcess.ts'

/** An engine over one log that outlives its processes: clients stay connected to it through restarts. */
export class Engine implements InProcessNode {
  readonly log: Log
  readonly #time: Time
  readonly #listeners = new Set<(partition: number, epoch: number) => void>()
  #process: EngineProcess | undefined
  #started = 0

  constructor(log: Log, time: Time) {
    this.log = log
    this.#time = time
  }

  /** Starts a process, and tells clients of it. */
  async start(): Promise<void> {
    const process = await EngineProcess.start(`node-${++this.#started}`, this.log, this.#time)
    this.#process = process
    for (const [partition, { epoch }] of process.node.actors)
      for (const listener of [...this.#listeners]) listener(partition, epoch)
  }

  /** Ends the process in the given way; there is none then. */
  async stop(how: 'drain' | 'crash'): Promise<void> {
    const process = this.#process
    this.#process = undefined
    if (how === 'crash') process?.crash()
    else await process?.drain()
  }

  /** The actor of a partition in the process that runs now. */
  actor(partition: number): PartitionActor {
    const actor = this.#process?.node.actors.get(partition)
    if (actor === undefined) throw new Error(`No process runs partition ${partition}`)
    return actor
  }

  directory() {
    const { name, incarnation, partitions } = this.log.meta
    return { log: name, incarnation, partitions }
  }

  request(partition: number, commands: readonly Command[]): Promise<Reply> {
    return (
      this.#process?.request(partition, commands) ??
      Promise.reject(new KirokuError('Unavailable', `nobody owns partition ${partition} now`))
    )
  }

  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
