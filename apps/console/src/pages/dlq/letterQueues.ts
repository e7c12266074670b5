/** What must be known of a queue here; the API says it of the present and of the past. */
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
  /** What lies there, and how many of that somebody works on. */
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
