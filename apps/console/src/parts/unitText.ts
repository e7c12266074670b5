const durations: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]
const sizes: readonly (readonly [unit: string, bytes: number])[] = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['B', 1],
]

type Units = typeof durations

const write = (value: number, units: Units): string => {
  const [unit, worth] = units.find(([, each]) => value % each === 0) ?? units.at(-1)!
  return value === 0 ? '0' : `${value / worth}${unit}`
}

const read = (text: string, units: Units): number | undefined => {
  const trimmed = text.trim()
  if (trimmed === '0') return 0
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(trimmed)
  const worth = units.find(([unit]) => unit.toLowerCase() === match?.[2]?.toLowerCase())?.[1]
  return match === null || worth === undefined ? undefined : Math.round(Number(match[1]) * worth)
}

/** ms as the command line has them, so that they are read back the same: `1500ms`, `30s`, `7d`. */
export const writeDuration = (ms: number): string => write(ms, durations)

/** Reads `500ms`, `30s`, `5m`, `2h`, `7d` or `0` as ms; undefined where it is none of these. */
export const readDuration = (text: string): number | undefined => read(text, durations)

/** Bytes as the command line has them: `512KiB`. */
export const writeSize = (bytes: number): string => write(bytes, sizes)

/** Reads `512KiB`, `1MiB` or `100B` as bytes. */
export const readSize = (text: string): number | undefined => read(text, sizes)
