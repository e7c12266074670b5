import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(import.meta.resolve('@kiroku/cli/bin'))

/** What `kiroku up --json` says when it is ready. */
export interface Ready {
  readonly nats: string
  readonly api: string
  readonly pid: number
}

/** Runs `kiroku` in `folder`; the child's output goes to the caller. */
export const kiroku = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Runs a command to its end and reads the last line of its `--json` output. Errors: what it said, when it failed. */
export const kirokuJson = async <T>(folder: string, args: readonly string[]): Promise<T> => {
  const child = kiroku(folder, [...args, '--json'])
  let out = ''
  let err = ''
  child.stdout!.on('data', (data) => (out += String(data)))
  child.stderr!.on('data', (data) => (err += String(data)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`kiroku ${args.join(' ')} ended with ${String(code)}: ${err.trim()}`)
  return JSON.parse(out.trim().split('\n').at(-1)!) as T
}

/** An engine of its own process that can be killed and started again. */
export class Engine {
  readonly #folder: string
  #child: ChildProcess | undefined
  #ready: Ready | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Starts `kiroku up` and waits until it is ready. */
  async start(): Promise<Ready> {
    const child = kiroku(this.#folder, ['up', '--json', '--log-level', 'warn'])
    this.#child = child
    let err = ''
    child.stderr!.on('data', (data) => (err += String(data)))
    for await (const line of createInterface({ input: child.stdout! })) {
      this.#ready = JSON.parse(line) as Ready
      return this.#ready
    }
    throw new Error(`kiroku up ended before it was ready: ${err.trim()}`)
  }

  /** Kills the engine's process as a crash would. nats-server, a process of its own, goes on. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child!.once('exit', resolve))
    process.kill(this.#ready!.pid, 'SIGKILL')
    await ended
  }

  /** Lets the engine drain and stop. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    process.kill(this.#ready?.pid ?? child.pid!, 'SIGTERM')
    await ended
  }
}
