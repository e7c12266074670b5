import { describe, expect, it } from 'vitest'
import { applyMutant } from '../specs/mutants/applyMutant.ts'

describe('a mutant', () => {
  const mutant = { file: 'libs/a/src/b.ts', from: 'a < b', to: 'a <= b', what: 'one too many' }

  it('replaces its text and leaves the rest', () => {
    expect(applyMutant(mutant, 'if (a < b) $& // b < a')).toBe('if (a <= b) $& // b < a')
  })

  it('puts dollar signs in as they are', () => {
    expect(applyMutant({ ...mutant, to: '`${a}$&`' }, '(a < b)')).toBe('(`${a}$&`)')
  })

  it.each([
    ['is not there', 'if (b > a)', 0],
    ['stands there twice', 'a < b && a < b', 2],
    ['stands there three times', 'a < b, a < b, a < b', 3],
  ])('is refused when its text %s', (_how, source, times) => {
    expect(() => applyMutant(mutant, source)).toThrow(
      `"one too many" expects its text once in libs/a/src/b.ts, and it stands there ${times} times. Adapt \`from\`: a < b`,
    )
  })
})
