import { readFileSync } from 'node:fs'

interface Assertion {
  readonly fullName: string
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled'
  /** Name, message and stack of each error of a failed test. */
  readonly failureMessages: ReadonlyArray<string>
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: 'passed' | 'failed'
    readonly assertionResults: ReadonlyArray<Assertion>
  }>
}

/** What Vitest's JSON reporter wrote, reduced to what the suite counts. */
export interface VitestReport {
  readonly tests: ReadonlyArray<Assertion>
  readonly passed: number
  /** Failed tests, and files that failed outside of any test. */
  readonly failed: number
  readonly skipped: number
}

/** Reads a report; a missing one is a run that ended before it could report, which is one failure. */
export const readVitestReport = (file: string): VitestReport => {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { tests: [], passed: 0, failed: 1, skipped: 0 }
  }
  const tests = report.testResults.flatMap((result) => result.assertionResults)
  const brokenFiles = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
  )
  const passed = tests.filter((test) => test.status === 'passed').length
  const failed = tests.filter((test) => test.status === 'failed').length
  return { tests, passed, failed: failed + brokenFiles.length, skipped: tests.length - passed - failed }
}
