/**
 * `npm run simulate -- [--seeds N] [--minutes M] [--seed S] [--jobs J] [--quick] [--json]`: runs the engine
 * through random histories of faults and holds its promises; after `--minutes M` it starts no more of them.
 * `--seed S --tell [--without PARTS]` replays one of them and reports what happens; `--broken [NAME]` has the
 * checkers tested by broken engines. Progress goes to standard error.
 */
import { parseArgs } from 'node:util'
import { corpus } from './corpus.ts'
import { commit, seedOf } from './run/commit.ts'
import { hunt, brokenNames, seedsToCatch } from './run/hunt.ts'
import { coverageGaps, coverageTable } from './run/coverageReport.ts'
import { describeShrunk, replayCommand } from './run/failureReport.ts'
import { simulate } from './run/simulate.ts'
import { Crew } from './run/Crew.ts'

const seedsDefault = 1_000
const seedsQuick = 200

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    jobs: { type: 'string' },
    without: { type: 'string' },
    tell: { type: 'boolean', default: false },
    broken: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

const wholeNumber = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isSafeInteger(value) || value < 1) {
    console.error(`"${text}" is not a whole number above 0`)
    process.exit(2)
  }
  return value
}

const seeds = wholeNumber(values.seeds, values.quick ? seedsQuick : seedsDefault)
const from = wholeNumber(values.seed, seedOf(commit()))
const minutes = Number(values.minutes ?? Infinity)
if (!(minutes > 0)) {
  console.error(`"${values.minutes}" is not a number of minutes above 0`)
  process.exit(2)
}
const jobs = wholeNumber(values.jobs, 2)
const startedMs = performance.now()
const seconds = (): number => Math.round((performance.now() - startedMs) / 100) / 10
const progress = (line: string): void => console.error(`${seconds().toFixed(1)} s  ${line}`)

/** Replays one seed, and reports what happens. */
const tell = async (): Promise<boolean> => {
  using crew = new Crew()
  const { shrunk } = await crew.do({ kind: 'tell', seed: from, without: values.without ?? '' })
  console.log(describeShrunk(shrunk!))
  return shrunk!.failure === undefined
}

const catchBroken = async (): Promise<boolean> => {
  const names = positionals.length > 0 ? positionals : brokenNames()
  // The worker of an unknown one would end at once, as if it had been caught.
  const unknown = names.find((name) => !brokenNames().includes(name))
  if (unknown !== undefined) throw new Error(`there is no broken engine "${unknown}"`)
  const catches = await hunt(names, {
    from,
    jobs,
    onCatch: ({ name, seeds: run, caught }) =>
      console.log(
        caught === undefined
          ? `${name}: NOT caught within ${run} seeds`
          : `${name}: caught by "${caught.checker}" at seed ${caught.seed}, the ${ordinal(run)}: ${caught.text.split('\n')[0]}`,
      ),
  })
  const missed = catches.filter(({ caught }) => caught === undefined)
  console.log(
    `${catches.length - missed.length} of ${catches.length} broken engines caught within ${seedsToCatch} seeds from ${from}; ${seconds()} s`,
  )
  if (values.json) console.log(JSON.stringify({ seed: from, catches, seconds: seconds() }))
  return missed.length === 0
}

const ordinal = (n: number): string => {
  const tens = n % 100
  const suffix = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${suffix}`
}

const run = async (): Promise<boolean> => {
  progress(`seeds ${from} to ${from + seeds - 1} of commit ${commit()}, ${jobs} processes`)
  let toldMs = 0
  const summary = await simulate({
    from,
    seeds,
    // Who says how many wants those alone.
    also: values.seeds === undefined ? corpus.map(({ seed }) => seed) : [],
    jobs,
    endMs: startedMs + minutes * 60_000,
    onProgress: (done, failed) => {
      if (performance.now() - toldMs < 10_000) return
      toldMs = performance.now()
      progress(`${done} seeds, ${failed} failed`)
    },
    onFailure: ({ seed, checker, text }) =>
      progress(`seed ${seed} failed: ${checker}: ${text.split('\n')[0]}`),
  })
  const gaps = coverageGaps(summary.coverage, summary.seeds)
  console.log(coverageTable(summary.coverage, summary.seeds))
  for (const shrunk of summary.shrunk) console.log(describeShrunk(shrunk))
  for (const { seed, checker, text } of summary.failed)
    console.log(`seed ${seed} failed: ${checker}: ${text.split('\n')[0]}; ${replayCommand(seed)}`)
  console.log(
    `${summary.seeds} seeds from ${from} of commit ${commit()}, ${summary.failed.length} failed, ${gaps.length} gaps in coverage; ${seconds()} s`,
  )
  if (summary.leftOut > 0)
    console.error(`LEFT OUT: ${summary.leftOut} of ${summary.seeds + summary.leftOut} seeds`)
  if (values.json)
    console.log(
      JSON.stringify({
        commit: commit(),
        seed: from,
        seeds: summary.seeds,
        steps: summary.steps,
        failed: summary.failed,
        coverage: summary.coverage.counts,
        gaps,
        seconds: seconds(),
      }),
    )
  return summary.failed.length === 0 && gaps.length === 0
}

process.exitCode = (await (values.broken ? catchBroken() : values.tell ? tell() : run())) ? 0 : 1
