import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { freePort, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'

const launcher = fileURLToPath(import.meta.resolve('@kiroku/cli/bin'))

/** What it says, a line each: where it is, and that its console is built. */
interface Said {
  readonly nats?: string
  readonly console?: string
}

/** `kiroku up` in its own process and folder, as a user starts it. It keeps its address across restarts. */
export class EngineWithConsole {
  readonly #folder: TemporaryFolder
  readonly #http: string
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #client: Client | undefined
  #nats: string | undefined

  private constructor(folder: TemporaryFolder, http: string, args: readonly string[]) {
    this.#folder = folder
    this.#http = http
    this.#args = ['up', '--json', '--log-level', 'warn', '--http', http, ...args]
  }

  /** Starts an engine and waits until its console can be opened. `args` go to `kiroku up`. */
  static async start(args: readonly string[] = []): Promise<EngineWithConsole> {
    const ports = [await freePort(), await freePort()] as const
    const engine = new EngineWithConsole(await temporaryFolder(), `127.0.0.1:${ports[0]}`, [
      '--nats-port',
      String(ports[1]),
      ...args,
    ])
    try {
      await engine.start()
    } catch (error) {
      engine.#child?.kill('SIGKILL')
      throw error
    }
    return engine
  }

  /** Where the console is. */
  get url(): string {
    return `http://${this.#http}`
  }

  /** Where its NATS is. */
  get nats(): string {
    if (this.#nats === undefined) throw new Error('the engine is not started')
    return this.#nats
  }

  /** A client of the engine. */
  get client(): Client {
    if (this.#client === undefined) throw new Error('the engine is not started')
    return this.#client
  }

  /** Starts it, the first time or again. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [launcher, ...this.#args], {
      cwd: this.#folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let said = ''
    child.stderr.on('data', (data) => (said += String(data)))
    let ready: Said = {}
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => (ready = { ...ready, ...(JSON.parse(line) as Said) }))
    // What was built before of other sources is served until then.
    await waitUntil(() => ready.console !== undefined || child.exitCode !== null, {
      timeoutMs: 110_000,
      what: 'the console is built and served',
    })
    lines.close()
    if (ready.nats === undefined) throw new Error(`kiroku up ended before it was ready: ${said}`)
    this.#nats = ready.nats
    this.#client ??= await connect({ servers: ready.nats, name: 'console specs' })
  }

  /** Ends the engine as a crash would; the nats-server is a separate process and continues for a while. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Ends everything, and leaves nothing behind. */
  async stop(): Promise<void> {
    await this.#client?.close()
    if (this.#child?.exitCode !== null || this.#child.signalCode !== null) await this.start()
    await this.#end('SIGTERM')
    await this.#folder.remove()
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child!
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}
