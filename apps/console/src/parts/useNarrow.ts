import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 48rem)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is as narrow as a phone: tables show their first things only. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
