import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, Vitest } from 'vitest/node'
import { isAssertion, type JudgedTest } from './judgeMutant.ts'

/**
 * A reporter of Vitest that ends a run at the first assertion that fails: that kills a mutant, and nothing else would be
 * learned. What was learned is written to the file `KIROKU_MUTANT_REPORT` after each test, since a run that is cancelled, or
 * takes too long, may end without a report.
 */
export default class MutantReporter implements Reporter {
  readonly #tests: JudgedTest[] = []
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result()
    const failureMessages = errors.map(({ name, message }) => `${name ?? 'Error'}: ${message}`)
    this.#tests.push({ fullName: test.fullName, status: state, failureMessages })
    writeFileSync(process.env['KIROKU_MUTANT_REPORT']!, JSON.stringify(this.#tests))
    // Not waited for: it waits for the run, which waits for its reporters.
    if (failureMessages.some(isAssertion)) void this.#vitest?.cancelCurrentRun('test-failure')
  }
}
