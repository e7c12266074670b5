import type { QueueDescription } from '../observe/QueueDescription.ts'
import type { QueueConfig } from './QueueConfig.ts'
import { inTime } from './inUnits.ts'

/** How long a queue keeps its messages. */
export type Retention = Pick<QueueConfig, 'retentionMs' | 'retentionFrom'>

/**
 * Warnings where a dead-letter queue lets go of messages before there was as much time for them there as in their
 * queue, one sentence for each.
 * @param retentionOf settings of a dead-letter queue by its name; undefined where they are not known
 */
export const retentionWarnings = (
  { subscriptions }: Pick<QueueDescription, 'subscriptions'>,
  retentionOf: (deadLetterQueue: string) => Retention | undefined,
): string[] => {
  const kept = new Map<string, number>()
  for (const { config } of subscriptions) {
    const { name } = config.deadLetter ?? {}
    if (name !== undefined) kept.set(name, Math.max(kept.get(name) ?? 0, config.retentionMs))
  }
  return [...kept].flatMap(([name, keptMs]) => {
    const retention = retentionOf(name)
    return retention === undefined ? [] : (warningOf(name, keptMs, retention) ?? [])
  })
}

const warningOf = (
  name: string,
  keptMs: number,
  { retentionMs, retentionFrom }: Retention,
): string | undefined => {
  if (retentionFrom === 'original')
    return retentionMs <= keptMs
      ? `Dead letters are discarded from "${name}" ${inTime(retentionMs)} after they were first sent, and may spend ${inTime(keptMs)} here before: set its retentionFrom to arrival.`
      : undefined
  return retentionMs < keptMs
    ? `Dead letters are kept in "${name}" for ${inTime(retentionMs)}, less than the ${inTime(keptMs)} for which messages are kept here: set its retentionMs to ${inTime(keptMs)} or more.`
    : undefined
}
