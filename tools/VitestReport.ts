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
    /** Why the file failed outside of its tests. */
    readonly message: string
    readonly assertionResults: ReadonlyArray<Assertion>
  }>
}

/** A failed test, or a file that failed outside of its tests. */
export interface Failure {
  readonly file: string
  readonly test: string
  readonly message: string
}

/** What Vitest's JSON reporter wrote, reduced to what the suite counts. */
export interface VitestReport {
  readonly tests: ReadonlyArray<Assertion & { readonly file: string }>
  readonly passed: number
  /** Failed tests, and files that failed outside of any test. */
  readonly failed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<Failure>
}

/** Reads a report; a missing one is a run that ended before it could report, which is one failure. */
export const readVitestReport = (file: string): VitestReport => {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    const message = 'The run ended before it could report.'
    return { tests: [], passed: 0, failed: 1, skipped: 0, failures: [{ file: '', test: '', message }] }
  }
  const tests = report.testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file })),
  )
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }): Failure[] => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [{ file: name, test: '', message }]
    return failed.map((test) => ({
      file: name,
      test: test.fullName,
      message: test.failureMessages.join('\n'),
    }))
  })
  const passed = tests.filter((test) => test.status === 'passed').length
  const failed = tests.filter((test) => test.status === 'failed').length
  return { tests, passed, failed: failures.length, skipped: tests.length - passed - failed, failures }
}
