import { fork, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Asker, RecordQuestion, RecordQuestions } from '@kiroku/audit'
import { errorFromWire, KirokuError } from '@kiroku/protocol'
import { joinAnswer, type AnswerPart } from './splitAnswer.ts'
import type { AuditorStatus, FromAuditor, OnAuditorEvent, ToAuditor } from './AuditorProtocol.ts'

const restartMsMin = 1_000
const restartMsMax = 60_000
/** After a run of this length the pause starts at the shortest again, in ms. */
const steadyMs = 60_000
const stopMs = 3_000
/** Timeout of a question, in ms. */
const askMs = 60_000

/** The auditor of an engine, in its own process. */
export interface RunningAuditor {
  /** Its last report; undefined before the first. */
  readonly status: () => AuditorStatus | undefined
  /** Errors: `NoAuditor` while it is not running, `Timeout`, `Busy`, `Stopped` (the asker is gone), and those of the question. */
  readonly ask: <M extends RecordQuestion>(
    method: M,
    asked: RecordQuestions[M]['asked'],
    asker: Asker,
  ) => Promise<RecordQuestions[M]['answer']>
  readonly close: () => Promise<void>
}

/** What to start. */
export interface AuditorStart {
  /** Path of the script that calls `serveAuditor`. */
  readonly script: string
  /** What that script opens its log with; must be serializable. */
  readonly setup: unknown
  /** Flags of Node. */
  readonly flags: readonly string[]
  readonly onEvent: OnAuditorEvent
}

/**
 * Starts an auditor at the lowest priority, and restarts it when it ends; the engine does not wait for it.
 */
export const startAuditor = (start: AuditorStart): RunningAuditor => {
  const guard = new AuditorGuard(start)
  return {
    status: () => guard.status,
    ask: (method, asked, asker) => guard.ask(method, asked, asker),
    close: () => guard.close(),
  }
}

interface Waiting {
  /** Of its answer, as far as they have come. */
  readonly parts: AnswerPart[]
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
  /** Stops waiting. */
  readonly end: () => void
}

class AuditorGuard {
  readonly #options: AuditorStart
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #status: AuditorStatus | undefined
  /** Why it failed last, as with a full disk. */
  #failure: string | undefined
  #restart: NodeJS.Timeout | undefined
  #pauseMs = restartMsMin
  #asked = 0
  #isClosed = false

  constructor(options: AuditorStart) {
    this.#options = options
    this.#start()
  }

  get status(): AuditorStatus | undefined {
    return this.#status
  }

  ask<M extends RecordQuestion>(
    method: M,
    asked: RecordQuestions[M]['asked'],
    { principal, signal }: Asker,
  ): Promise<RecordQuestions[M]['answer']> {
    const child = this.#child
    if (child?.connected !== true)
      return Promise.reject(this.#away('the auditor of this engine is not running'))
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      const cancel = (error: KirokuError): void => {
        end()
        this.#tell(child, { type: 'cancel', id })
        reject(error)
      }
      const timer = setTimeout(
        () => cancel(new KirokuError('Timeout', `the auditor did not answer within ${askMs} ms`)),
        askMs,
      ).unref()
      const leave = (): void => cancel(new KirokuError('Stopped', 'the asker is gone'))
      const end = (): void => {
        this.#waiting.delete(id)
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      this.#waiting.set(id, { parts: [], resolve, reject, end })
      this.#tell(child, { type: 'ask', id, method, asked, principal })
      if (signal?.aborted === true) leave()
      else signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #away(message: string): KirokuError {
    const why = this.#failure === undefined ? '' : `: ${this.#failure}`
    return new KirokuError('NoAuditor', message + why)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    this.#tell(child, { type: 'stop' })
    const kill = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await gone
    clearTimeout(kill)
  }

  #start(): void {
    const startedMs = performance.now()
    const child = fork(this.#options.script, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Options of this process, such as a debugger's port, must not be passed to the child.
      execArgv: [...this.#options.flags],
    })
    this.#child = child
    if (child.pid !== undefined) lower(child.pid)
    child.on('message', (message: FromAuditor) => this.#told(message))
    child.on('error', (error) => this.#options.onEvent('warn', 'auditor could not be started', { error }))
    child.once('exit', (code, signal) => this.#ended(code, signal, performance.now() - startedMs))
    this.#tell(child, { type: 'start', setup: this.#options.setup })
  }

  #tell(child: ChildProcess, message: ToAuditor): void {
    // It may be gone; its end is handled separately.
    child.send(message, () => {})
  }

  #told(message: FromAuditor): void {
    if (message.type === 'status') {
      this.#status = message.status
      this.#failure = undefined
    } else if (message.type === 'log') {
      this.#options.onEvent(message.level, message.event, message.fields)
      if (message.level === 'error') this.#failure = String(message.fields['error']).split('\n', 1)[0]
    } else {
      const waiting = this.#waiting.get(message.id)
      if (waiting === undefined) return
      if (message.type === 'part') return void waiting.parts.push(message.part)
      waiting.end()
      if (message.error === undefined) waiting.resolve(joinAnswer(waiting.parts, message.ok) as never)
      else waiting.reject(errorFromWire(message.error))
    }
  }

  #ended(code: number | null, signal: NodeJS.Signals | null, ranMs: number): void {
    this.#child = undefined
    this.#status = undefined
    for (const { reject, end } of this.#waiting.values()) {
      end()
      reject(this.#away('the auditor ended before it answered'))
    }
    if (this.#isClosed) return
    if (ranMs > steadyMs) this.#pauseMs = restartMsMin
    this.#options.onEvent('warn', 'auditor ended; restarting it', {
      code,
      signal,
      pauseMs: this.#pauseMs,
    })
    this.#restart = setTimeout(() => this.#start(), this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, restartMsMax)
  }
}

/** How much sooner than another process Linux ends the auditor where memory runs out, -1000 to 1000: it is started again, and lost nothing. */
const oomScore = 500

const lower = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, String(oomScore))
  } catch {
    // It may have ended already, or the system forbids it; the auditor works all the same.
  }
}
