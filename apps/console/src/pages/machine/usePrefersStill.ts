import { useSyncExternalStore } from 'react'

const query = matchMedia('(prefers-reduced-motion: reduce)')

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the reader prefers reduced motion. */
export const usePrefersStill = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
