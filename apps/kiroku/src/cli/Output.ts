import { errorRegistry, isKirokuError, KirokuError, shown, shownJson } from '@kiroku/protocol'

/** Where a command writes: readable lines, or one JSON value as the last line of stdout. */
export interface Output {
  readonly json: boolean
  /** A readable line; absent with `--json`. */
  line(text?: string): void
  /** The result for machines; absent without `--json`. */
  result(value: unknown): void
  /** A note that is not part of the result; to stderr. */
  note(text: string): void
}

/**
 * The output of a process. Control characters are spelled out, since much of it came from producers and handlers; `raw`
 * leaves them in lines.
 */
export const processOutput = (json: boolean, raw = false): Output => {
  const put = raw ? (text: string) => text : shown
  return {
    json,
    line: (text = '') => {
      if (!json) process.stdout.write(put(text) + '\n')
    },
    result: (value) => {
      if (json) process.stdout.write(shownJson(JSON.stringify(value)) + '\n')
    },
    note: (text) => {
      process.stderr.write(put(text) + '\n')
    },
  }
}

/** An error as text or JSON, and the exit code. */
export interface ErrorReport {
  readonly exit: number
  readonly human: string
  readonly machine: {
    readonly error: {
      readonly id: string
      readonly message: string
      readonly help: string
      readonly retryable: boolean
    }
  }
}

/** Puts an error into words: what happened, what to do. The stack is shown only when `debug` is set. */
export const reportError = (cause: unknown, debug: boolean): ErrorReport => {
  const error = isKirokuError(cause) ? cause : internal(cause)
  const { id, message, help, retryable } = error
  const lines = [`error ${id}: ${message}`, `  ${help}`]
  if (debug) lines.push(stackOf(cause))
  else if (id === 'Internal') lines.push('  KIROKU_DEBUG=1 shows the stack.')
  return {
    exit: errorRegistry[id].exit,
    human: lines.join('\n'),
    machine: { error: { id, message, help, retryable } },
  }
}

const internal = (cause: unknown): KirokuError =>
  new KirokuError('Internal', cause instanceof Error ? cause.message || cause.name : String(cause), { cause })

const stackOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause === undefined ? '' : `\ncaused by: ${stackOf(cause.cause)}`
  return (cause.stack ?? cause.message) + inner
}
