import { KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { makeLogger } from './Logger.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')

const linesOf = (format: 'human' | 'json', act: (log: ReturnType<typeof makeLogger>) => void): string[] => {
  const lines: string[] = []
  act(makeLogger({ format, level: 'info', write: (line) => lines.push(line), now }))
  return lines
}

it('writes one JSON object per line', () => {
  const [line] = linesOf('json', (log) =>
    log('warn', 'partition lost', { partition: 3, reason: 'lock taken' }),
  )
  expect(JSON.parse(line!)).toEqual({
    time: '2026-01-02T03:04:05.678Z',
    level: 'warn',
    event: 'partition lost',
    partition: 3,
    reason: 'lock taken',
  })
})

it('writes a readable line as text', () => {
  const lines = linesOf('human', (log) => log('info', 'ready', { url: 'http://x', text: 'two words' }))
  expect(lines).toEqual(['03:04:05.678 INFO  ready url=http://x text="two words"'])
})

it('leaves out what is not known', () => {
  const lines = linesOf('human', (log) =>
    log('warn', 'placement trouble', { partition: undefined, reason: 'x' }),
  )
  expect(lines).toEqual(['03:04:05.678 WARN  placement trouble reason=x'])
})

it('shows an error of Kiroku by id and message', () => {
  const [line] = linesOf('json', (log) =>
    log('error', 'failed', { error: new KirokuError('Timeout', 'late') }),
  )
  expect(JSON.parse(line!)).toMatchObject({ error: { id: 'Timeout', message: 'late' } })
})

it('shows the stack of a failure below its line', () => {
  const lines = linesOf('human', (log) => {
    log('error', 'handlerFailed', { error: new RangeError('x is 7') })
    log('warn', 'retrying', { error: new RangeError('x is 8') })
  })
  expect(lines[0]).toMatch(/^03:04:05.678 ERROR handlerFailed error="x is 7"\n {4}at .*Logger\.test\.ts/)
  expect(lines[1]).toBe('03:04:05.678 WARN  retrying error="x is 8"')
})

it('leaves out what is below its level', () => {
  expect(linesOf('human', (log) => log('debug', 'noise'))).toEqual([])
})
