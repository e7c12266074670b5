/**
 * `npm test [-- stage…] [-- --json]`: every check of the project, one stage after another. Progress goes to
 * standard error; standard output ends with the line `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findChromium, noChromium } from '@kiroku/testkit/chromium'
import { runTarget } from './runTarget.ts'
import { stages, type Stage } from './Stage.ts'
import { readVitestReport, type Failure } from './VitestReport.ts'

interface Result {
  readonly stage: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  readonly failures: ReadonlyArray<Failure>
  /** The last lines of a stage that counts as one check. */
  readonly tail: string
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
    const { passed: before, args } = stage.after ?? { passed: [], args: [] }
    const isSpared = before.every((target) => results.some((r) => r.stage === target && r.failed === 0))
    const {
      code,
      seconds,
      output: tail,
    } = await runTarget(stage.target, isSpared ? args : [], stage.minutesMax, {
      output: 'kept',
    })
    const [passed, failed] = code === 0 ? [1, 0] : [0, 1]
    return {
      stage: stage.target,
      passed,
      failed,
      skipped: 0,
      seconds,
      failures: [],
      tail: failed > 0 ? tail : '',
    }
  }
  const file = path.join(folder, `${stage.target}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { code, seconds } = await runTarget(stage.target, reporters, stage.minutesMax)
  const { passed, failed, skipped, failures } = readVitestReport(file)
  // Vitest also fails on errors outside of tests, such as a rejection nobody handled.
  const unseen = code !== 0 && failed === 0 ? 1 : 0
  return { stage: stage.target, passed, failed: failed + unseen, skipped, seconds, failures, tail: '' }
}

const counts = ({ passed, failed, skipped }: Pick<Result, 'passed' | 'failed' | 'skipped'>): string =>
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

/** What failed, once more in one place: by then its own output is far up. */
const tellFailures = ({ stage, failed, failures, tail }: Result): void => {
  if (failed === 0) return
  console.error(`\n${stage}: ${failed} failed`)
  if (tail !== '') console.error(tail.trimEnd().replaceAll(/^/gm, '    '))
  for (const { file, test, message } of failures) {
    console.error(`  ${path.relative(process.cwd(), file)}${test === '' ? '' : ` › ${test}`}`)
    console.error(message.split('\n').slice(0, 8).join('\n').replaceAll(/^/gm, '    '))
  }
}
for (const result of results) tellFailures(result)
if (findChromium() === undefined && results.some(({ stage }) => stage === 'console'))
  console.error(`\nThe console was SKIPPED: ${noChromium}.`)

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
