import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AcknowledgedSend, ConfirmedAck, History, SeenDelivery, SendAnswer } from './History.ts'
import type { TrafficMessage, TrafficOrder } from './Messages.ts'
import { Pauses } from './Pauses.ts'
import { partitions } from './queues.ts'

/** Whether the producer and the consumer reach the nodes directly, by the seed: both, or one beside the other over NATS. */
const ways = [
  ['on', 'on'],
  ['on', 'off'],
  ['off', 'on'],
] as const

/** The producer's and the consumer's process, and everything they saw. */
export class Traffic {
  /** Acknowledged sends so far. */
  acknowledged = 0
  readonly failures: string[] = []
  readonly slow: SendAnswer[] = []
  readonly pauses = new Pauses(partitions)
  #history: { acknowledged: AcknowledgedSend[]; deliveries: SeenDelivery[]; acks: ConfirmedAck[] } = empty()
  readonly #producer: ChildProcess
  readonly #consumer: ChildProcess
  readonly #stopped = new Set<ChildProcess>()

  private constructor(urls: readonly string[], seed: number) {
    const url = urls.join(',')
    const [producerLink, consumerLink] = ways[seed % ways.length]!
    this.#producer = this.#start('producer.ts', [url, String(seed), producerLink])
    this.#consumer = this.#start('consumer.ts', [url, consumerLink])
  }

  /** Starts both and waits until they are connected. */
  static async start(urls: readonly string[], seed: number): Promise<Traffic> {
    const traffic = new Traffic(urls, seed)
    await Promise.all([traffic.#producer, traffic.#consumer].map((child) => once(child, 'message')))
    return traffic
  }

  /** Pause of each sending loop between its sends, in ms. */
  pace(pauseMs: number): void {
    order(this.#producer, { type: 'pace', pauseMs })
  }

  /** What was seen since the last call. */
  takeHistory(): History {
    const history = this.#history
    this.#history = empty()
    return history
  }

  /** Sends nothing more; resolves when every send has its answer. */
  stopProducer(): Promise<void> {
    return this.#stop(this.#producer)
  }

  /** Has the consumer bring everything to its end. */
  drain(): void {
    order(this.#consumer, { type: 'drain' })
  }

  /** Finishes what is in hand and stops. */
  stopConsumer(): Promise<void> {
    return this.#stop(this.#consumer)
  }

  /** Ends both processes, whatever they do. */
  kill(): void {
    this.#producer.kill('SIGKILL')
    this.#consumer.kill('SIGKILL')
  }

  async #stop(child: ChildProcess): Promise<void> {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined
    order(child, { type: 'stop' })
    await gone
    if (!this.#stopped.has(child)) this.failures.push('a traffic process ended before it was done')
  }

  #start(file: string, args: readonly string[]): ChildProcess {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child.on('message', (message: TrafficMessage) => {
      if (message.type === 'stopped') this.#stopped.add(child)
      else if (message.type === 'seen') this.#saw(message)
    })
    child.on('exit', (code, signal) => {
      if (!this.#stopped.has(child)) this.failures.push(`${file} ended (${signal ?? code})`)
    })
    return child
  }

  #saw(seen: TrafficMessage & { readonly type: 'seen' }): void {
    this.acknowledged += seen.acknowledged.length
    const nowMs = performance.now()
    for (const { partition } of seen.acknowledged) this.pauses.acknowledged(partition, nowMs)
    this.#history.acknowledged.push(...seen.acknowledged)
    this.#history.deliveries.push(...seen.deliveries)
    this.#history.acks.push(...seen.acks)
    this.slow.push(...seen.slow)
    this.failures.push(...seen.failures)
  }
}

const empty = () => ({ acknowledged: [], deliveries: [], acks: [] })

const order = (child: ChildProcess, message: TrafficOrder): void => {
  if (child.connected) child.send(message)
}
