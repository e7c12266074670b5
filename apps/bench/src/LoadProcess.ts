import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a process of the benchmark is asked, and what it answers. */
interface Question {
  readonly id: number
  readonly task: string
  readonly args: unknown
}
interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

/** How the processes of the benchmark are started. */
export interface LoadOptions {
  readonly execArgv?: readonly string[]
  /** Folder for a CPU profile of the process. */
  readonly profile?: string | undefined
  /** Root of another checkout, whose load and client it is; default: this one. */
  readonly root?: string | undefined
}

/** Root of this checkout. */
export const ownRoot = fileURLToPath(new URL('../../../', import.meta.url))

/** Tasks of a load process, by name. */
export type Tasks = Readonly<Record<string, (args: never) => unknown>>

/** A separate process that does its part of the load on request. */
export class LoadProcess<T extends Tasks> {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (e: Error) => void }>()
  readonly #exited: Promise<void>
  #ids = 0

  /**
   * @param module name of the file in `load/`
   * @param name of the process, for its profile
   */
  constructor(module: string, name: string, args: readonly string[] = [], options: LoadOptions = {}) {
    const path = join(options.root ?? ownRoot, 'apps/bench/src/load', `${module}.ts`)
    this.#child = fork(path, args, {
      execArgv: [...(options.execArgv ?? []), ...profileArguments(options.profile, name)],
      serialization: 'advanced',
    })
    this.#name = name
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.on('message', (answer: Answer) => this.#answer(answer))
    void this.#exited.then(() => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the process ${name} ended`))
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Lets the process do a task. */
  ask<K extends keyof T & string>(
    task: K,
    ...[args]: Parameters<T[K]> extends [] ? [] : Parameters<T[K]>
  ): Promise<Awaited<ReturnType<T[K]>>> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error(`the process ${this.#name} has ended`))
      const id = ++this.#ids
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
      this.#child.send({ id, task, args } satisfies Question)
    })
  }

  /** Lets the process end by itself. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#exited
  }

  #answer({ id, result, error }: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  }
}

/** The flags that make Node write a CPU profile of each thread, in a folder for the process. */
export const profileArguments = (folder: string | undefined, name: string): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`]

/** How long a process may take to end: the server that it would take leave of may be gone. */
const endMsMax = 15_000

/** In the process: does the requested tasks, until its parent disconnects; then calls `end`. */
export const serveTasks = (tasks: Tasks, end: () => Promise<void> | void = () => {}): void => {
  process.on('message', ({ id, task, args }: Question) => {
    void (async () => {
      try {
        process.send!({ id, result: await tasks[task]!(args as never) } satisfies Answer)
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
        process.send!({ id, error: text } satisfies Answer)
      }
    })()
  })
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), endMsMax)
    void Promise.resolve(end()).finally(() => process.exit())
  })
}
