import { pushRange, KirokuError, parseReceipt, type Ranges, type ReceiptAddress } from '@kiroku/protocol'
import type { SettleResult } from './Client.ts'
import type { OpenLog } from './LogConnection.ts'
import type { Settlement } from './Settlement.ts'
import { toKirokuError } from './failure.ts'

/** Receipts of one delivery, with their places in the answer. */
interface DeliveryGroup {
  readonly address: ReceiptAddress
  readonly ranges: Ranges
  readonly at: { readonly index: number; readonly number: number }[]
}

/** Settles by receipt: at most one request per delivery, one result per receipt, in order. */
export const settleReceipts = async (
  log: OpenLog,
  receipts: readonly string[],
  settlement: Settlement,
): Promise<SettleResult[]> => {
  const errors = new Map<number, KirokuError>()
  const groups = new Map<string, DeliveryGroup>()
  receipts.forEach((text, index) => {
    try {
      const address = parse(log, text)
      const key = `${address.partition} ${address.queue} ${address.sub} ${address.delivery}`
      let group = groups.get(key)
      if (group === undefined) groups.set(key, (group = { address, ranges: [], at: [] }))
      pushRange(group.ranges, address.number, 1)
      group.at.push({ index, number: address.number })
    } catch (thrown) {
      errors.set(index, toKirokuError(thrown))
    }
  })
  await Promise.all(
    [...groups.values()].map(async ({ address, ranges, at }) => {
      const { settler } = log.partitions[address.partition]!
      try {
        const refused = await settler.settle(settlement, address.queue, address.sub, address.delivery, ranges)
        if (refused.length === 0) return
        const reasons = new Map(refused.map((each) => [each.number, each.error]))
        for (const { index, number } of at) {
          const reason = reasons.get(number)
          if (reason !== undefined)
            errors.set(index, new KirokuError(reason, `${settlement.type} of ${receipts[index]} was refused`))
        }
      } catch (thrown) {
        for (const { index } of at) errors.set(index, toKirokuError(thrown))
      }
    }),
  )
  return receipts.map((receipt, index) => {
    const error = errors.get(index)
    return error === undefined ? { receipt } : { receipt, error }
  })
}

const parse = (log: OpenLog, text: string): ReceiptAddress => {
  const address = parseReceipt(text)
  if (address.incarnation !== log.directory.incarnation || address.partition >= log.directory.partitions)
    throw new KirokuError('UnknownReceipt', `"${text}" is of another log`)
  return address
}
