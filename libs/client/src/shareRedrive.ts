import { KirokuError } from '@kiroku/protocol'

/** What a part may move: the limits of a redrive that it is given. */
export interface RedriveShare {
  readonly rateMax?: number
  readonly messagesMax?: number
}

/**
 * Shares a redrive out among the parts of a queue, the home first; undefined: that part has nothing to do. The home has a task in any
 * case, by which the others are found. Errors: `InvalidArgument` where the rate is too low to be shared out.
 * @param available messages that each part has
 */
export const shareRedrive = (
  { rateMax, messagesMax }: RedriveShare,
  available: readonly number[],
): readonly (RedriveShare | undefined)[] => {
  let left = messagesMax ?? Infinity
  const counts = available.map((count) => {
    const share = Math.min(count, left)
    left -= share
    return share
  })
  const busy = counts.filter((count) => count > 0).length
  // Whatever comes to be available there meanwhile is bounded as well.
  if (busy === 0) return counts.map((_, i) => (i === 0 ? limitsOf(rateMax, messagesMax) : undefined))
  if (rateMax !== undefined && rateMax < busy)
    throw new KirokuError(
      'InvalidArgument',
      `a rate of ${rateMax} cannot be shared out among the ${busy} parts of the queue that have messages`,
    )
  let part = 0
  return counts.map((count, i) => {
    if (count === 0) return i === 0 ? {} : undefined
    const rate = rateMax === undefined ? undefined : Math.floor((rateMax + part++) / busy)
    return limitsOf(rate, messagesMax === undefined ? undefined : count)
  })
}

const limitsOf = (rateMax: number | undefined, messagesMax: number | undefined): RedriveShare => ({
  ...(rateMax === undefined ? {} : { rateMax }),
  ...(messagesMax === undefined ? {} : { messagesMax }),
})
