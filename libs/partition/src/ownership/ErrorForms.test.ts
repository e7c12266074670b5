import { limits } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { ErrorForms } from './ErrorForms.ts'

describe('the most frequent error', () => {
  it('is a form where its texts differ, and a text where most of the form is that one', () => {
    const errors = new ErrorForms()
    errors.note('disk full', 2)
    for (let i = 0; i < 3; i++) errors.note(`order ${i} is unknown`, 1)
    expect(ErrorForms.most([errors])).toBe('order <n> is unknown')
    errors.note('order 7 is unknown', 9)
    expect(ErrorForms.most([errors])).toBe('order 7 is unknown')
  })

  it('goes by the first texts where every one differs, and by all that come again', () => {
    const errors = new ErrorForms()
    errors.note('disk full', 1)
    for (let i = 0; i < limits.recentErrorsRead * 2; i++) errors.note(`order ${i} is unknown`, 1)
    expect(ErrorForms.most([errors])).toBe('order <n> is unknown')
    const later = new ErrorForms()
    later.note('disk full', limits.recentErrorsRead)
    expect(ErrorForms.most([errors, new ErrorForms(), later])).toBe('disk full')
  })
})
