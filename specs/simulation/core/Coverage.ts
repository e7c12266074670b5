/** What is counted. */
export type CoverageKind =
  | 'fault'
  | 'event'
  | 'transition'
  | 'actor'
  | 'command'
  | 'outcome'
  | 'moment'
  | 'setting'
  | 'party'
  | 'check'
  | 'seed'

/** Counts by kind and name, as they travel between processes. */
export type Counts = Record<string, Record<string, number>>

/** How often what occurred. */
export class Coverage {
  readonly counts: Counts = {}

  add(kind: CoverageKind, name: string, times = 1): void {
    const names = (this.counts[kind] ??= {})
    names[name] = (names[name] ?? 0) + times
  }

  merge(other: Counts): void {
    for (const [kind, names] of Object.entries(other))
      for (const [name, times] of Object.entries(names)) this.add(kind as CoverageKind, name, times)
  }

  of(kind: CoverageKind, name: string): number {
    return this.counts[kind]?.[name] ?? 0
  }
}
