import type { SettleResult } from '@kiroku/client'
import { isKirokuError, KirokuError, parseReceipt, type QueueAddress } from '@kiroku/protocol'
import type { Granted } from './Granted.ts'
import type { QueueNames } from './QueueNames.ts'

/** What is done with deliveries, as the client names it in errors. */
export type Settlement = 'Ack' | 'Retry' | 'Extend' | 'Release' | 'DeadLetter'

/** By what it is decided which receipts are settled. */
interface SettlementGrant {
  readonly granted: Granted
  readonly names: QueueNames
  readonly verdict: Settlement
}

/**
 * Settles the receipts of queues whose messages the caller handles. Those of queues that they may not know of are answered as
 * receipts of a queue that does not exist.
 */
export const settleGranted = async (
  { granted, names, verdict }: SettlementGrant,
  receipts: readonly string[],
  settle: (receipts: readonly string[]) => Promise<readonly SettleResult[]>,
): Promise<readonly SettleResult[]> => {
  if (!granted.differs) return settle(receipts)
  const refused = new Map<string, KirokuError>()
  for (const receipt of new Set(receipts)) {
    const address = addressOf(receipt)
    // What is no receipt at all is told by the client.
    if (address === undefined) continue
    const queue = await names.of(address, granted.sees)
    if (queue === undefined)
      refused.set(receipt, new KirokuError('UnknownReceipt', `${verdict} of ${receipt} was refused`))
    else if (!granted.handles(queue))
      refused.set(
        receipt,
        new KirokuError('Forbidden', `the messages of queue "${queue}" need the role operator`),
      )
  }
  const allowed = receipts.filter((receipt) => !refused.has(receipt))
  const results = allowed.length === 0 ? [] : [...(await settle(allowed))]
  return receipts.map((receipt) => {
    const error = refused.get(receipt)
    return error === undefined ? results.shift()! : { receipt, error }
  })
}

const addressOf = (receipt: string): QueueAddress | undefined => {
  try {
    return parseReceipt(receipt)
  } catch (error) {
    if (isKirokuError(error)) return undefined
    throw error
  }
}
