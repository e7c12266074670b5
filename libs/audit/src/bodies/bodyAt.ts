import type { KeyReader, Log } from '@kiroku/log'
import type { TraceStep } from '../trace/TraceStep.ts'
import { openEnvelope, type OpenEnvelope } from './openEnvelope.ts'
import { readEnvelopes } from './readEnvelopes.ts'

/** A step that gives a message a body. */
export type BodyStep = TraceStep & { readonly body: NonNullable<TraceStep['body']> }

/** Whether a step gives a message a body of its own. */
export const isBodyStep = (step: TraceStep): step is BodyStep =>
  step.body !== undefined && step.voided !== true

/**
 * Reads the body that a step gave a message; undefined when the record begins after it. Errors: `LogDamaged`,
 * and those of the log.
 */
export const bodyAt = async (
  log: Log,
  keys: KeyReader,
  { partition: number, body: { queue, ...place } }: BodyStep,
): Promise<OpenEnvelope | undefined> => {
  const partition = await log.partition(number)
  try {
    if (place.seq < (await partition.state()).firstSeq) return undefined
    for await (const { envelope } of readEnvelopes(partition, queue, [place]))
      return await openEnvelope(keys, envelope)
    return undefined
  } finally {
    await partition.close()
  }
}
