import { KirokuError } from '../error/KirokuError.ts'
import { isRetryKind } from './RetryPolicy.ts'
import { isOwnSetting } from './SubscriptionSettings.ts'
import { queueSettings, type QueueSetting } from './queueSettings.ts'

/**
 * Refuses the recorded settings of a queue where this version does not know one, or does not know its value: to ignore it
 * would be to break what the queue promises. Errors: `FutureVersion`, which names the setting.
 */
export const requireKnown = (recorded: object, queue: string): void => {
  for (const [name, value] of Object.entries(recorded))
    if (!isKnown(name, value)) throw newer(`queue "${queue}"`, name, value)
}

/** The same for what a subscription sets for itself, besides its tags. */
export const requireKnownOwn = (recorded: object, queue: string, sub: string): void => {
  for (const [name, value] of Object.entries(recorded))
    if (name !== 'tags' && !(isOwnSetting(name) && isKnown(name, value)))
      throw newer(`subscription "${sub}" of queue "${queue}"`, name, value)
}

const isKnown = (name: string, value: unknown): boolean => {
  if (!Object.hasOwn(queueSettings, name)) return false
  const row = (queueSettings as Readonly<Record<string, QueueSetting>>)[name]!
  if (row.kind === 'choice') return row.choices.includes(value as string)
  return row.kind !== 'retry' || isRetryKind((value as { readonly kind?: unknown } | null)?.kind)
}

const newer = (whose: string, name: string, value: unknown): KirokuError =>
  new KirokuError(
    'FutureVersion',
    `${whose} has the setting ${name} as ${JSON.stringify(value)}, which this version does not know: a newer Kiroku wrote it; install that version`,
  )
