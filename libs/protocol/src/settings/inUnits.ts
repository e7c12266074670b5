import { durationUnits, sizeUnits } from './units.ts'

/** A duration in ms in the largest unit of which it is a whole number: `13 h`, `1500 ms`; other values as they are. */
export const inTime = (ms: unknown): string =>
  exactly(
    ms,
    durationUnits.map(([unit, worth]) => [unit === 'm' ? 'min' : unit, worth]),
  )

/** A number of bytes likewise: `64 MiB`, `1500 B`. */
export const inBytes = (bytes: unknown): string => exactly(bytes, sizeUnits)

/** A given value in a few words. */
export const valueInWords = (value: unknown): string =>
  typeof value === 'string'
    ? `"${value.slice(0, 100)}"`
    : typeof value === 'function'
      ? 'a function'
      : Array.isArray(value)
        ? 'an array'
        : typeof value === 'object' && value !== null
          ? 'an object'
          : String(value)

const exactly = (value: unknown, units: readonly (readonly [string, number])[]): string => {
  if (typeof value !== 'number') return valueInWords(value)
  const [smallest] = units.at(-1)!
  const unit = value === 0 ? undefined : units.find(([, worth]) => value % worth === 0)
  return unit === undefined ? `${value} ${smallest}` : `${value / unit[1]} ${unit[0]}`
}
