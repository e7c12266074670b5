import { offsetMs } from '../../parts/zone.ts'

/** Where a subscription is to begin, as it is written in a form. */
export interface Start {
  readonly kind: 'latest' | 'earliest' | 'time' | 'number'
  /** The time by the clock that is chosen, or in UTC with a Z at its end; or the number. */
  readonly text: string
}

/** The same as the API takes it; undefined where it cannot be read. */
export const startOf = ({
  kind,
  text,
}: Start): 'latest' | 'earliest' | { readonly time: number } | { readonly number: number } | undefined => {
  if (kind === 'latest' || kind === 'earliest') return kind
  const trimmed = text.trim()
  if (kind === 'number') return /^\d+$/.test(trimmed) ? { number: Number(trimmed) } : undefined
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z?)$/.exec(trimmed)
  const utc = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}Z`)
  // The clock is asked how far ahead it is then, not there where it would be UTC.
  const time = match?.[3] === 'Z' ? utc : utc - offsetMs(utc - offsetMs(utc))
  return Number.isNaN(time) ? undefined : { time }
}
