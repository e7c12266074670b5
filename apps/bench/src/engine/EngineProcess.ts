import { fork, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ownRoot, profileArguments } from '../LoadProcess.ts'
import { engineEnv, engineFlags, launcherOf } from '../engineFlags.ts'
import type { Stall } from './StallWatch.ts'

const probe = new URL('./stallProbe.ts', import.meta.url).href

/** Ends an engine whose benchmark is gone. It comes after the probe, whose listener would keep the process alive. */
const leash = `data:text/javascript,${encodeURIComponent(
  `process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel?.unref()`,
)}`

/** What it says, a line each: that it is ready, and that its console is built. */
interface Said {
  readonly ready?: true
  readonly api?: string
  readonly console?: string
  readonly sqs?: string
}

/** `kiroku serve` in its own process, with a probe that can watch it for stalls. */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #api = ''
  #sqs = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()))
  }

  /** Starts an engine and waits until it is ready. */
  static async start(options: {
    readonly nats: string
    readonly partitions: number
    readonly dataDir: string
    readonly profile?: string | undefined
    /** Root of another checkout, whose engine it is; default: this one. */
    readonly root?: string | undefined
    /** The script that starts an installed one, which is not watched; default: that of its checkout's sources. */
    readonly launcher?: string | undefined
    /** Whether its auditor runs; default: it does not. */
    readonly isAudited?: boolean
    /** Whether it has its console, of the sources as they are; default: it has none. */
    readonly hasConsole?: boolean
    /** Most bytes of record; default: the engine's own. */
    readonly recordBytes?: number
    /** Bearer tokens of its API; default: it has none. */
    readonly tokens?: string
    /** Whether it has a door for Amazon SQS, and the file of its keys, if it has any; default: it has none. */
    readonly sqs?: { readonly keysFile?: string }
    /** Further settings. */
    readonly env?: Readonly<Record<string, string>>
  }): Promise<EngineProcess> {
    const {
      nats,
      partitions,
      dataDir,
      profile,
      root = ownRoot,
      launcher,
      isAudited = false,
      hasConsole = false,
      recordBytes,
      tokens = '',
      sqs,
      env = {},
    } = options
    const args = ['serve', '--json', '--log-level', 'warn', '--nats', nats]
    if (recordBytes !== undefined) args.push('--record-bytes', String(recordBytes))
    if (sqs !== undefined) args.push('--sqs', '127.0.0.1:0')
    if (sqs?.keysFile !== undefined) args.push('--sqs-keys-file', sqs.keysFile)
    const child = fork(
      launcher ?? launcherOf(root),
      [...args, '--partitions', String(partitions), '--data-dir', dataDir, '--http', '127.0.0.1:0'],
      {
        // The launcher would have to give up our channel for them.
        execArgv: [
          ...engineFlags(root),
          // To read the probe's TypeScript, Node would take 0.2 s of the start of an installed engine.
          ...(launcher === undefined ? ['--import', probe] : []),
          '--import',
          leash,
          ...profileArguments(profile, 'engine'),
        ],
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        // Another checkout may not know it as a flag.
        env: {
          ...engineEnv(root),
          ...process.env,
          KIROKU_AUDIT: isAudited ? 'on' : 'off',
          KIROKU_CONSOLE: hasConsole ? 'on' : 'off',
          KIROKU_TOKENS: tokens,
          ...env,
        },
      },
    )
    const engine = new EngineProcess(child)
    const ready = new Promise<void>((resolve) => {
      createInterface(child.stdout!).on('line', (line) => {
        const said = JSON.parse(line) as Said
        if (said.ready === true) {
          engine.#api = said.api ?? ''
          engine.#sqs = said.sqs ?? ''
        }
        if (hasConsole ? said.console !== undefined : said.ready === true) resolve()
      })
    })
    const ended = engine.#exited.then(() => Promise.reject(new Error('the engine ended before it was ready')))
    await Promise.race([ready, ended])
    ended.catch(() => {})
    return engine
  }

  /** Where its HTTP API is. */
  get api(): string {
    return this.#api
  }

  /** Where its door for Amazon SQS is. */
  get sqs(): string {
    return this.#sqs
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** From now on the engine's thread is watched for stalls, which costs it 4 % of a core. */
  watchStalls(): void {
    this.#child.send('begin')
  }

  /** How long the engine's thread did not come to its events since it has been watched. */
  stall(): Promise<Stall> {
    return new Promise((resolve) => {
      this.#child.once('message', resolve)
      this.#child.send('read')
    })
  }

  /** Full collections of the engine's thread since this was first asked. */
  collections(): Promise<number> {
    return new Promise((resolve) => {
      this.#child.once('message', resolve)
      this.#child.send('collections')
    })
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#exited
  }

  /** Ends it without a word; whatever it started ends by itself. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}
