import { offsetMs } from './zone.ts'

const counts = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A number of messages, whole: `12,345`. */
export const count = (n: number): string => counts.format(n)

/** A number in few characters: `12.3K`. */
export const shortCount = (n: number): string => (Math.abs(n) < 10_000 ? count(n) : compact.format(n))

/** A number of dead letters in words: `1 dead letter`. */
export const deadLetters = (n: number): string => `${count(n)} dead ${n === 1 ? 'letter' : 'letters'}`

/** A rate per second: `3.4/s`. */
export const rate = (n: number): string =>
  `${n === 0 || n >= 10 ? shortCount(Math.round(n)) : n.toFixed(1)}/s`

/** A duration in its two largest units: `3 min 4 s`. */
export const duration = (ms: number): string => {
  if (ms < 1) return '0 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0).replace(/\.0$/, '')} s`
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const
  const first = units.findIndex(([, size]) => ms >= size)
  const [unit, size] = units[first]!
  const whole = Math.floor(ms / size)
  const next = units[first + 1]
  const rest = next === undefined ? 0 : Math.floor((ms - whole * size) / next[1])
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next![0]}`
}

/** A duration in few characters: `1.3 min`. */
export const shortDuration = (ms: number): string => {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ] as const
  const found = units.find(([, size]) => ms >= size)
  return found === undefined ? duration(ms) : `${(ms / found[1]).toFixed(1).replace(/\.0$/, '')} ${found[0]}`
}

/** A size: `1.4 MiB`. */
export const bytes = (n: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = n
  let unit = 0
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** By the chosen clock: `2026-11-21T14:02:31.250`. */
const written = (at: number): string => new Date(at + offsetMs(at)).toISOString().slice(0, 23)

/** A time of day with ms: `14:02:31.250`. */
export const clock = (at: number): string => written(at).slice(11)

/** A time with ms: `2026-11-21 14:02:31.250`. */
export const exactTime = (at: number): string => written(at).replace('T', ' ')

/** The same in UTC, whatever the chosen clock, marked as such. */
export const utcTime = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 23).replace('T', ' ')} UTC`

/** A time: `2026-11-21 14:02:31`; the day is left out where it is that of `now`. */
export const time = (at: number, now?: number): string => {
  const text = exactTime(at).slice(0, 19)
  return now !== undefined && text.slice(0, 10) === written(now).slice(0, 10) ? text.slice(11) : text
}

/** How long ago: `3 min ago`. */
export const ago = (at: number, now: number): string =>
  now - at < 1_000 ? 'now' : `${duration(Math.floor((now - at) / 1_000) * 1_000)} ago`
