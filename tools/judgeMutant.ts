/** What a mutant is judged by: a test that ran with it, or was left out. */
export interface JudgedTest {
  readonly fullName: string
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending'
  /** Name and message of each error. */
  readonly failureMessages: ReadonlyArray<string>
}

/** What became of a mutant; all but `killed` are failures. */
export interface Judgement {
  readonly verdict: 'killed' | 'survived' | 'broken'
  /** Why, in the words of the spec or of the error. */
  readonly why: string
}

/** Whether an error of a test, as its name and message, is of an assertion. Of `rejects` and `resolves` Vitest reports a plain error. */
export const isAssertion = (error: string): boolean =>
  /^(AssertionError\b|Error: promise (resolved|rejected) .* instead of )/.test(error)

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

/**
 * Judges the specs of a promise that ran with its mutant. Only an assertion of a spec kills: an error that
 * would also come of code that does not run at all proves nothing about the spec.
 */
export const judgeMutant = (id: string, tests: ReadonlyArray<JudgedTest>): Judgement => {
  const own = tests.filter(
    ({ fullName, status }) => fullName.includes(`[${id}]`) && (status === 'passed' || status === 'failed'),
  )
  const errors = own.flatMap((test) => test.failureMessages)
  const assertion = errors.find(isAssertion)
  if (assertion !== undefined) return { verdict: 'killed', why: firstLine(assertion) }
  if (errors[0] !== undefined) return { verdict: 'broken', why: firstLine(errors[0]) }
  if (own.length === 0) return { verdict: 'broken', why: `no spec with [${id}] in its title ran` }
  return { verdict: 'survived', why: `specs that pass: ${own.length}` }
}
