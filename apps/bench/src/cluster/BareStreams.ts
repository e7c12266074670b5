import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '@kiroku/nats'
import { jetstream, jetstreamManager, type JetStreamClient, StorageType } from '@nats-io/jetstream'

type Connection = Awaited<ReturnType<typeof connect>>

/** Streams with a leader on each of three servers, most likely. */
const streams = 6
const everyMs = 25
/** How long a publish may take before the next one is tried. */
const answerMsMax = 500

/**
 * What a program without Kiroku feels of what happens to NATS: publishes to streams of three replicas, one after the other per
 * stream and each until it is stored, and the longest time that a stream stored nothing.
 */
export class BareStreams implements AsyncDisposable {
  readonly #nats: Connection
  readonly #js: JetStreamClient
  #longestMs = 0
  #isOver = false
  readonly #publishing: Promise<void>[] = []

  private constructor(nats: Connection) {
    this.#nats = nats
    this.#js = jetstream(nats, { timeout: answerMsMax })
  }

  /** @param servers addresses with commas */
  static async start(servers: string): Promise<BareStreams> {
    const bare = new BareStreams(await connect({ servers: servers.split(',') }))
    const manager = await jetstreamManager(bare.#nats)
    for (let n = 0; n < streams; n++) {
      await manager.streams.add({
        name: `bare${n}`,
        subjects: [`bare.${n}`],
        num_replicas: 3,
        storage: StorageType.File,
      })
      bare.#publishing.push(bare.#publish(`bare.${n}`))
    }
    return bare
  }

  /** The longest time without a success of any stream since the last call, in ms. */
  take(): number {
    const longestMs = this.#longestMs
    this.#longestMs = 0
    return longestMs
  }

  async #publish(subject: string): Promise<void> {
    for (let storedMs = performance.now(); !this.#isOver; await pause(everyMs))
      try {
        await this.#js.publish(subject, 'bare')
        const nowMs = performance.now()
        this.#longestMs = Math.max(this.#longestMs, nowMs - storedMs)
        storedMs = nowMs
      } catch {
        // No leader, no answer or no connection: the pause grows until one is stored.
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#nats.close()
    await Promise.all(this.#publishing)
  }
}
