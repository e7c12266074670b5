/**
 * `npm run specs [-- --json] [-- --all]`: runs the executable specifications and compares the promises they
 * prove, `[XX-nn]` in the titles, with `specs/promises.md`. A promise is kept when at least one spec with its
 * id passes and none fails; one whose specs were all skipped, as those of the console are without a browser, is left out
 * of the count and named. With `--all` a promise that is not kept, or an id that no promise has, is a failure.
 *
 * `npm run specs -- --mutants [id…]`: breaks the code on purpose, one promise at a time, and expects an
 * assertion of that promise's specs to fail. A mutant that survives, or that fails in another way, is a failure.
 * With `--sound` they are not run without mutants first: they have just passed. With `--rotating` only those run whose
 * code or specs changed of late, and one part of the others, by the commit; the rest is named.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findChromium, noChromium } from '@kiroku/testkit/chromium'
import { mutants } from '../specs/mutants/mutants.ts'
import { promiseOf, type SpecMutant } from '../specs/mutants/SpecMutant.ts'
import { comparePromises, promisesIn } from './comparePromises.ts'
import { runMutants } from './runMutants.ts'
import { lately, partOf, type Lately } from './rotation.ts'
import { root, runTarget } from './runTarget.ts'
import { specFiles } from './specFiles.ts'
import { patience, specStages, stages } from './Stage.ts'
import { readVitestReport, type VitestReport } from './VitestReport.ts'

const json = process.argv.includes('--json')
const all = process.argv.includes('--all')
const isRotating = process.argv.includes('--rotating')
const isSound = process.argv.includes('--sound')
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))

const showPromises = async (): Promise<number> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-specs-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

  const reports: VitestReport[] = []
  let hasFailed = false
  for (const target of specStages) {
    const file = path.join(folder, `${target}.json`)
    const minutesMax = stages.find((stage) => stage.target === target)!.minutesMax * patience
    const { code } = await runTarget(
      target,
      ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      minutesMax,
    )
    hasFailed ||= code !== 0
    reports.push(readVitestReport(file))
  }
  const promises = promisesIn(readFileSync(path.join(root, 'specs', 'promises.md'), 'utf8'))
  const { kept, missing, leftOut, unknown } = comparePromises(
    promises,
    reports.flatMap(({ tests }) => tests),
  )

  const sum = (of: 'passed' | 'failed' | 'skipped'): number =>
    reports.reduce((total, report) => total + report[of], 0)
  console.log(`${sum('passed')} specs passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
  console.log(`kept ${kept.length} of ${promises.length} promises: ${kept.join(' ')}`)
  if (missing.length > 0) console.log(`not kept: ${missing.join(' ')}`)
  if (leftOut.length > 0) console.log(`left out, as their specs were skipped: ${leftOut.join(' ')}`)
  if (findChromium() === undefined) console.log(`The specs of the console were LEFT OUT: ${noChromium}.`)
  if (unknown.length > 0) console.log(`ids that specs/promises.md does not have: ${unknown.join(' ')}`)
  if (json) console.log(JSON.stringify({ kept, missing }))
  return hasFailed || (all && missing.length + leftOut.length + unknown.length > 0) ? 1 : 0
}

/** With `KIROKU_REQUIRE_ALL=1` what needs one fails without it. */
const hasBrowser = findChromium() !== undefined || process.env['KIROKU_REQUIRE_ALL'] === '1'

const isSeenInBrowser = (mutant: SpecMutant): boolean =>
  specFiles(mutant).every((file) => file.startsWith('specs/console/'))

/** Whether a mutant stood in its list as it stands there now. */
const stood = ({ id }: SpecMutant, { before }: Lately): boolean => {
  for (const file of globSync('specs/mutants/*.ts', { cwd: root })) {
    const text = readFileSync(path.join(root, file), 'utf8')
    const start = text.indexOf(`id: '${id}'`)
    if (start >= 0) return before(file).includes(text.slice(start, text.indexOf('\n  },', start)))
  }
  return false
}

/** Of the mutants whose turn it is not, one of so many runs with a commit. */
const parts = 6

/** Those whose code, text or specs the last commits changed, and one part of the others by the commit; all where git cannot tell. */
const rotated = (all: ReadonlyArray<SpecMutant>): ReadonlyArray<SpecMutant> => {
  const past = lately()
  if (past === undefined) return all
  const isChanged = (mutant: SpecMutant): boolean =>
    !stood(mutant, past) || [mutant.file, ...specFiles(mutant)].some((file) => past.files.has(file))
  const changed = all.filter(isChanged).map(({ id }) => id)
  const rest = all.map(({ id }) => id).filter((id) => !changed.includes(id))
  const turn = partOf(rest, parts, past.commit)
  const chosen = all.filter(({ id }) => changed.includes(id) || turn.includes(id))
  console.error(
    `LEFT OUT: ${all.length - chosen.length} of ${all.length} mutants; ${changed.length} run because the last ${past.commits} commits changed their code or specs, ${turn.length} by the hash of ${past.commit.slice(0, 10)}`,
  )
  return chosen
}

const showMutants = async (): Promise<number> => {
  const named = mutants.filter(
    (mutant) => words.length === 0 || [mutant.id, promiseOf(mutant)].some((id) => words.includes(id)),
  )
  const absent = words.filter(
    (word) => !named.some((mutant) => [mutant.id, promiseOf(mutant)].includes(word)),
  )
  if (absent.length > 0) {
    console.error(`No mutant ${absent.join(', ')}. There are: ${mutants.map(({ id }) => id).join(' ')}`)
    return 2
  }
  const seen = named.filter((mutant) => hasBrowser || !isSeenInBrowser(mutant))
  if (seen.length < named.length)
    console.error(`Mutants that only a browser sees are LEFT OUT: ${noChromium}.`)
  const chosen = isRotating ? rotated(seen) : seen
  if (chosen.length === 0) return 0
  const judgements = await runMutants(chosen, { isSound })
  const those = (verdict: string): ReadonlyArray<string> =>
    chosen.map(({ id }) => id).filter((id) => judgements.get(id)?.verdict === verdict)
  const [killed, survived, broken] = [those('killed'), those('survived'), those('broken')]
  console.log(`${killed.length} of ${chosen.length} mutants killed`)
  if (survived.length > 0) console.log(`survived, so their specs are too weak: ${survived.join(' ')}`)
  if (broken.length > 0) console.log(`failed without an assertion of a spec: ${broken.join(' ')}`)
  const unjudged = chosen.length - judgements.size
  if (unjudged > 0) console.log(`not judged, as the run was ended before: ${unjudged}`)
  if (json) console.log(JSON.stringify({ killed, survived, broken }))
  return killed.length === chosen.length ? 0 : 1
}

process.exitCode = process.argv.includes('--mutants') ? await showMutants() : await showPromises()
