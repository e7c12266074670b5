/** A use of entries that takes a while. */
interface Use {
  readonly entries: Set<string>
  /** An entry of it was written, or lost keys, since it began: what the store answered may be from before. */
  isOutdated: boolean
}

/** Uses of key entries that are under way, so that none goes by what an entry was before it changed. */
export class EntryUses {
  readonly #uses = new Set<Use>()

  /** Does something with entries, which it puts into the set; and again as long as one of them changed meanwhile. */
  async upToDate<A>(act: (entries: Set<string>) => Promise<A>): Promise<A> {
    for (;;) {
      const use: Use = { entries: new Set(), isOutdated: false }
      this.#uses.add(use)
      try {
        const result = await act(use.entries)
        if (!use.isOutdated) return result
      } finally {
        this.#uses.delete(use)
      }
    }
  }

  /** An entry was written, or keys of it may not be used any more. */
  changed(entry: string): void {
    for (const use of this.#uses) if (use.entries.has(entry)) use.isOutdated = true
  }

  /** Every entry may have changed. */
  outdateAll(): void {
    for (const use of this.#uses) use.isOutdated = true
  }
}
