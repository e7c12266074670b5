import { useSyncExternalStore } from 'react'

/** Whose clock times are written by: the reader's own, or that of UTC, as the command line has it. */
export type Zone = 'local' | 'UTC'

const key = 'kiroku.zone'
let current: Zone = 'UTC'
const heard = new Set<() => void>()

/** Writes times by this clock from now on. */
export const chooseZone = (next: Zone): void => {
  current = next
  for (const hear of heard) hear()
}

/** Applies the choice stored on this machine; by default the reader's own. */
export const restoreZone = (): void => chooseZone(localStorage.getItem(key) === 'UTC' ? 'UTC' : 'local')

/** The other one, also after the page is loaded again. */
export const switchZone = (): void => {
  const next = current === 'UTC' ? 'local' : 'UTC'
  localStorage.setItem(key, next)
  chooseZone(next)
}

/** How far that clock is ahead of UTC at a time, in ms. */
export const offsetMs = (at: number): number =>
  current === 'UTC' ? 0 : new Date(at).getTimezoneOffset() * -60_000

/** The name of that clock: `UTC`, `UTC+5:30`. */
export const zoneName = (at = Date.now()): string => {
  const minutes = Math.round(offsetMs(at) / 60_000)
  if (minutes === 0) return 'UTC'
  const rest = Math.abs(minutes) % 60
  const hours = `${minutes < 0 ? '−' : '+'}${Math.floor(Math.abs(minutes) / 60)}`
  return `UTC${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

/** The clock by which times are written. */
export const useZone = (): Zone =>
  useSyncExternalStore(
    (hear) => {
      heard.add(hear)
      return () => heard.delete(hear)
    },
    () => current,
  )
