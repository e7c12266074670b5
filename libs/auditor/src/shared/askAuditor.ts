import { deserialize, serialize } from 'node:v8'
import type { RecordQuestion, RecordQuestions } from '@kiroku/audit'
import { errorFromWire, KirokuError, type WireError } from '@kiroku/protocol'
import type { RunningAuditor } from '../startAuditor.ts'
import { wireOf } from '../wireOf.ts'
import type { AuditorBeat } from './AuditorBeat.ts'
import type { AuditorBus } from './AuditorBus.ts'

/** How long an answer may take, in ms: one from the record, and the beat. */
const answerMs = 60_000
const beatMs = 500

/** What can be asked: of the record, and who runs the auditor. */
interface Question {
  readonly method: RecordQuestion | 'beat'
  readonly asked?: unknown
}

interface Answer {
  readonly ok?: unknown
  readonly error?: WireError
}

const ask = async (bus: AuditorBus, question: Question, timeoutMs: number): Promise<unknown> => {
  const bytes = await bus.ask(serialize(question), timeoutMs)
  if (bytes === undefined) throw new KirokuError('NoAuditor', 'no node of this log runs an auditor now')
  const { ok, error } = deserialize(bytes) as Answer
  if (error !== undefined) throw errorFromWire(error)
  return ok
}

/** Asks the auditor of a log, on whichever node it runs. Errors: `NoAuditor` (on none), `Timeout`, and those of the question. */
export const askAuditor =
  (bus: AuditorBus): RunningAuditor['ask'] =>
  (method, asked) =>
    ask(bus, { method, asked }, answerMs) as Promise<never>

/** What the node that runs the auditor of a log says of itself; undefined: none does. */
export const askBeat = (bus: AuditorBus): Promise<AuditorBeat | undefined> =>
  ask(bus, { method: 'beat' }, beatMs).then(
    (beat) => beat as AuditorBeat,
    () => undefined,
  )

/** Answers for the auditor of a log, on the node where it runs. Returns the function that stops it. */
export const answerFor = (
  bus: AuditorBus,
  auditor: Pick<RunningAuditor, 'ask'>,
  beat: () => AuditorBeat | undefined,
): (() => void) => {
  const answer = async (bytes: Uint8Array): Promise<unknown> => {
    const { method, asked } = deserialize(bytes) as Question
    if (method === 'beat') return beat()
    return auditor.ask(method, asked as RecordQuestions[RecordQuestion]['asked'])
  }
  return bus.answer((bytes) =>
    answer(bytes).then(
      (ok) => serialize({ ok } satisfies Answer),
      (error: unknown) => serialize({ error: wireOf(error) } satisfies Answer),
    ),
  )
}
