import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Settings of a node in a process of its own. */
export interface ChildOptions {
  readonly url: string
  readonly log: string
  readonly partitions: number
  /** Pretends to be on this machine, so that others cannot see by the pid that it is dead. */
  readonly machine?: string
  /** Time in ms that each partition takes to drain. */
  readonly drainMs?: number
}

/** A line of a node on stdout. */
export interface ChildLine {
  readonly kind: string
  readonly partition?: number | undefined
  readonly reason?: string
  readonly oldestMs?: number
  readonly count?: number
  readonly atMs: number
}

const script = fileURLToPath(new URL('placementChild.ts', import.meta.url))

/** A node in a process of its own, for tests that kill and freeze. */
export class ClusterNode {
  readonly lines: Array<ChildLine> = []
  readonly startedAtMs = Date.now()
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #output: Interface

  constructor(options: ChildOptions) {
    this.#child = spawn(process.execPath, [script, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#exited = once(this.#child, 'exit')
    if (this.#child.stdout === null) throw new Error('The child has no stdout.')
    this.#output = createInterface({ input: this.#child.stdout })
    this.#output.on('line', (line) => this.lines.push(JSON.parse(line) as ChildLine))
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** The partitions that run here. */
  running(): ReadonlyArray<number> {
    const running = new Set<number>()
    for (const { kind, partition } of this.lines) {
      if (partition === undefined) continue
      if (kind === 'START') running.add(partition)
      if (kind === 'STOP') running.delete(partition)
    }
    return [...running].sort((a, b) => a - b)
  }

  of(kind: string): ReadonlyArray<ChildLine> {
    return this.lines.filter((line) => line.kind === kind)
  }

  /** Asks for the age of its oldest lock confirmation, in ms. */
  async oldestLeaseMs(): Promise<number> {
    const before = this.of('LEASES').length
    this.#child.stdin?.write('leases\n')
    while (this.of('LEASES').length === before) await once(this.#output, 'line')
    return this.of('LEASES').at(-1)?.oldestMs ?? Infinity
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Sends a signal that ends the process, and waits for its end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#child.kill(signal)
    await this.#exited
  }
}
