import { errorRegistry, KirokuError, type ErrorId } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { reportError } from './Output.ts'

describe('a reported error', () => {
  it.each(Object.keys(errorRegistry) as ErrorId[])(
    '%s exits with the code of the registry and says what to do',
    (id) => {
      const { exit, human, machine } = reportError(new KirokuError(id, 'it happened'), false)
      expect(exit).toBe(errorRegistry[id].exit)
      expect(exit).toBeGreaterThan(0)
      expect(human).toContain(`error ${id}: it happened\n  ${errorRegistry[id].help}`)
      expect(machine.error).toMatchObject({ id, message: 'it happened', help: errorRegistry[id].help })
    },
  )

  it('shows no stack, unless requested; then also those of its causes', () => {
    const error = new KirokuError('Timeout', 'late', { cause: new TypeError('the cause') })
    expect(reportError(error, false).human).not.toMatch(/\n\s+at /)
    expect(reportError(error, true).human).toMatch(/\n\s+at [^]*caused by: TypeError: the cause\n\s+at /)
  })

  it.each([[new RangeError('odd')], ['a string'], [undefined]])(
    'that is not of Kiroku (%s) is Internal',
    (thrown) => {
      const { exit, human } = reportError(thrown, false)
      expect(exit).toBe(1)
      expect(human).toMatch(/^error Internal: .*\n.*report it.*\n.*KIROKU_DEBUG=1/)
    },
  )
})
