import { setTimeout as pause } from 'node:timers/promises'
import { findOutage } from '@kiroku/nats'
import type { KirokuError } from '@kiroku/protocol'
import { catalogueStream } from '../../log/logAdapter.ts'

/** How often JetStream is asked, and how long it may take while it is read from: as long as any question to it, in ms. */
const askEveryMs = 1_000
const busyMs = 5_000

/**
 * What is found out, unless an outage shows meanwhile. Servers that lost their quorum may answer the first question and none after
 * it, each of which would be waited for.
 */
export const orOutage = async <A>(
  nats: Parameters<typeof findOutage>[0],
  finding: Promise<A>,
): Promise<A | KirokuError> => {
  for (;;) {
    const found = await Promise.race([finding, pause(askEveryMs, undefined, { ref: false })])
    if (found !== undefined) return found
    const outage = await findOutage(nats, busyMs, catalogueStream)
    if (outage === undefined) continue
    finding.catch(() => undefined)
    return outage
  }
}
