import {
  createClient,
  inProcess,
  type Client,
  type ClientEvent,
  type Clock,
  type Transport,
} from '@kiroku/client'
import type { Command, KirokuError, Reply } from '@kiroku/protocol'
import type { ManualTime } from '@kiroku/testkit'
import type { Engine } from './Engine.ts'

/** A request that a client sent, and when. */
export interface SentRequest {
  /** Seconds since the world began. */
  readonly at: number
  readonly commands: readonly Command[]
  /** How long it waits for the answer, in ms. */
  readonly timeoutMs: number
}

const never = new Promise<never>(() => {})

/** A client in its own process, which can freeze and die, and whose requests are recorded. */
export class ClientProcess {
  readonly client: Client
  readonly events: ClientEvent[] = []
  readonly requests: SentRequest[] = []
  /** While it is set, requests fail with it on their way. */
  fault: KirokuError | undefined
  /** While it is set, it answers receives at once, in place of the engine. */
  received: Reply | undefined
  readonly #time: ManualTime
  #thawed: Promise<void> = Promise.resolve()
  #thaw: () => void = () => {}
  #dead = false

  constructor(name: string, engine: Engine, time: ManualTime, sendTimeoutMs?: number) {
    this.#time = time
    this.client = createClient(this.#transport(inProcess(engine)), {
      name,
      clock: this.#clock(),
      onEvent: (event) => this.events.push(event),
      ...(sendTimeoutMs === undefined ? {} : { sendTimeoutMs }),
    })
  }

  /** Ends as by SIGKILL: it sends nothing more and hears nothing more. */
  crash(): void {
    this.#dead = true
  }

  /** Stops as by SIGSTOP: what comes for it waits. */
  freeze(): void {
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve))
  }

  /** Goes on, and hears what came meanwhile. */
  thaw(): void {
    this.#thaw()
  }

  /** When commands of a type were sent, in seconds; one entry a request. */
  times(type: Command['type']): number[] {
    return this.requests
      .filter(({ commands }) => commands.some((command) => command.type === type))
      .map(({ at }) => at)
  }

  #clock(): Clock {
    const run = async (callback: () => void): Promise<void> => {
      await this.#thawed
      if (!this.#dead) callback()
    }
    return {
      now: () => this.#time.now(),
      setTimeout: (callback, delayMs) => this.#time.setTimeout(() => void run(callback), delayMs),
      clearTimeout: (handle) => this.#time.clearTimeout(handle),
    }
  }

  #transport(transport: Transport): Transport {
    return {
      ...transport,
      request: async (partition, commands, options) => {
        if (this.#dead) return never
        this.requests.push({ at: this.#time.now() / 1_000, commands, timeoutMs: options.timeoutMs })
        if (this.fault !== undefined) throw this.fault
        if (this.received !== undefined && commands[0]!.type === 'Receive') return this.received
        const reply = await transport.request(partition, commands, options)
        await this.#thawed
        return this.#dead ? never : reply
      },
    }
  }
}
