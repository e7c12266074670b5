import type { RedriveDescription, RedriveSkip } from '@kiroku/protocol'

/**
 * The redrives of a spread queue as its home has them, each with what the other parts do of it.
 * @param parts what each of them says of its own
 */
export const mergeRedrives = (
  home: readonly RedriveDescription[],
  parts: readonly (readonly RedriveDescription[])[],
): RedriveDescription[] =>
  home.map((own) =>
    mergeTasks(
      own,
      parts.flatMap((part) => part.find((each) => isSame(each, own)) ?? []),
    ),
  )

/** Whether two tasks were begun together. */
export const isSame = (a: RedriveDescription, b: RedriveDescription): boolean =>
  a.request !== undefined && a.request === b.request && a.dryRun === b.dryRun

/** One task of which parts have a share. */
export const mergeTasks = (
  own: RedriveDescription,
  others: readonly RedriveDescription[],
): RedriveDescription => {
  const all = [own, ...others]
  const sum = (of: (redrive: RedriveDescription) => number): number =>
    all.reduce((total, each) => total + of(each), 0)
  const state = worst.find((each) => all.some((task) => task.state === each))!
  const { request: _, ...shown } = own
  const skipped: Partial<Record<RedriveSkip, number>> = {}
  const targets = new Map<string, number>()
  for (const each of all) {
    for (const [reason, count] of Object.entries(each.skipped) as [RedriveSkip, number][])
      skipped[reason] = (skipped[reason] ?? 0) + count
    for (const { queue, moved } of each.targets) targets.set(queue, (targets.get(queue) ?? 0) + moved)
  }
  return {
    ...shown,
    state,
    rateMax: sum(({ rateMax }) => rateMax),
    messagesMax: sum(({ messagesMax }) => messagesMax),
    moved: sum(({ moved }) => moved),
    ...(own.onTheWay === undefined ? {} : { onTheWay: sum(({ onTheWay = 0 }) => onTheWay) }),
    filtered: sum(({ filtered }) => filtered),
    left: sum(({ left }) => left),
    skipped,
    targets: [...targets].map(([queue, moved]) => ({ queue, moved })),
    endedAt: state === 'running' ? 0 : Math.max(...all.map(({ endedAt }) => endedAt)),
    note: [...new Set(all.map(({ note }) => note).filter((note) => note !== ''))].join(' '),
  }
}

/** States from worst to best: the whole task has the worst state of any part. */
const worst = ['running', 'failed', 'cancelled', 'completed'] as const
