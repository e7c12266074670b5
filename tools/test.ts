/**
 * `npm test [-- stage…] [-- --json]`: every check of the project, one stage after another. Progress goes to
 * standard error; standard output ends with the line `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runTarget } from './runTarget.ts'
import { stages, type Stage } from './Stage.ts'
import { readVitestReport } from './VitestReport.ts'

interface Result {
  readonly stage: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
}

const json = process.argv.includes('--json')
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const unknown = wanted.filter((word) => !stages.some((stage) => stage.target === word))
if (unknown.length > 0) {
  console.error(
    `No stage ${unknown.join(', ')}. There are: ${stages.map((stage) => stage.target).join(', ')}.`,
  )
  process.exit(2)
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-test-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const results: Array<Result> = []

const run = async (stage: Stage): Promise<Result> => {
  if (stage.counts === 'one') {
    const { passed, args } = stage.after ?? { passed: [], args: [] }
    const isSpared = passed.every((target) => results.some((r) => r.stage === target && r.failed === 0))
    const { code, seconds } = await runTarget(stage.target, isSpared ? args : [], stage.minutesMax)
    const ok = code === 0
    return { stage: stage.target, passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, seconds }
  }
  const file = path.join(folder, `${stage.target}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { code, seconds } = await runTarget(stage.target, reporters, stage.minutesMax)
  const { passed, failed, skipped } = readVitestReport(file)
  // Vitest also fails on errors outside of tests, such as a rejection nobody handled.
  const unseen = code !== 0 && failed === 0 ? 1 : 0
  return { stage: stage.target, passed, failed: failed + unseen, skipped, seconds }
}

const counts = ({ passed, failed, skipped }: Omit<Result, 'stage' | 'seconds'>): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (interrupted = true))

const chosen = stages.filter((stage) => wanted.length === 0 || wanted.includes(stage.target))
for (const [index, stage] of chosen.entries()) {
  if (interrupted) break
  console.error(`\n[${index + 1}/${chosen.length}] ${stage.target}`)
  const result = await run(stage)
  results.push(result)
  console.error(
    `[${index + 1}/${chosen.length}] ${stage.target}: ${counts(result)} in ${result.seconds.toFixed(1)} s`,
  )
}

const sum = (pick: (result: Result) => number): number =>
  results.reduce((total, result) => total + pick(result), 0)
const total = {
  passed: sum((result) => result.passed),
  failed: sum((result) => result.failed) + (chosen.length - results.length),
  skipped: sum((result) => result.skipped),
}
if (json) console.log(JSON.stringify({ ...total, seconds: sum((result) => result.seconds), stages: results }))
console.log(counts(total))
process.exitCode = total.failed > 0 ? 1 : 0
