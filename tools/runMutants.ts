import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { applyMutant } from '../specs/mutants/applyMutant.ts'
import { promiseOf, type SpecMutant } from '../specs/mutants/SpecMutant.ts'
import { comparePromises } from './comparePromises.ts'
import { judgeMutant, type JudgedTest, type Judgement } from './judgeMutant.ts'
import { lateCode, root, runCommand } from './runTarget.ts'
import { specFiles } from './specFiles.ts'
import { specStages } from './Stage.ts'
import { readVitestReport } from './VitestReport.ts'

/** The specs of one mutant take seconds; this ends those that never would. */
const minutesMax = 2
/** Without any mutant the specs of all run at once. */
const soundMinutesMax = 5
/** As many as the smallest runners have cores. */
const atOnceMax = 2

/**
 * Runs the specs of each mutant's promise, first as they are and then with the mutant, two at a time. Progress
 * goes to standard error. `isSound`: that they pass as they are is known. Interrupted, it has not judged all of them.
 */
export const runMutants = async (
  mutants: ReadonlyArray<SpecMutant>,
  { isSound }: { readonly isSound: boolean },
): Promise<ReadonlyMap<string, Judgement>> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-mutants-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  let interrupted = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (interrupted = true))

  if (!isSound)
    console.error(`without mutants: the specs of ${new Set(mutants.map(promiseOf)).size} promises`)
  const green = isSound ? mutants.map(promiseOf) : await greenWithout(mutants, folder)
  const judgements = new Map<string, Judgement>()
  const waiting = [...mutants]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !interrupted; next = waiting.shift()) {
      const { id, what } = next
      const begunMs = performance.now()
      const judgement = await judge(next, green, folder)
      if (interrupted) return
      judgements.set(id, judgement)
      const done = `[${judgements.size}/${mutants.length}]`
      const seconds = ((performance.now() - begunMs) / 1_000).toFixed(0)
      console.error(`${done} ${judgement.verdict} ${id} in ${seconds} s: ${what} – ${judgement.why}`)
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, work))
  return judgements
}

const judge = async (
  mutant: SpecMutant,
  green: ReadonlyArray<string>,
  folder: string,
): Promise<Judgement> => {
  if (!green.includes(promiseOf(mutant)))
    return { verdict: 'broken', why: 'its specs are not green without it' }
  try {
    applyMutant(mutant, readFileSync(path.join(root, mutant.file), 'utf8'))
  } catch (error) {
    return { verdict: 'broken', why: String(error) }
  }
  const { tests, isLate } = await runWith(mutant, folder)
  const judgement = judgeMutant(promiseOf(mutant), tests)
  const why = `its specs took longer than ${minutesMax} minutes`
  return isLate && judgement.verdict !== 'killed' ? { verdict: 'broken', why } : judgement
}

/** The promises whose specs pass when nothing is broken. */
const greenWithout = async (
  mutants: ReadonlyArray<SpecMutant>,
  folder: string,
): Promise<ReadonlyArray<string>> => {
  const files = [...new Set(mutants.flatMap(specFiles))]
  const ids = [...new Set(mutants.map(promiseOf))]
  const report = path.join(folder, 'none.json')
  const chosen = [...files, '-t', `"${ids.join('|')}"`, '--reporter=json', `--outputFile.json=${report}`]
  await runSpecs(chosen, soundMinutesMax)
  return comparePromises(ids, readVitestReport(report).tests).kept
}

const runWith = async (
  mutant: SpecMutant,
  folder: string,
): Promise<{ readonly tests: ReadonlyArray<JudgedTest>; readonly isLate: boolean }> => {
  const report = path.join(folder, `${mutant.id}.json`)
  const chosen = [...specFiles(mutant), '-t', promiseOf(mutant), '--reporter=./tools/mutantReporter.ts']
  const isLate = await runSpecs(chosen, minutesMax, {
    KIROKU_MUTANT: mutant.id,
    KIROKU_MUTANT_REPORT: report,
  })
  return {
    tests: existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as JudgedTest[]) : [],
    isLate,
  }
}

/** Resolves to whether they took longer than they may, and were ended. */
const runSpecs = async (
  chosen: ReadonlyArray<string>,
  minutes: number,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> => {
  // A promise may have specs in any of the stages. What is bundled for them would be without the mutant.
  const projects = specStages.flatMap((stage) => ['--project', stage])
  const command = ['vitest', 'run', ...chosen, ...projects].join(' ')
  const { code } = await runCommand('specs', command, minutes, { env, output: 'dropped' })
  return code === lateCode
}
