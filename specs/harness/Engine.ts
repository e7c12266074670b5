import type { InProcessNode } from '@kiroku/client'
import type { Node, PartitionActor } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { type Command, KirokuError, type Reply } from '@kiroku/protocol'
import { EngineProcess, type ProcessOptions } from './EngineProcess.ts'

/** An engine over one log that outlives its processes: clients stay connected to it through restarts. */
export class Engine implements InProcessNode {
  readonly log: Log
  readonly #options: Omit<ProcessOptions, 'name'>
  readonly #listeners = new Set<(partition: number, epoch: number) => void>()
  #process: EngineProcess | undefined
  #started = 0
  #answersToLose = 0

  constructor(options: Omit<ProcessOptions, 'name'>) {
    this.log = options.log
    this.#options = options
  }

  /** Starts a process, and announces it to clients. */
  async start(): Promise<void> {
    const process = await EngineProcess.start({ name: `node-${++this.#started}`, ...this.#options })
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

  /** What the process that runs now owns, from its memory. */
  async describe(): ReturnType<Node['describe']> {
    return (await this.#process?.node.describe()) ?? { partitions: [], queues: [] }
  }

  directory() {
    const { name, incarnation, partitions } = this.log.meta
    return { log: name, incarnation, partitions }
  }

  /** Lets the next answers get lost on their way: the request took effect, and its client hears `Timeout`. */
  loseAnswers(count: number): void {
    this.#answersToLose = count
  }

  async request(partition: number, commands: readonly Command[]): Promise<Reply> {
    const process = this.#process
    if (process === undefined) throw new KirokuError('Unavailable', `partition ${partition} has no owner now`)
    const reply = await process.request(partition, commands)
    if (this.#answersToLose === 0) return reply
    this.#answersToLose--
    throw new KirokuError('Timeout', 'the answer was lost on its way')
  }

  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
