import { expect, it } from 'vitest'
import { consoleMode } from './consoleMode.ts'

it('the console may do everything on loopback and is read-only elsewhere, unless set otherwise', () => {
  expect(consoleMode({ console: undefined }, '127.0.0.1')).toBe('on')
  expect(consoleMode({ console: undefined }, '0.0.0.0')).toBe('read-only')
  expect(consoleMode({ console: 'on' }, '0.0.0.0')).toBe('on')
  expect(consoleMode({ console: 'read-only' }, 'localhost')).toBe('read-only')
})
