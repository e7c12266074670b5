import type { Reporter, TestCase, Vitest } from 'vitest/node'
import { isAssertion } from './judgeMutant.ts'

/** A reporter of Vitest that ends a run at the first assertion that fails: that kills a mutant, and nothing else would be learned. */
export default class EndAtAssertion implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestCaseResult(test: TestCase): void {
    const errors = test.result().errors ?? []
    if (!errors.some(({ name, message }) => isAssertion(`${name ?? 'Error'}: ${message}`))) return
    // Not waited for: it waits for the run, which waits for its reporters.
    void this.#vitest?.cancelCurrentRun('test-failure')
  }
}
