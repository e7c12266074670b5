import { equalBytes, KeyReader, type Log } from '@kiroku/log'
import { isKirokuError } from '@kiroku/message'
import { openEnvelope } from './openEnvelope.ts'
import { readEnvelopes } from './readEnvelopes.ts'
import type { Trace, TraceStep } from './TraceStep.ts'

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
  for (const step of trace.steps) {
    if (step.body === undefined || step.voided) continue
    const found = await bodyAt(log, keys, step)
    const last = bodies.at(-1)
    // A forward brings what was there before.
    if (found !== undefined && (last === undefined || !equalBytes(last.body, found.body))) bodies.push(found)
  }
  return bodies
}

const bodyAt = async (log: Log, keys: KeyReader, step: TraceStep): Promise<TracedBody | undefined> => {
  const { queue, ...place } = step.body!
  const partition = await log.partition(step.partition)
  try {
    for await (const { envelope } of readEnvelopes(partition, queue, [place])) {
      const { meta, body, unreadable } = await openEnvelope(keys, envelope)
      if (unreadable !== undefined) return undefined
      const { contentType } = meta
      return { step, body, ...(typeof contentType === 'string' ? { contentType } : {}) }
    }
    return undefined
  } catch (e) {
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  } finally {
    await partition.close()
  }
}
