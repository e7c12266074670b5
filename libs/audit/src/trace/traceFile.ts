import { KirokuError } from '@kiroku/protocol'
import type { Trace, TraceStep } from './TraceStep.ts'

/** Version of the format. */
const version = 1

/** The first line; each step has a line of its own. */
interface Head extends Omit<Trace, 'steps'> {
  readonly kiroku: 'trace'
  readonly version: number
  readonly steps: number
}

/**
 * A trace as ndjson: a line about the message, then one for each step. Readable anywhere, without the log.
 */
export const exportTrace = ({ steps, ...rest }: Trace): string => {
  const head: Head = { kiroku: 'trace', version, ...rest, steps: steps.length }
  return [head, ...steps].map((value) => `${JSON.stringify(value)}\n`).join('')
}

/** Reads what `exportTrace` wrote. Errors: `MalformedJson`, `InvalidArgument`, `FutureVersion`. */
export const importTrace = (text: string): Trace => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first, ...steps] = lines.map((line, i) => parse(line, i + 1))
  const { kiroku, version: written, steps: count, ...rest } = (first ?? {}) as Partial<Head>
  if (kiroku !== 'trace' || typeof written !== 'number' || typeof count !== 'number')
    throw new KirokuError('InvalidArgument', 'this is not an exported trace')
  if (written > version)
    throw new KirokuError(
      'FutureVersion',
      `the trace has version ${written}; this code reads up to ${version}`,
    )
  if (steps.length !== count)
    throw new KirokuError('InvalidArgument', `the trace is cut off: it has ${steps.length} of ${count} steps`)
  return { ...(rest as Omit<Trace, 'steps'>), steps: steps as TraceStep[] }
}

const parse = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new KirokuError('MalformedJson', `line ${number} of the trace is not JSON`, { cause })
  }
}
