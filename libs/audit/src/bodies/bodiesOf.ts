import { equalBytes, KeyReader, type Log } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import type { Trace, TraceStep } from '../trace/TraceStep.ts'
import { bodyAt, isBodyStep } from './bodyAt.ts'

/** A body that a message had from a step of its trace on. */
export interface TracedBody {
  readonly step: TraceStep
  readonly body: Uint8Array
  readonly contentType?: string
}

/**
 * The bodies that a message had: what was sent, and what took its place when it was edited, in their order. What the
 * record holds no more, and what was erased, is left out. Errors: those of the log.
 */
export const bodiesOf = async (log: Log, trace: Trace): Promise<TracedBody[]> => {
  const bodies: TracedBody[] = []
  const keys = new KeyReader(log.keys)
  for (const step of trace.steps.filter(isBodyStep)) {
    const found = await unlessGone(bodyAt(log, keys, step))
    if (found === undefined || found.unreadable !== undefined) continue
    const { body, meta } = found
    const last = bodies.at(-1)
    // A forward brings what was there before.
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
