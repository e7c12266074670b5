import type { Act } from '@kiroku/audit'
import { actKey } from './actText.ts'

/** How far each partition's record goes at a moment. */
type Reach = readonly { readonly partition: number; readonly seq: number }[]

/** Acts that were on record at a moment. */
export const actsUpTo = (acts: readonly Act[], reach: Reach): readonly Act[] => {
  const last = new Map(reach.map(({ partition, seq }) => [partition, seq]))
  return acts.filter(({ partition, seq }) => seq <= (last.get(partition) ?? 0))
}

/** Known acts with new ones in front; latest first. Those in both are listed once. */
export const joined = (known: readonly Act[], news: readonly Act[]): readonly Act[] => {
  const keys = new Set(known.map(actKey))
  const added = news.filter((act) => !keys.has(actKey(act)))
  return added.length === 0 ? known : [...added, ...known].sort((a, b) => b.at - a.at)
}

/** The filters; an act must match everything given. */
export const actsOf = (
  acts: readonly Act[],
  { actor, kind }: { readonly actor?: string | undefined; readonly kind?: string | undefined },
): readonly Act[] =>
  actor === undefined && kind === undefined
    ? acts
    : acts.filter(
        (act) => (actor === undefined || act.by.name === actor) && (kind === undefined || act.event === kind),
      )

/** The choices by name, each with its number of acts; most frequent first. */
export const choicesOf = (
  acts: readonly Act[],
  nameOf: (act: Act) => string,
): readonly (readonly [name: string, count: number])[] => {
  const counts = new Map<string, number>()
  for (const act of acts) counts.set(nameOf(act), (counts.get(nameOf(act)) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
}
