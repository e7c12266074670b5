import { KirokuError } from '@kiroku/protocol'

const durations: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const sizes: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

const durationForm = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Whether a text has the form of a duration, however long. */
export const isDuration = (text: string): boolean => durationForm.test(text)

/** Longer ones lead to times that no date can have. */
const durationMsMax = 1_000_000 * 86_400_000

/** Reads `500ms`, `30s`, `5m`, `2h`, `7d` or `0` as ms. `what` names the argument. Errors: `InvalidArgument`. */
export const parseDurationMs = (text: string, what: string): number => {
  if (text === '0') return 0
  const match = durationForm.exec(text)
  if (match === null)
    throw new KirokuError(
      'InvalidArgument',
      `${what}: "${text}" is not a duration; write a number and its unit, like 500ms, 30s, 5m, 2h or 7d`,
    )
  const ms = Math.round(Number(match[1]) * durations[match[2]!]!)
  if (ms <= durationMsMax) return ms
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is longer than a million days`)
}

/** Reads `512KiB`, `20GiB` or a number of bytes. `what` names the argument. Errors: `InvalidArgument`. */
export const parseBytes = (text: string, what: string): number => {
  const match = /^(\d+(?:\.\d+)?)(B|KB|MB|GB|KiB|MiB|GiB)?$/.exec(text)
  if (match === null)
    throw new KirokuError(
      'InvalidArgument',
      `${what}: "${text}" is not a size; write bytes or a number and its unit, like 512KiB, 8MB or 20GiB`,
    )
  const bytes = Math.round(Number(match[1]) * sizes[match[2] ?? 'B']!)
  if (Number.isSafeInteger(bytes)) return bytes
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is more than there can be`)
}

/** Writes ms so that they are read back the same: `1500ms`, `30s`, `7d`. */
export const exactDuration = (ms: number): string => exactly(ms, ['d', 'h', 'm', 's', 'ms'], durations)

/** Writes bytes so that they are read back the same: `1500B`, `1MiB`. */
export const exactBytes = (bytes: number): string => exactly(bytes, ['GiB', 'MiB', 'KiB', 'B'], sizes)

const exactly = (
  value: number,
  units: readonly string[],
  worth: Readonly<Record<string, number>>,
): string => {
  const unit = units.find((each) => value % worth[each]! === 0)
  return value === 0 || unit === undefined ? String(value) : `${value / worth[unit]!}${unit}`
}

/** Writes ms as people read them: `0`, `500ms`, `30s`, `5m`, `2h`, `7d`. */
export const formatDuration = (ms: number): string =>
  ms < 1_000 || ms % 1_000 === 0 ? exactDuration(ms) : `${(ms / 1_000).toFixed(1)}s`

/** Writes bytes as people read them: `512 B`, `1.5 MiB`. */
export const formatBytes = (bytes: number): string => {
  for (const unit of ['GiB', 'MiB', 'KiB'])
    if (bytes >= sizes[unit]!) return `${+(bytes / sizes[unit]!).toFixed(1)} ${unit}`
  return `${bytes} B`
}
