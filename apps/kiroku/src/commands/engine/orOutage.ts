import { setTimeout as pause } from 'node:timers/promises'
import { findOutage } from '@kiroku/nats'
import type { KirokuError } from '@kiroku/protocol'
import { catalogueStream } from '../../log/logAdapter.ts'

/** How long JetStream may take, in ms; without it nothing else can be found out. */
const checkMs = 1_000

/** How often it is asked again, and how long it may take while doctor reads from it, which is the timeout of other requests; in ms. */
const askEveryMs = 1_000
const busyMs = 5_000

/**
 * Runs `find` and returns its result, or the outage that prevents it. Servers that have lost their quorum may still answer the
 * first question, so JetStream is asked again while `find` runs: otherwise each of its requests would wait for its timeout.
 */
export const orOutage = async <A>(
  nats: Parameters<typeof findOutage>[0],
  find: () => Promise<A>,
): Promise<A | KirokuError> => {
  const before = await findOutage(nats, checkMs, catalogueStream)
  if (before !== undefined) return before
  const finding = find()
  for (;;) {
    const found =
      (await Promise.race([finding, pause(askEveryMs, undefined, { ref: false })])) ??
      (await findOutage(nats, busyMs, catalogueStream))
    if (found !== undefined) return found
  }
}
