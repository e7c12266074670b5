import type { ConsumedMessage } from './Batch.ts'

/** Those of `some` that do not follow, in their group, a message that will be delivered again; the others are given back. */
export const withoutOvertakers = (
  messages: readonly ConsumedMessage[],
  some: readonly ConsumedMessage[],
): ConsumedMessage[] => {
  const ready = new Set(some)
  const held = new Set<string | undefined>()
  return messages.filter((message) => {
    const { group, comesAgain } = message
    if (comesAgain) held.add(group)
    if (!ready.has(message)) return false
    if (held.has(group)) message.release()
    return !held.has(group)
  })
}
