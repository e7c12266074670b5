import { KeyReader, type Log } from '@kiroku/log'
import type { EnvelopeMeta } from '@kiroku/protocol'
import type { Trace } from '../trace/TraceStep.ts'
import { bodyAt, isBodyStep } from './bodyAt.ts'

/** The body of a message, with its attributes. */
export interface MessageBody {
  readonly meta: EnvelopeMeta
  /** Empty when it is unreadable. */
  readonly body: Uint8Array
  /** When it was sent, in ms of partition time; absent: the record no longer says. */
  readonly enqueuedAt?: number
  /** Why it cannot be read: its key was erased, or is lost, or the record begins after it. */
  readonly unreadable?: 'erased' | 'lost' | 'trimmed'
}

/**
 * The body that a message has now, or had last; if that was trimmed, the newest one still on record.
 * Errors: `LogDamaged`, `KeysUnavailable`, and those of the log.
 */
export const bodyOf = async (log: Log, trace: Trace): Promise<MessageBody> => {
  const keys = new KeyReader(log.keys)
  const [first] = trace.steps
  for (const step of trace.steps.filter(isBodyStep).reverse()) {
    const found = await bodyAt(log, keys, step)
    if (found === undefined) continue
    const { meta, body, unreadable } = found
    const enqueuedAt = first?.event === 'Enqueued' ? first.at : meta.lineage?.enqueuedAt
    return {
      meta,
      ...(typeof enqueuedAt === 'number' ? { enqueuedAt } : {}),
      ...(unreadable === undefined ? { body } : { body: new Uint8Array(), unreadable }),
    }
  }
  return { meta: {}, body: new Uint8Array(), unreadable: 'trimmed' }
}
