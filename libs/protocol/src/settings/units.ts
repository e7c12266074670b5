import { KirokuError } from '../error/KirokuError.ts'

type Units = readonly (readonly [unit: string, worth: number])[]

/** Units of durations in ms, largest first. */
export const durationUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const satisfies Units

/** Units of sizes in bytes, largest first. */
export const sizeUnits = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['B', 1],
] as const satisfies Units

/** Read in this case only: `mb` may be meant either way. */
const decimalUnits: Units = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
]

/** Longer durations lead to times that no date can have. */
const durationMsMax = 1_000_000 * 86_400_000

/** What a duration looks like, for errors. */
export const durationForm = 'a number and its unit, like 500ms, 30s, 5m, 2h or 7d'

/** What a size looks like, for errors. */
const sizeForm = 'bytes or a number and its unit, like 512KiB, 8MB or 20GiB'

const numberAndUnit = (text: string): readonly [number: string, unit: string] | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim())
  return match === null ? undefined : [match[1]!, match[2]!]
}

const worthOf = (unit: string, units: Units): number | undefined =>
  units.find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1]

/** ms of a text in the form of a duration, however long; undefined where it has another form. */
const durationOf = (text: string): number | undefined => {
  const [number, unit = ''] = numberAndUnit(text) ?? []
  if (number === '0' && unit === '') return 0
  const worth = worthOf(unit, durationUnits)
  return worth === undefined ? undefined : Math.round(Number(number) * worth)
}

/** Whether a text has the form of a duration with its unit, however long. */
export const isDuration = (text: string): boolean => durationOf(text) !== undefined && text.trim() !== '0'

/**
 * Reads a duration: `500ms`, `1.5 s`, `5m`, `2h`, `7d` or `0`; units in any case.
 * @param what names the value in errors
 * @returns ms
 * @throws `InvalidArgument`
 */
export const parseDurationMs = (text: string, what: string): number => {
  const ms = durationOf(text)
  if (ms === undefined)
    throw new KirokuError('InvalidArgument', `${what}: "${text}" is not a duration; write ${durationForm}`)
  if (ms <= durationMsMax) return ms
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is longer than a million days`)
}

/**
 * Reads a size: `512KiB`, `8 MB`, `20GiB` or a number of bytes; binary units in any case.
 * @param what names the value in errors
 * @returns bytes
 * @throws `InvalidArgument`
 */
export const parseBytes = (text: string, what: string): number => {
  const [number, unit] = numberAndUnit(text) ?? []
  const worth =
    unit === '' ? 1 : (decimalUnits.find(([name]) => name === unit)?.[1] ?? worthOf(unit ?? '', sizeUnits))
  if (worth === undefined)
    throw new KirokuError('InvalidArgument', `${what}: "${text}" is not a size; write ${sizeForm}`)
  const bytes = Math.round(Number(number) * worth)
  if (Number.isSafeInteger(bytes)) return bytes
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is too large`)
}

/** Writes ms so that they are read back the same: `1500ms`, `30s`, `7d`. */
export const exactDuration = (ms: number): string => exactly(ms, durationUnits)

/** Writes bytes so that they are read back the same: `1500B`, `1MiB`. */
export const exactBytes = (bytes: number): string => exactly(bytes, sizeUnits)

const exactly = (value: number, units: Units): string => {
  const [unit, worth] = units.find(([, each]) => value % each === 0) ?? []
  return value === 0 || worth === undefined ? String(value) : `${value / worth}${unit}`
}

/** Writes ms for people: `0`, `500ms`, `30s`, `5m`, `2h`, `7d`. */
export const formatDuration = (ms: number): string =>
  ms < 1_000 || ms % 1_000 === 0 ? exactDuration(ms) : `${(ms / 1_000).toFixed(1)}s`

/** Writes bytes for people: `512 B`, `1.5 MiB`. */
export const formatBytes = (bytes: number): string => {
  for (const [unit, worth] of sizeUnits)
    if (worth > 1 && bytes >= worth) return `${+(bytes / worth).toFixed(1)} ${unit}`
  return `${bytes} B`
}
