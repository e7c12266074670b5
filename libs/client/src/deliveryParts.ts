import {
  decodeEnvelope,
  type Delivery,
  groupBy,
  pushNumber,
  rangeNumbers,
  type Ranges,
} from '@kiroku/protocol'
import type { Taken } from './QueueRoute.ts'

/** The messages `from` to `to` of a delivery. */
export const partOf = (taken: Taken, numbers: readonly number[], from: number, to: number): Taken =>
  to - from === numbers.length ? taken : pick(taken, numbers, (each) => each.slice(from, to))

/** A delivery of an ordered queue, cut into one for each group. */
export const partsByGroup = (taken: Taken): readonly Taken[] => {
  const { messages, numbers } = taken.delivery
  const groups = groupBy(messages.keys(), (i) => decodeEnvelope(messages[i]!).meta.group)
  if (groups.size === 1) return [taken]
  const all = rangeNumbers(numbers)
  return [...groups.values()].map((places) => pick(taken, all, (each) => places.map((i) => each[i]!)))
}

type Picked = <T>(each: readonly T[]) => T[]

const pick = ({ partition, delivery }: Taken, numbers: readonly number[], picked: Picked): Taken => {
  const { attempts, enqueuedAt, firstAt, messages } = delivery
  const ranges: Ranges = []
  for (const number of picked(numbers)) pushNumber(ranges, number)
  const part: Delivery = {
    ...delivery,
    numbers: ranges,
    attempts: picked(attempts),
    enqueuedAt: picked(enqueuedAt),
    messages: picked(messages),
    ...(firstAt === undefined ? {} : { firstAt: picked(firstAt) }),
  }
  return { partition, delivery: part }
}
