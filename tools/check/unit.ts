/**
 * `node tools/check/unit.ts`: the unit tests except the long properties (`*.prop.test.ts`), and only those
 * that have not passed unchanged: a test's key is the contents of every file that running it leads to.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ownFiles, readImportGraph } from '../ImportGraph.ts'
import { root, runTarget } from '../runTarget.ts'
import { keyOf, readCache, writeCache } from './cache.ts'
import { whatRunning } from './running.ts'

const files = ownFiles()
const closureOfTest = whatRunning(files, readImportGraph(files))

const tests = files.filter((file) => /^(libs|apps)\/.*(?<!\.(int|prop))\.test\.ts$/.test(file))
const always = [
  'vitest.config.ts',
  'tsconfig.base.json',
  'tools/ImportGraph.ts',
  'tools/check/NamedImports.ts',
  'tools/check/running.ts',
  'tools/check/unit.ts',
]

const keyOfTest = (file: string): string => keyOf(new Set([...(closureOfTest(file) ?? files), ...always]))
const passed = readCache<Readonly<Record<string, string>>>('unit', {})
const keys = new Map(tests.map((file) => [file, keyOfTest(file)]))
const due = tests.filter((file) => passed[file] !== keys.get(file))

interface Report {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly status: string }>
}

/** One more than the smallest machines have cores: a third of what these tests take is waiting. */
const workersMax = 3

const runDue = async (): Promise<number> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-check-'))
  try {
    const report = path.join(folder, 'report.json')
    const reporters = [
      '--reporter=dot',
      '--silent=passed-only',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]
    const { code } = await runTarget('unit', [...due, ...reporters, `--maxWorkers=${workersMax}`], 5)
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
    const now = testResults
      .filter(({ status }) => status === 'passed')
      .map(({ name }) => path.relative(root, name).split(path.sep).join('/'))
    // An error outside of all tests is of no file that we could name.
    if (code === 0 || testResults.some(({ status }) => status === 'failed'))
      writeCache(
        'unit',
        Object.fromEntries(
          tests.flatMap((file) => {
            const key = now.includes(file) ? keys.get(file) : due.includes(file) ? undefined : passed[file]
            return key === undefined ? [] : [[file, key]]
          }),
        ),
      )
    return code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = due.length === 0 ? 0 : await runDue()
console.log(`${due.length} of ${tests.length} files`)
