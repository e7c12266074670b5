import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorRegistry } from '@kiroku/protocol'

const present = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))

/** Pause before a process that found no NATS is started again, as a service manager would, in ms. */
const restartMs = 200

/** A node as users run it, `kiroku serve`, that can be killed and started again. */
export class EngineProcess {
  readonly name: string
  /** Told when the process ends by itself; what it says is in its log. */
  onCrash: (text: string) => void = () => {}
  readonly #args: readonly string[]
  readonly #executable: string
  readonly #logFile: string
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined

  /**
   * @param folder where its data and its log lie
   * @param executable of another release; default: the present one
   * @param flags of `kiroku serve`, in addition
   */
  constructor(
    name: string,
    url: string,
    folder: string,
    partitions: number,
    executable = present,
    flags: readonly string[] = [],
  ) {
    this.name = name
    this.#executable = executable
    this.#logFile = join(folder, `node-${name}.log`)
    const dataDir = join(folder, `node-${name}`)
    this.#args = ['serve', '--nats', url, '--data-dir', dataDir, '--partitions', String(partitions), ...flags]
  }

  /** Of the running process; 0 when there is none. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts the process; it is ready when its partitions are. */
  start(): void {
    const log = openSync(this.#logFile, 'a')
    const args = [this.#executable, ...this.#args, '--log-format', 'json', '--log-level', 'debug']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', log] })
    closeSync(log)
    child.on('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      if (code === errorRegistry.NatsUnreachable.exit)
        this.#restart = setTimeout(() => this.start(), restartMs)
      else this.onCrash(`node ${this.name} ended by itself (${signal ?? code}), see ${this.#logFile}`)
    })
    this.#child = child
  }

  /** Sends the signal and waits for the end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#forget()
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  /** Sends a signal that does not end the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  /** Ends the process, whatever it does. */
  kill(): void {
    this.#forget()?.kill('SIGKILL')
  }

  #forget(): ChildProcess | undefined {
    clearTimeout(this.#restart)
    const child = this.#child
    this.#child = undefined
    return child
  }
}
