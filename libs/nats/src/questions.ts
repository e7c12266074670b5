import { KirokuError } from '@kiroku/protocol'
import { createInbox, type NatsConnection } from '@nats-io/nats-core'
import { toKirokuError } from './jetStreamErrors.ts'
import { isAnswerable, nameIn } from './isAnswerable.ts'
import { assemble, publishInParts } from './parts.ts'

/** Asks the process that answers at a subject; undefined: none does. Errors: `Timeout`, `NatsUnreachable`. */
export const askQuestion = async (
  nc: NatsConnection,
  subject: string,
  question: Uint8Array,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> => {
  let resolve!: (answer: Uint8Array | undefined) => void
  let reject!: (error: Error) => void
  const promise = new Promise<Uint8Array | undefined>((...both) => ([resolve, reject] = both))
  const inbox = createInbox()
  const parts: Uint8Array[] = []
  try {
    const subscription = nc.subscribe(inbox, {
      callback: (error, msg) => {
        if (error !== null) return reject(error)
        if (msg.headers?.code === 503) return resolve(undefined)
        const whole = assemble(parts, msg)
        if (whole !== undefined) resolve(whole)
      },
    })
    nc.publish(subject, question, { reply: inbox })
    const late = setTimeout(
      () => reject(new KirokuError('Timeout', `no answer at ${subject} within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const leave = (): void => reject(new KirokuError('Stopped', 'the asker is gone'))
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted === true) leave()
    return await promise.finally(() => {
      clearTimeout(late)
      signal?.removeEventListener('abort', leave)
      if (!nc.isClosed()) subscription.unsubscribe()
    })
  } catch (cause) {
    throw toKirokuError(cause, `cannot ask at ${subject}`)
  }
}

/**
 * Answers what is asked at a subject; of several processes that do, one gets each question. A question whose answer fails
 * has none. Returns the function that stops it.
 * @param subject where its last word is a wildcard, it is the name of the client that asks
 */
export const answerQuestions = (
  nc: NatsConnection,
  subject: string,
  answer: (question: Uint8Array) => Promise<Uint8Array>,
): (() => void) => {
  const isNamed = subject.endsWith('.*')
  const subscription = nc.subscribe(subject, {
    queue: 'answers',
    callback: (error, msg) => {
      if (error !== null || !isAnswerable(msg, isNamed ? nameIn(msg) : undefined)) return
      answer(msg.data).then(
        (bytes) => publishInParts(nc, msg.reply!, bytes),
        () => undefined,
      )
    },
  })
  return () => {
    if (!nc.isClosed()) subscription.unsubscribe()
  }
}
