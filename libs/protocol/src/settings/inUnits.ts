const times = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const
const sizes = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

/** A duration in ms with the largest unit of which it is a whole number: `13 h`, `1500 ms`; what is no number as it is. */
export const inTime = (ms: unknown): string => exactly(ms, times, 'ms')

/** A number of bytes likewise: `64 MiB`, `1500 B`. */
export const inBytes = (bytes: unknown): string => exactly(bytes, sizes, 'B')

/** Whatever was given, in a few words. */
export const shown = (value: unknown): string =>
  typeof value === 'string'
    ? `"${value.slice(0, 100)}"`
    : typeof value === 'object'
      ? 'an object'
      : String(value)

const exactly = (value: unknown, units: readonly (readonly [string, number])[], smallest: string): string => {
  if (typeof value !== 'number') return shown(value)
  const unit = value === 0 ? undefined : units.find(([, worth]) => value % worth === 0)
  return unit === undefined ? `${value} ${smallest}` : `${value / unit[1]} ${unit[0]}`
}
