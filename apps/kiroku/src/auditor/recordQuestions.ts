import { deserialize, serialize } from 'node:v8'
import type { RecordQuestion, RecordQuestions } from '@kiroku/audit'
import type { RunningAuditor } from '@kiroku/auditor'
import { errorFromWire, isKirokuError, KirokuError, type WireError } from '@kiroku/protocol'
import type { Nats } from '../serve/describeCluster.ts'
import { questionSubject } from './auditorSubjects.ts'

/** How long an answer may take, in ms. */
const answerMs = 60_000

/** Bytes of the server's `max_payload` that a part of an answer leaves free. */
const marginBytes = 64 * 1024
const payloadBytesDefault = 2 ** 20

type Ask = RunningAuditor['ask']

interface Answered {
  readonly ok?: unknown
  readonly error?: WireError
}

/** Asks the node that runs the auditor of a log, over NATS. Errors: `NoAuditor` (no node does), `Timeout`, and those of the question. */
export const askRecord =
  (nats: Nats, log: string): Ask =>
  async (method, asked) => {
    const parts: Uint8Array[] = []
    let isWhole = false
    try {
      const answers = await nats.requestMany(questionSubject(log), serialize({ method, asked }), {
        strategy: 'sentinel',
        maxWait: answerMs,
      })
      for await (const { data } of answers)
        if (data.length === 0) isWhole = true
        else parts.push(data)
    } catch (cause) {
      throw new KirokuError('NoAuditor', 'no node of this log runs an auditor now', { cause })
    }
    if (!isWhole) throw new KirokuError('Timeout', `the auditor did not answer within ${answerMs} ms`)
    const { ok, error } = deserialize(Buffer.concat(parts)) as Answered
    if (error !== undefined) throw errorFromWire(error)
    return ok as never
  }

/** Answers the questions of other nodes and of commands. Returns the function that stops it. */
export const serveRecord = (nats: Nats, log: string, ask: Ask): (() => void) => {
  const subscription = nats.subscribe(questionSubject(log), {
    // While two nodes run one, only one of them answers.
    queue: 'auditor',
    callback: (error, message) => {
      const { reply } = message
      if (error !== null || reply === undefined) return
      void answered(ask, message.data).then((answer) => {
        if (nats.isClosed()) return
        const bytes = serialize(answer)
        const partBytes = (nats.info?.max_payload ?? payloadBytesDefault) - marginBytes
        for (let at = 0; at < bytes.length; at += partBytes)
          nats.publish(reply, bytes.subarray(at, at + partBytes))
        nats.publish(reply)
      })
    },
  })
  return () => {
    if (!nats.isClosed()) subscription.unsubscribe()
  }
}

const answered = async (ask: Ask, data: Uint8Array): Promise<Answered> => {
  try {
    const { method, asked } = deserialize(data) as {
      method: RecordQuestion
      asked: RecordQuestions[RecordQuestion]['asked']
    }
    return { ok: await ask(method, asked) }
  } catch (error) {
    const told = isKirokuError(error)
      ? error
      : new KirokuError('Internal', error instanceof Error ? error.message : String(error))
    return { error: told.toWire() }
  }
}
