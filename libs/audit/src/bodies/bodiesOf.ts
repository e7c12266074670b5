import { equalBytes, KeyReader, type Log } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import type { Trace, TraceStep } from '../trace/TraceStep.ts'
import { bodyAt, isBodyStep } from './bodyAt.ts'

/** A body that a message had, starting with one step of its trace. */
export interface TracedBody {
  readonly step: TraceStep
  readonly body: Uint8Array
  readonly contentType?: string
}

/**
 * The bodies that a message had, in order: the one sent, then each edit. Trimmed and erased ones are left
 * out. Errors: those of the log.
 */
export const bodiesOf = async (log: Log, trace: Trace): Promise<TracedBody[]> => {
  const bodies: TracedBody[] = []
  const keys = new KeyReader(log.keys)
  for (const step of trace.steps.filter(isBodyStep)) {
    const found = await unlessGone(bodyAt(log, keys, step))
    if (found === undefined || found.unreadable !== undefined) continue
    const { body, meta } = found
    const last = bodies.at(-1)
    // A forward carries the body from before.
    if (last !== undefined && equalBytes(last.body, body)) continue
    const { contentType } = meta
    bodies.push({ step, body, ...(typeof contentType === 'string' ? { contentType } : {}) })
  }
  return bodies
}

const unlessGone = async (reading: ReturnType<typeof bodyAt>): ReturnType<typeof bodyAt> => {
  try {
    return await reading
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}
