import type { KirokuError } from '@kiroku/protocol'

/** How long an answer may take before the caller is told why there is none, in ms; and how often that is asked for. */
const patienceMs = 1_500

/**
 * Waits for an answer that needs NATS, but not for a NATS that is away. Only for questions: an act may take effect later.
 * Errors: why NATS does not store.
 *
 * @param outage why NATS does not store now; undefined: it does, and an owner is on its way
 */
export const unlessOut = <A>(
  asking: Promise<A>,
  outage: () => Promise<KirokuError | undefined>,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      outage().then((error) => (error === undefined ? later() : reject(error)), reject)
    }
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const later = (): void => {
      if (!isOver) timer = setTimeout(look, patienceMs)
    }
    later()
    asking.then(resolve, reject).finally(() => {
      isOver = true
      clearTimeout(timer)
    })
  })
