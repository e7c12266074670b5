import { isKirokuError, shown, shownJson } from '@kiroku/protocol'

/** Levels by weight. */
const levels = { debug: 0, info: 1, warn: 2, error: 3 } as const

/** Level of a log line. */
export type LogLevel = keyof typeof levels

/** Fields of a log line. */
type LogFields = Readonly<Record<string, unknown>>

/** Writes log lines: an event in a few words, and fields. */
export type Logger = (level: LogLevel, event: string, fields?: LogFields) => void

/** Format and level of log lines. */
export interface LoggerOptions {
  readonly format: 'human' | 'json'
  readonly level: LogLevel
  readonly write?: (line: string) => void
  readonly now?: () => Date
}

/** Makes a logger; lines go to stderr, so that stdout stays for results. */
export const makeLogger = (options: LoggerOptions): Logger => {
  const write = options.write ?? ((line: string) => void process.stderr.write(line + '\n'))
  const now = options.now ?? (() => new Date())
  return (level, event, fields = {}) => {
    if (levels[level] < levels[options.level]) return
    const time = now().toISOString()
    if (options.format === 'json') {
      const entries = Object.entries(fields).map(([key, value]) => [key, plain(value)])
      write(shownJson(JSON.stringify({ time, level, event, ...Object.fromEntries(entries) })))
      return
    }
    const pairs = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${human(value)}`)
    const line = [time.slice(11, 23), level.toUpperCase().padEnd(5), event, ...pairs].join(' ')
    write(shown(level === 'error' ? [line, ...Object.values(fields).flatMap(framesOf)].join('\n') : line))
  }
}

const plain = (value: unknown): unknown => {
  if (isKirokuError(value)) return { id: value.id, message: value.message }
  return value instanceof Error ? { message: value.message, stack: value.stack } : value
}

/** The stack of a foreign error, without the message. */
const framesOf = (value: unknown): string[] =>
  value instanceof Error && !isKirokuError(value)
    ? (value.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
    : []

/** As text, an error's message is in the line and its stack below it; in JSON the stack is a field. */
const human = (given: unknown): string => {
  const value = isKirokuError(given)
    ? `${given.id}: ${given.message}`
    : given instanceof Error
      ? given.message
      : given
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return /[\s=]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text
}
