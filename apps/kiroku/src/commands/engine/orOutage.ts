import { setTimeout as pause } from 'node:timers/promises'
import { findOutage } from '@kiroku/nats'
import type { KirokuError } from '@kiroku/protocol'
import { catalogueStream } from '../../log/logAdapter.ts'

/** How long JetStream may take, in ms; without it nothing else can be found out. */
const checkMs = 1_000

/** How often it is asked again, and how long it may take while it is read from: as long as any question to it, in ms. */
const askEveryMs = 1_000
const busyMs = 5_000

/**
 * What is found out, or the outage that stands in the way, also one that shows only meanwhile: servers that lost their quorum may
 * answer the first question and none after it, each of which would be waited for.
 */
export const orOutage = async <A>(
  nats: Parameters<typeof findOutage>[0],
  find: () => Promise<A>,
): Promise<A | KirokuError> => {
  const before = await findOutage(nats, checkMs, catalogueStream)
  if (before !== undefined) return before
  const finding = find()
  for (;;) {
    const found = await Promise.race([finding, pause(askEveryMs, undefined, { ref: false })])
    if (found !== undefined) return found
    const outage = await findOutage(nats, busyMs, catalogueStream)
    if (outage === undefined) continue
    finding.catch(() => undefined)
    return outage
  }
}
