import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What came of a command. */
export interface Ran {
  readonly command: string
  readonly seconds: number
  /** The exit code; null where it runs on, or was ended once it had printed what it was waited for. */
  readonly code: number | null
  readonly output: string
}

/** How a command is dealt with that does not end by itself. */
export interface Dealing {
  /** It is waited for until it prints this. */
  readonly says?: string
  /** Whether it runs on behind the next commands then; otherwise Ctrl-C ends it. */
  readonly stays?: boolean
  /** What is answered where it asks; only then it runs on a real terminal, whose width and colours change what it prints. */
  readonly types?: string
}

interface Child {
  readonly process: ChildProcess
  readonly closed: Promise<unknown>
  output: string
}

const limitSeconds = 300
const patienceMs = 2_000
let terminals = 0

/** A terminal in which one types commands: it keeps its folder and what was exported, and what runs on in it ends with it. */
export class Terminal {
  readonly #env: NodeJS.ProcessEnv
  readonly #moved = path.join(tmpdir(), `kiroku-terminal-${process.pid}-${terminals++}`)
  readonly #children = new Set<Child>()
  #folder: string
  #exports = ''

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder
    this.#env = env
  }

  get folder(): string {
    return this.#folder
  }

  /** Runs a command to its end, or until it says what is expected of it. */
  async run(command: string, { says, stays, types }: Dealing = {}): Promise<Ran> {
    const started = performance.now()
    const child = this.#start(command, types !== undefined)
    if (types !== undefined)
      void this.#says(child, '[y/N]').then(() => child.process.stdin?.end(`${types}\n`))
    const ended = child.closed.then(() => 'ended' as const)
    const said = says === undefined ? undefined : this.#says(child, says)
    const timer = setTimeout(() => this.#signal(child, 'SIGKILL'), limitSeconds * 1_000)
    const first = await Promise.race(said === undefined ? [ended] : [ended, said])
    clearTimeout(timer)
    if (first === 'said' && stays !== true) {
      this.#signal(child, 'SIGINT')
      // Some finish what they wait for first: then one presses it once more.
      const again = setTimeout(() => this.#signal(child, 'SIGINT'), patienceMs)
      await child.closed
      clearTimeout(again)
      this.#children.delete(child)
    }
    if (first === 'ended') {
      this.#children.delete(child)
      if (command.startsWith('export ')) this.#exports += `${command}\n`
      this.#follow()
    }
    return {
      command,
      seconds: (performance.now() - started) / 1_000,
      code: first === 'said' ? null : (child.process.exitCode ?? 128),
      output: child.output,
    }
  }

  /** Starts what is to run on until `interrupt`. */
  leave(command: string): void {
    this.#start(command, false)
  }

  /** Ctrl-C for everything that still runs; resolves when it has ended. */
  async interrupt(): Promise<void> {
    for (const child of this.#children) {
      this.#signal(child, 'SIGINT')
      const timer = setTimeout(() => this.#signal(child, 'SIGKILL'), 20_000)
      await child.closed
      clearTimeout(timer)
    }
    this.#children.clear()
  }

  /** Ends everything that still runs, and leaves nothing behind. */
  async close(): Promise<void> {
    await this.interrupt()
    rmSync(this.#moved, { force: true })
  }

  /** Ends everything at once, where there is no time to let it drain. */
  kill(): void {
    for (const child of this.#children) this.#signal(child, 'SIGKILL')
    rmSync(this.#moved, { force: true })
  }

  #start(command: string, asks: boolean): Child {
    // The last line keeps the folder that a `cd` went to; it must not hide how the command ended.
    const script = `${this.#exports}${command}\ncode=$?; pwd > '${this.#moved}'; exit $code`
    const [program, args] = asks
      ? (['script', ['-qec', script, '/dev/null']] as const)
      : (['bash', ['-c', script]] as const)
    const process = spawn(program, args, {
      cwd: this.#folder,
      env: { ...this.#env, SHELL: '/bin/bash' },
      stdio: [asks ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const child: Child = { process, closed: once(process, 'close'), output: '' }
    for (const stream of [process.stdout, process.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (child.output += text))
    this.#children.add(child)
    return child
  }

  #says(child: Child, text: string): Promise<'said'> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (child.output.includes(text)) resolve('said')
      }
      child.process.stdout?.on('data', look)
      child.process.stderr?.on('data', look)
    })
  }

  #follow(): void {
    try {
      this.#folder = readFileSync(this.#moved, 'utf8').trim()
    } catch {
      // The command replaced its shell, or was killed: it moved nowhere.
    }
  }

  #signal({ process: { pid } }: Child, signal: NodeJS.Signals): void {
    try {
      if (pid !== undefined) process.kill(-pid, signal)
    } catch {
      // It is gone already.
    }
  }
}
