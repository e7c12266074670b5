import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorRegistry } from '@kiroku/protocol'

const present = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))

/** Pause before a process that found no NATS is started again, as a service manager would, in ms. */
const restartMs = 200

/** What a process runs, and as which machine. */
export interface Release {
  /** Of another release; default: the present one. */
  readonly executable?: string
  /**
   * The name of a machine of its own: in a pid and host-name namespace, where other nodes see its death by its silence
   * alone. Needs root. Absent: this machine.
   */
  readonly host?: string
}

/** How a node is run. */
interface EngineProcessOptions extends Release {
  readonly name: string
  /** Addresses of NATS, separated by commas. */
  readonly url: string
  /** Where its data and its log lie. */
  readonly folder: string
  readonly partitions: number
  /** What it runs in place of `serve`, by the words of the command line. */
  readonly command?: readonly string[]
  /** Of that command, in addition. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A node as users run it, `kiroku serve`, that can be killed and started again. */
export class EngineProcess {
  readonly name: string
  /** What the next start runs. */
  release: Release
  /** Told when the process ends by itself; what it says is in its log. */
  onCrash: (text: string) => void = () => {}
  readonly #args: readonly string[]
  readonly #env: Readonly<Record<string, string>>
  readonly #logFile: string
  #child: ChildProcess | undefined
  #host: string | undefined
  #restart: NodeJS.Timeout | undefined

  constructor(options: EngineProcessOptions) {
    const { name, url, folder, partitions, command, flags = [], env = {} } = options
    this.name = name
    this.release = options
    this.#env = env
    this.#logFile = join(folder, `node-${name}.log`)
    const dataDir = join(folder, `node-${name}`)
    const what = command ?? ['serve', '--partitions', String(partitions)]
    this.#args = [...what, '--nats', url, '--data-dir', dataDir, ...flags]
  }

  /** Of the running process; 0 when there is none. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Whether the owner that a partition names is this process. */
  owns({ node }: { readonly node: string }): boolean {
    if (this.#child === undefined) return false
    return this.#host === undefined ? node.endsWith(`-${this.pid}`) : node.startsWith(`${this.#host}-`)
  }

  /** Starts the process; it is ready when its partitions are. */
  start(): void {
    clearTimeout(this.#restart)
    const { executable = present, host } = this.release
    const log = openSync(this.#logFile, 'a')
    const args = [executable, ...this.#args, '--log-format', 'json', '--log-level', 'debug']
    const [file, ...all] = host === undefined ? [process.execPath, ...args] : onMachine(host, args)
    const child = spawn(file!, all, {
      stdio: ['ignore', 'ignore', log],
      env: { ...process.env, ...this.#env },
    })
    closeSync(log)
    child.on('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      if (code === errorRegistry.NatsUnreachable.exit)
        this.#restart = setTimeout(() => this.start(), restartMs)
      else this.onCrash(`node ${this.name} ended by itself (${signal ?? code}), see ${this.#logFile}`)
    })
    this.#child = child
    this.#host = host
  }

  /**
   * Sends the signal and waits for the end.
   * @param patienceMs after which the process is killed
   */
  async end(signal: 'SIGKILL' | 'SIGTERM', patienceMs?: number): Promise<void> {
    const host = this.#host
    const child = this.#forget()
    if (child === undefined) return
    const gone = once(child, 'exit')
    const [, node] = host === undefined || signal === 'SIGKILL' ? [] : descendantsOf(child.pid!)
    if (node === undefined) child.kill(host === undefined ? signal : 'SIGKILL')
    else process.kill(node, signal)
    const timer = patienceMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), patienceMs)
    await gone
    clearTimeout(timer)
  }

  /** Sends a signal that does not end the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const child = this.#child
    if (child === undefined) return
    if (this.#host === undefined) child.kill(signal)
    else for (const pid of descendantsOf(child.pid!)) process.kill(pid, signal)
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

/**
 * The command that runs Node as on a machine of its own, and whose end by SIGKILL is the end of everything there. The
 * shell stays, as the first process: that one would not hear SIGTERM before it has a handler for it.
 */
const onMachine = (host: string, args: readonly string[]): string[] => [
  ...['unshare', '--pid', '--uts', '--fork', '--mount-proc', '--kill-child'],
  ...['sh', '-c', 'hostname "$1"; shift; "$@"; exit $?', 'sh', host, process.execPath],
  ...args,
]

/** Why no process can run as on a machine of its own here, or undefined when one can. */
export const whyNoMachines = (): string | undefined => {
  const [file, ...args] = onMachine('probe', ['--version'])
  try {
    execFileSync(file!, args, { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return `namespaces need root and Linux: ${error instanceof Error ? error.message : String(error)}`
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return []
  }
}

const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
