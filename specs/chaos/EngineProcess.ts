import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const executable = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))

/** A node as users run it, `kiroku serve`, that can be killed and started again. */
export class EngineProcess {
  readonly name: string
  readonly #args: readonly string[]
  readonly #logFile: string
  #child: ChildProcess | undefined

  /**
   * @param folder where its data and its log lie
   */
  constructor(name: string, url: string, folder: string, partitions: number) {
    this.name = name
    this.#logFile = join(folder, `node-${name}.log`)
    const dataDir = join(folder, `node-${name}`)
    this.#args = ['serve', '--nats', url, '--data-dir', dataDir, '--partitions', String(partitions)]
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts the process; it is ready when its partitions are. */
  start(): void {
    const log = openSync(this.#logFile, 'a')
    const args = [executable, ...this.#args, '--log-format', 'json', '--log-level', 'debug']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', log] })
    closeSync(log)
    this.#child = child
  }

  /** Sends the signal and waits for the end. Errors: an `Error` when the process had ended by itself. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(
        `node ${this.name} ended by itself (${child.signalCode ?? child.exitCode}), see ${this.#logFile}`,
      )
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  /** Ends the process, whatever it does. */
  kill(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}
