import { randomUUID } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { RecordQuestion, RecordQuestions } from '@kiroku/audit'
import { errorFromWire, KirokuError, type WireError } from '@kiroku/protocol'
import { joinAnswer, splitAnswer, type AnswerPart } from '../splitAnswer.ts'
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
  readonly principal?: string
  /** Names a question that may be cancelled. */
  readonly id?: string
  /** The asker reads answers in parts; absent: it is of an earlier version. */
  readonly takesParts?: true
}

interface Answer {
  readonly ok?: unknown
  /** The long lists of `ok`, part by part: the engine's thread, which writes and reads them, does one in one go. */
  readonly parts?: readonly Uint8Array[]
  readonly error?: WireError
}

const encodeAnswer = async (answer: unknown, takesParts: boolean): Promise<Uint8Array> => {
  if (!takesParts) return serialize({ ok: answer } satisfies Answer)
  const { parts, rest } = splitAnswer(answer)
  const written: Uint8Array[] = []
  for (const part of parts) {
    if (written.length > 0) await nextTick()
    written.push(serialize(part))
  }
  return serialize({ ok: rest, parts: written } satisfies Answer)
}

const decodeAnswer = async (bytes: Uint8Array): Promise<unknown> => {
  const { ok, parts = [], error } = deserialize(bytes) as Answer
  if (error !== undefined) throw errorFromWire(error)
  const read: AnswerPart[] = []
  for (const part of parts) {
    if (read.length > 0) await nextTick()
    read.push(deserialize(part) as AnswerPart)
  }
  return joinAnswer(read, ok)
}

const ask = async (
  bus: AuditorBus,
  question: Omit<Question, 'takesParts'>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<unknown> => {
  const bytes = await bus.ask(serialize({ ...question, takesParts: true }), timeoutMs, signal)
  if (bytes === undefined) throw new KirokuError('NoAuditor', 'no node of this log runs an auditor now')
  return decodeAnswer(bytes)
}

/**
 * Asks the auditor of a log, on whichever node it runs. Errors: `NoAuditor` (on none), `Timeout`, `Busy`, `Stopped` (the asker is
 * gone), and those of the question.
 */
export const askAuditor =
  (bus: AuditorBus): RunningAuditor['ask'] =>
  async (method, asked, { principal, signal }) => {
    const id = randomUUID()
    const cancel = (): void => bus.tell(JSON.stringify({ cancel: id } satisfies Cancel))
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return (await ask(bus, { method, asked, principal, id }, answerMs, signal)) as never
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

/** Tells the auditor to give up a question whose asker is gone. */
interface Cancel {
  readonly cancel: string
}

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
  const underWay = new Map<string, AbortController>()
  const answer = async ({
    method,
    asked,
    principal = 'unknown',
    id = randomUUID(),
  }: Question): Promise<unknown> => {
    if (method === 'beat') return beat()
    const gone = new AbortController()
    underWay.set(id, gone)
    try {
      return await auditor.ask(method, asked as RecordQuestions[RecordQuestion]['asked'], {
        principal,
        signal: gone.signal,
      })
    } finally {
      underWay.delete(id)
    }
  }
  const stopHearing = bus.hear((news) => underWay.get(readCancel(news) ?? '')?.abort())
  const stopAnswering = bus.answer(async (bytes) => {
    try {
      const question = deserialize(bytes) as Question
      return await encodeAnswer(await answer(question), question.takesParts === true)
    } catch (error) {
      return serialize({ error: wireOf(error) } satisfies Answer)
    }
  })
  return () => {
    stopHearing()
    stopAnswering()
  }
}

/** The question that is cancelled; undefined: these are other news, such as a beat. */
const readCancel = (news: string): string | undefined => {
  try {
    return (JSON.parse(news) as Cancel | null)?.cancel
  } catch {
    return undefined
  }
}
