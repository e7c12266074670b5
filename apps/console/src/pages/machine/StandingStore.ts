import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Standing } from './Standing.ts'

/**
 * Distributes the counts to the parts of the chart: each is redrawn when what it shows changes, not with
 * every message of the feed.
 */
export class StandingStore {
  readonly #listeners = new Set<() => void>()
  #standing: Standing

  constructor(standing: Standing) {
    this.#standing = standing
  }

  /** The latest. */
  get = (): Standing => this.#standing

  /** Takes the next. */
  set(standing: Standing): void {
    if (standing === this.#standing) return
    this.#standing = standing
    for (const listener of this.#listeners) listener()
  }

  /** Calls after every change. Returns a function that stops. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The store of the chart. */
export const StandingContext = createContext<StandingStore | undefined>(undefined)

/** The store of the enclosing chart. */
export const useStandingStore = (): StandingStore => {
  const store = useContext(StandingContext)
  if (store === undefined) throw new Error('there is a standing only inside the chart')
  return store
}

/** A number or a text from the standing. */
export const useFromStanding = <A extends number | string | boolean>(read: (standing: Standing) => A): A => {
  const store = useStandingStore()
  return useSyncExternalStore(store.subscribe, () => read(store.get()))
}
