/**
 * `npm test [-- stage…] [--full] [--json]`: every check of the project, stage by stage, those that fit
 * alongside another one in its shadow. Progress goes to standard error; standard output ends with the line `N
 * passed, N failed`. Rotating stages run by what changed and by the commit, and say what they leave out;
 * `--full` runs everything.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findChromium, noChromium } from '@kiroku/testkit/chromium'
import { inTurn, lately } from './rotation.ts'
import { root, runTarget } from './runTarget.ts'
import { patience, stages, type Stage } from './Stage.ts'
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
  /** In its own words, what it did not check this time. */
  readonly leftOut: ReadonlyArray<string>
}

const isFull = process.argv.includes('--full')
// Lists in the console are then as long as they may become.
if (isFull) process.env['KIROKU_FULL'] = '1'
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

const runOne = async (stage: Stage, output: 'kept' | 'held'): Promise<Result> => {
  const { passed: before, args } = stage.after ?? { passed: [], args: [] }
  const isSpared = before.every((target) =>
    results.some((r) => r.stage === target && r.failed === 0 && r.leftOut.length === 0),
  )
  const told = [...(isSpared ? args : []), ...(isFull ? [] : (stage.unlessFull ?? []))]
  const {
    code,
    seconds,
    output: tail,
  } = await runTarget(stage.target, told, stage.minutesMax * patience, { output })
  if (output === 'held') console.error(tail.trimEnd())
  const [passed, failed] = code === 0 ? [1, 0] : [0, 1]
  return {
    stage: stage.target,
    passed,
    failed,
    skipped: 0,
    seconds,
    failures: [],
    tail: failed > 0 ? lastLines(tail) : '',
    leftOut: [...tail.matchAll(/^LEFT OUT: (.*)$/gm)].map(([, what = '']) => what),
  }
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-40).join('\n')

const runTests = async (stage: Stage, output: 'passed' | 'held'): Promise<Result> => {
  const file = path.join(folder, `${stage.target}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { files, leftOut } = turnOf(stage)
  const {
    code,
    seconds,
    output: held,
  } = await runTarget(stage.target, [...files, ...reporters], stage.minutesMax * patience, { output })
  if (output === 'held') console.error(held.trimEnd())
  const { passed, failed, skipped, failures } = readVitestReport(file)
  // Vitest also fails on errors outside of tests, such as a rejection that nothing handled.
  const unseen = code !== 0 && failed === 0 ? 1 : 0
  return {
    stage: stage.target,
    passed,
    failed: failed + unseen,
    skipped,
    seconds,
    failures,
    tail: '',
    leftOut,
  }
}

/** The files of a stage that are run this time, none named where all are, and what that leaves out. */
const turnOf = ({ turns }: Stage): Pick<Result, 'leftOut'> & { readonly files: ReadonlyArray<string> } => {
  if (turns === undefined || isFull) return { files: [], leftOut: [] }
  const all = globSync(turns.files, { cwd: root }).toSorted()
  const inTheirTurn = new Set(inTurn(all, turns, lately()))
  const others = new Set(all.filter((file) => !inTheirTurn.has(file)))
  if (others.size === 0) return { files: [], leftOut: [] }
  const files = globSync(turns.among ?? turns.files, { cwd: root }).filter((file) => !others.has(file))
  return { files, leftOut: [`${others.size} of ${all.length} files`] }
}

const counts = ({ passed, failed, skipped }: Pick<Result, 'passed' | 'failed' | 'skipped'>): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (interrupted = true))

const chosen = stages.filter((stage) => wanted.length === 0 || wanted.includes(stage.target))
const names = new Set(chosen.map((stage) => stage.target))
/** Whether it runs in the shadow of another stage: what it says is held until it ends. */
const isBeside = ({ beside }: Stage): boolean => beside !== undefined && names.has(beside)
let begun = 0

const run = async (stage: Stage): Promise<void> => {
  const mark = `[${++begun}/${chosen.length}]`
  console.error(`\n${mark} ${stage.target}${isBeside(stage) ? `, alongside ${stage.beside}` : ''}`)
  const result = await (stage.counts === 'one'
    ? runOne(stage, isBeside(stage) ? 'held' : 'kept')
    : runTests(stage, isBeside(stage) ? 'held' : 'passed'))
  results.push(result)
  const over = result.seconds > stage.minutesMax * 60 ? `, over its budget of ${stage.minutesMax} min` : ''
  console.error(`${mark} ${stage.target}: ${counts(result)} in ${result.seconds.toFixed(1)} s${over}`)
}

const startedMs = performance.now()
/** One after another. */
const runAll = async (some: ReadonlyArray<Stage>): Promise<void> => {
  for (const stage of some) if (!interrupted) await run(stage)
}
for (const stage of chosen.filter((each) => !isBeside(each)))
  await Promise.all([runAll([stage]), runAll(chosen.filter(({ beside }) => beside === stage.target))])
const seconds = (performance.now() - startedMs) / 1000

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

for (const { stage, leftOut } of results)
  for (const what of leftOut)
    console.error(`\n${stage} rotates, and left out ${what}. \`npm test -- --full\` leaves out nothing.`)

const sum = (pick: (result: Result) => number): number =>
  results.reduce((total, result) => total + pick(result), 0)
const total = {
  passed: sum((result) => result.passed),
  failed: sum((result) => result.failed) + (chosen.length - results.length),
  skipped: sum((result) => result.skipped),
}
if (json) console.log(JSON.stringify({ ...total, seconds, stages: results }))
console.log(counts(total))
process.exitCode = total.failed > 0 ? 1 : 0
