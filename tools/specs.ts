/**
 * `npm run specs [-- --json] [-- --all]`: runs the executable specifications and compares the promises they
 * prove, `[XX-nn]` in the titles, with `specs/promises.md`. A promise is kept when at least one spec with its
 * id passes and none fails. With `--all` a promise that is not kept, or an id that no promise has, is a failure.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { comparePromises, promisesIn } from './comparePromises.ts'
import { root, runTarget } from './runTarget.ts'
import { stages } from './Stage.ts'
import { readVitestReport } from './VitestReport.ts'

const json = process.argv.includes('--json')
const all = process.argv.includes('--all')

const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-specs-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const file = path.join(folder, 'specs.json')
const minutesMax = stages.find((stage) => stage.target === 'specs')?.minutesMax ?? 0
const { code } = await runTarget(
  'specs',
  ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
  minutesMax,
)

const report = readVitestReport(file)
const promises = promisesIn(readFileSync(path.join(root, 'specs', 'promises.md'), 'utf8'))
const { kept, missing, unknown } = comparePromises(promises, report.tests)

console.log(`${report.passed} specs passed, ${report.failed} failed, ${report.skipped} skipped`)
console.log(`kept ${kept.length} of ${promises.length} promises: ${kept.join(' ')}`)
if (missing.length > 0) console.log(`not kept: ${missing.join(' ')}`)
if (unknown.length > 0) console.log(`ids that specs/promises.md does not have: ${unknown.join(' ')}`)
if (json) console.log(JSON.stringify({ kept, missing }))

process.exitCode = code !== 0 || (all && missing.length + unknown.length > 0) ? 1 : 0
