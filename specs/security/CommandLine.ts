import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { managedStatus } from '@kiroku/nats-server'
import { temporaryFolder, type TemporaryFolder, waitUntil } from '@kiroku/testkit'

/** Where `npm test` bundled it, which no mutant reaches. */
const isBundled = process.env['KIROKU_BUNDLED_CLI'] === 'on' && process.env['KIROKU_MUTANT'] === undefined

/** The script of `kiroku`: as its package has it, where that was bundled, since it starts in half the time of the sources. */
export const launcher = isBundled
  ? path.resolve(import.meta.dirname, '../../dist/test-cli/dist/main.js')
  : fileURLToPath(import.meta.resolve('@kiroku/cli/bin'))

/** What a finished command wrote. */
interface Finished {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running program and what it has written so far. */
interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
}

/** What an engine says when it is ready. */
interface Ready {
  readonly api: string
  readonly nats: string
  /** The door for clients of Amazon SQS; absent: there is none. */
  readonly sqs?: string
  readonly pid: number
}

/** The real command line in a folder of its own. `await using` ends what it started. */
export class CommandLine implements AsyncDisposable {
  readonly #folder: TemporaryFolder
  readonly #running: Running[] = []
  /** How many files each program that is started from now on may have open; undefined: as many as this one. */
  openFilesMax: number | undefined

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder
  }

  static async open(): Promise<CommandLine> {
    return new CommandLine(await temporaryFolder())
  }

  /** Where its commands run. */
  get folder(): string {
    return this.#folder.path
  }

  /** Where an engine of `up` keeps its data. */
  get dataDir(): string {
    return path.join(this.folder, '.kiroku')
  }

  /** Starts an engine, by `up` or `serve`, and waits until it is ready. */
  async engine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Running & Ready> {
    const running = this.start([launcher, ...args, '--json', '--http', '127.0.0.1:0'], env)
    const { child } = running
    const line = new Promise<string>((resolve, reject) => {
      createInterface(child.stdout!).on('line', (said) => {
        if (said.startsWith('{"ready":true')) resolve(said)
      })
      child.once('exit', () => reject(new Error(`the engine ended: ${running.stderr()}`)))
    })
    return { ...running, ...(JSON.parse(await line) as Ready) }
  }

  /** Starts a script of Node.js and leaves it running. */
  start(script: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
    const child = this.#spawn(script, env)
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]!.setEncoding('utf8').on('data', (piece: string) => (written[name] += piece))
    const running = { child, stdout: () => written.stdout, stderr: () => written.stderr }
    this.#running.push(running)
    return running
  }

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<Finished> {
    const child = this.#spawn([launcher, ...args])
    const [stdout, stderr, [exit]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit') as Promise<[number | null]>,
    ])
    return { exit, stdout, stderr }
  }

  /** Runs a command that succeeds; returns its standard output. */
  async output(...args: readonly string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(...args)
    if (exit !== 0) throw new Error(`${args.join(' ')} ended with ${exit}: ${stderr}`)
    return stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    }
    const keeper = managedStatus(this.dataDir)?.keeperPid
    // It would wait for another engine.
    if (keeper !== undefined) process.kill(keeper, 'SIGTERM')
    await waitUntil(() => managedStatus(this.dataDir) === undefined, {
      timeoutMs: 60_000,
      what: 'the keeper is gone',
    })
    await this.#folder.remove()
  }

  #spawn(script: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const limited = ['-c', `ulimit -n ${this.openFilesMax} && exec "$@"`, 'sh', process.execPath, ...script]
    const [file, args] = this.openFilesMax === undefined ? [process.execPath, script] : ['sh', limited]
    return spawn(file, args, {
      cwd: this.folder,
      env: { ...process.env, KIROKU_NATS_PORT: '0', KIROKU_CONSOLE: 'off', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}
