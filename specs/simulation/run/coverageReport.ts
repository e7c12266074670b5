import type { Coverage } from '../core/Coverage.ts'
import { isExpectedOutcome } from './expectedOutcomes.ts'
import { expectedCoverage } from './expectedCoverage.ts'

/** How often everything must occur in this many seeds. */
const timesMin = 100
const ofSeeds = 20_000
/** An outcome of a command must be among them at all. */
const outcomesMin = 1
/** Least share of seeds in which a partition is taken over by another node. */
const takeOverShareMin = 0.3
/** Seeds from which on a gap counts: in fewer, what is rare is absent by chance. */
const seedsToJudge = 20_000

/** What occurred too seldom, as lines. */
export const coverageGaps = (coverage: Coverage, seeds: number): string[] => {
  const gaps = Object.keys(coverage.counts['outcome'] ?? {})
    .filter((name) => !isExpectedOutcome(name))
    .map((name) => `outcome ${name}, of which the table knows nothing`)
  if (seeds < seedsToJudge) return gaps
  for (const [kind, name] of expectedCoverage())
    if (coverage.of(kind, name) < (kind === 'outcome' ? outcomesMin : (timesMin * seeds) / ofSeeds))
      gaps.push(`${kind} ${name}: ${coverage.of(kind, name)}`)
  const share = coverage.of('seed', 'with a take-over') / seeds
  if (share < takeOverShareMin) gaps.push(`take-over in ${(share * 100).toFixed(1)} % of seeds`)
  return gaps
}

/** Everything that was counted, and what was expected and did not occur. */
export const coverageTable = (coverage: Coverage, seeds: number): string => {
  const rows = new Map<string, number>()
  for (const [kind, name] of expectedCoverage()) rows.set(`${kind}\t${name}`, 0)
  for (const [kind, names] of Object.entries(coverage.counts))
    for (const [name, times] of Object.entries(names)) rows.set(`${kind}\t${name}`, times)
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, times]) => {
      const [kind, name] = key.split('\t') as [string, string]
      return `${kind.padEnd(12)} ${name.padEnd(48)} ${String(times).padStart(9)}`
    })
  const share = ((coverage.of('seed', 'with a take-over') / seeds) * 100).toFixed(1)
  return [
    ...lines,
    `a take-over in ${share} % of seeds`,
    ...coverageGaps(coverage, seeds).map((gap) => `gap: ${gap}`),
  ].join('\n')
}
