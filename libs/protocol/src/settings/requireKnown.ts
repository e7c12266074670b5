import { KirokuError } from '../error/KirokuError.ts'
import { isRetryKind } from './RetryPolicy.ts'
import { isOwnSetting } from './SubscriptionSettings.ts'
import { queueSettings, type QueueSetting } from './queueSettings.ts'

/** Tells the values of a setting that this version knows; undefined: all. */
const knownValues = (row: QueueSetting): ((value: unknown) => boolean) | undefined => {
  if (row.kind === 'choice') {
    const choices: ReadonlySet<unknown> = new Set(row.choices)
    return (value) => choices.has(value)
  }
  if (row.kind === 'retry') return (value) => isRetryKind((value as { readonly kind?: unknown } | null)?.kind)
  return undefined
}

/** By setting; looked up for every setting of every queue at a take-over. */
const known = new Map(
  Object.entries(queueSettings).map(([name, row]: [string, QueueSetting]) => [name, knownValues(row)]),
)
const ownKnown = new Map([...known].filter(([name]) => isOwnSetting(name))).set('tags', undefined)

/**
 * Refuses the recorded settings of a queue where this version does not know one, or does not know its value: to ignore it
 * would be to break what the queue promises. Errors: `FutureVersion`, which names the setting.
 */
export const requireKnown = (recorded: object, queue: string): void => {
  const name = unknownIn(recorded, known)
  if (name !== undefined) throw newer(`queue "${queue}"`, name, recorded)
}

/** The same for what a subscription sets for itself, besides its tags. */
export const requireKnownOwn = (recorded: object, queue: string, sub: string): void => {
  const name = unknownIn(recorded, ownKnown)
  if (name !== undefined) throw newer(`subscription "${sub}" of queue "${queue}"`, name, recorded)
}

const unknownIn = (recorded: object, names: typeof known): string | undefined => {
  for (const name in recorded) {
    if (!names.has(name)) return name
    const isKnown = names.get(name)
    if (isKnown !== undefined && !isKnown((recorded as Record<string, unknown>)[name])) return name
  }
  return undefined
}

const newer = (whose: string, name: string, recorded: object): KirokuError =>
  new KirokuError(
    'FutureVersion',
    `${whose} has the setting ${name} as ${JSON.stringify((recorded as Record<string, unknown>)[name])}, which this version does not know: a newer Kiroku wrote it; install that version`,
  )
