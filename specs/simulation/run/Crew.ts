import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Job, Outcome } from './Job.ts'

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** One simulating process; does one job at a time. */
export class Crew implements Disposable {
  readonly #process: ChildProcess
  #ended: Error | undefined
  #waiting:
    | { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: Error) => void }
    | undefined

  /** @param broken name of the broken engine to load; absent: the real one */
  constructor(broken?: string) {
    const { KIROKU_BROKEN: _, ...env } = process.env
    this.#process = fork(worker, [], {
      env: { ...env, ...(broken === undefined ? {} : { KIROKU_BROKEN: broken }) },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#process.on('message', (outcome: Outcome) => {
      const waiting = this.#waiting
      this.#waiting = undefined
      waiting?.resolve(outcome)
    })
    this.#process.once('exit', (code, signal) => {
      this.#ended = new Error(`a simulating process ended with ${signal ?? code}`)
      this.#waiting?.reject(this.#ended)
    })
  }

  /** Does a job. Errors: that the process ended. */
  do(job: Job): Promise<Outcome> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#process.send(job)
    })
  }

  [Symbol.dispose](): void {
    this.#process.kill('SIGKILL')
  }
}
