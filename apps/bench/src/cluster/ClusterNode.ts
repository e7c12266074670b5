import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processorMs } from '../console/processorTime.ts'
import { ownRoot } from '../LoadProcess.ts'
import { engineFlags } from '../engineFlags.ts'

/** What a node runs on. */
interface NodeSetup {
  readonly nats: string
  /** Where its data and its log lie. */
  readonly folder: string
  readonly partitions: number
  /** Of the log; default: 1. */
  readonly replicas?: number
  /** More flags of `kiroku serve`. */
  readonly flags?: readonly string[]
}

/** The executable as its package has it. */
const bundled = join(ownRoot, 'dist/test-cli/dist/main.js')

/** Bundles the executable of the nodes, which starts in half the processor time of the sources. */
export const bundleNodes = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(ownRoot, 'tools/bundleCli.ts')])
}

/**
 * `kiroku serve` in a pid and host-name namespace of its own: as on another machine, the other nodes see its death by its
 * silence alone.
 */
export class ClusterNode {
  readonly name: string
  readonly #setup: NodeSetup
  #shell: ChildProcess | undefined

  constructor(name: string, setup: NodeSetup) {
    this.name = name
    this.#setup = setup
  }

  get isRunning(): boolean {
    return this.#shell !== undefined
  }

  start(): void {
    const { nats, folder, partitions, replicas = 1, flags = [] } = this.#setup
    const log = openSync(join(folder, `${this.name}.log`), 'a')
    const serve = ['serve', '--nats', nats, '--data-dir', join(folder, this.name), '--http', '127.0.0.1:0']
    const shape = ['--partitions', String(partitions), '--replicas', String(replicas)]
    const command = [process.execPath, ...engineFlags(), bundled, ...serve, ...shape, ...flags]
    const shell = spawn(
      'unshare',
      [
        '--pid',
        '--uts',
        '--fork',
        '--mount-proc',
        '--kill-child',
        'sh',
        '-c',
        'hostname "$1"; shift; exec "$@"',
      ].concat('sh', this.name, ...command),
      {
        stdio: ['ignore', 'ignore', log],
        env: { ...process.env, KIROKU_AUDIT: 'off', KIROKU_CONSOLE: 'off' },
      },
    )
    closeSync(log)
    shell.once('exit', () => {
      if (this.#shell === shell) this.#shell = undefined
    })
    this.#shell = shell
  }

  /** Sends the signal to the node itself, and waits for its end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const shell = this.#shell
    if (shell === undefined) return
    const gone = once(shell, 'exit')
    this.signal(signal)
    await gone
  }

  /** How much processor time its processes have taken since they began, in ms. */
  processorMs(): number {
    const pid = this.#shell?.pid
    return pid === undefined
      ? 0
      : descendants(pid)
          .flat()
          .reduce((sum, each) => sum + processorMs(each), 0)
  }

  /** Sends the signal to every process of the node. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.#shell?.pid
    if (pid === undefined) return
    // The node itself passes a request to stop on; a death takes all at once.
    const [first = [], ...others] = descendants(pid)
    const processes = signal === 'SIGTERM' ? [first] : [first, ...others]
    for (const process_ of processes.flat()) process.kill(process_, signal)
  }
}

/** The processes below one, a list per generation. */
const descendants = (pid: number): number[][] => {
  const generations: number[][] = []
  for (let parents = [pid]; parents.length > 0;) {
    const children = parents.flatMap(childrenOf)
    if (children.length > 0) generations.push(children)
    parents = children
  }
  return generations
}

const childrenOf = (pid: number): number[] => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return []
  }
}
