/** What must be known of a queue; the API reports it for the present and the past. */
export interface KnownQueue {
  readonly name: string
  readonly config: DeadLetterConfig
  readonly counts: LivingCounts
  readonly subscriptions: readonly {
    readonly name: string
    readonly settings?: DeadLetterConfig | undefined
  }[]
}

interface DeadLetterConfig {
  readonly deadLetter?: { readonly name: string } | null | undefined
}

interface LivingCounts {
  readonly delayed: number
  readonly available: number
  readonly inflight: number
  readonly waitingRetry: number
  readonly sent: number
}

/** A dead-letter queue, with the queues that name it. */
export interface LetterQueue {
  readonly name: string
  readonly origins: readonly string[]
  /** How many it holds, and how many of those are in flight. */
  readonly letters: number
  readonly inflight: number
  /** How many arrived since another moment; absent: that is not known. */
  readonly arrived?: number
}

/** Dead-letter queues are those that others name; the fullest first. `before` holds what was sent to each by then. */
export const letterQueuesOf = (
  queues: readonly KnownQueue[],
  before?: ReadonlyMap<string, number>,
): LetterQueue[] => {
  const origins = new Map<string, Set<string>>()
  for (const { name, config, subscriptions } of queues)
    for (const of of [config, ...subscriptions.map((sub) => sub.settings ?? {})])
      if (of.deadLetter !== undefined && of.deadLetter !== null)
        origins.set(of.deadLetter.name, (origins.get(of.deadLetter.name) ?? new Set()).add(name))
  return queues
    .filter(({ name }) => origins.has(name))
    .map(({ name, counts }) => ({
      name,
      origins: [...origins.get(name)!].sort(),
      letters: counts.delayed + counts.available + counts.inflight + counts.waitingRetry,
      inflight: counts.inflight,
      ...(before === undefined ? {} : { arrived: Math.max(0, counts.sent - (before.get(name) ?? 0)) }),
    }))
    .sort((a, b) => b.letters - a.letters || (a.name < b.name ? -1 : 1))
}

/** Dead letters in dead-letter queues. */
export interface LyingLetters {
  readonly count: number
  /** Names of the queues that hold them. */
  readonly queues: readonly string[]
}

/** The same of each queue that is one, or names one. */
export const lyingByQueue = (letterQueues: readonly LetterQueue[]): ReadonlyMap<string, LyingLetters> => {
  const found = new Map<string, LyingLetters>()
  for (const { name, origins, letters } of letterQueues)
    for (const queue of new Set([name, ...origins])) {
      const before = found.get(queue) ?? { count: 0, queues: [] }
      found.set(queue, { count: before.count + letters, queues: [...before.queues, name] })
    }
  return found
}

/**
 * Dead letters in the dead-letter queues of the log, or of one queue: in those that it names, or in itself if
 * it is one. Undefined if there is none: failed messages are discarded then.
 */
export const lyingLetters = (
  letterQueues: readonly LetterQueue[],
  scope: string | undefined,
): LyingLetters | undefined => {
  const meant =
    scope === undefined
      ? letterQueues
      : letterQueues.filter(({ name, origins }) => name === scope || origins.includes(scope))
  return meant.length === 0
    ? undefined
    : {
        count: meant.reduce((sum, { letters }) => sum + letters, 0),
        queues: meant.map(({ name }) => name),
      }
}
