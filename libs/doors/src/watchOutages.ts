import { KirokuError } from '@kiroku/protocol'

/** How long a request bears that NATS is away before it is answered with that, and how often is looked, in ms. */
const patienceMs = 3_000
const lookEveryMs = 500

/**
 * Answers what has waited for some seconds in an outage: its callers may ask elsewhere, and ask again. A short one is waited out.
 *
 * @param unanswered what waits, the oldest first, and since when by `performance.now()`
 * @param outage why NATS stores nothing now; undefined: it does
 * @param answer answers a request with that
 * @returns ends the watch
 */
export const watchOutages = <R extends { readonly startedMs: number }>(
  unanswered: Iterable<R>,
  outage: () => Promise<KirokuError | undefined>,
  answer: (request: R, outage: KirokuError) => void,
): (() => void) => {
  let sinceMs: number | undefined
  let isAsking = false
  const look = async (): Promise<void> => {
    const lookedMs = performance.now()
    const [oldest] = unanswered
    const error = oldest === undefined ? undefined : await outage().catch(() => undefined)
    sinceMs = error === undefined ? undefined : (sinceMs ?? lookedMs)
    if (error === undefined || performance.now() - sinceMs! < patienceMs) return
    for (const each of [...unanswered]) {
      if (performance.now() - each.startedMs < patienceMs) return
      answer(each, error)
    }
  }
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    void look().finally(() => (isAsking = false))
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** What an act is answered with in an outage: it is under way. */
export const mayBeDone = ({ message }: KirokuError): KirokuError =>
  new KirokuError('Unavailable', `${message}; what was asked for may still be done`)
