import type { OddsName } from './Odds.ts'
import type { Plan, Without } from './Plan.ts'

/**
 * Every part of a plan that can be left out: deeds as `d3`, people as `p1`, faults by their names. Manual
 * consumers stay: without them nothing would end.
 */
export const allParts = ({ acts, actors, odds }: Plan): string[] => [
  ...acts.map(({ index }) => `d${index}`),
  ...actors.filter(({ role }) => role !== 'consumer').map(({ index }) => `p${index}`),
  ...Object.entries(odds).flatMap(([name, share]) => (share > 0 ? [name] : [])),
]

/** Leaves out everything but these. */
export const leavingOut = (all: readonly string[], kept: readonly string[]): Without => {
  const keeps = new Set(kept)
  return readWithout(all.filter((part) => !keeps.has(part)).join())
}

/** Reads what `--without` says. */
export const readWithout = (text: string): Without => {
  const acts = new Set<number>()
  const actors = new Set<number>()
  const odds = new Set<OddsName>()
  for (const part of text.split(',')) {
    if (part === '') continue
    const [, kind, index] = /^([dp])(\d+)$/.exec(part) ?? []
    if (kind === 'd') acts.add(Number(index))
    else if (kind === 'p') actors.add(Number(index))
    else odds.add(part as OddsName)
  }
  return { acts, actors, odds }
}

/** As `--without` takes it. */
export const writeWithout = ({ acts, actors, odds }: Without): string =>
  [...[...acts].map((index) => `d${index}`), ...[...actors].map((index) => `p${index}`), ...odds].join()
