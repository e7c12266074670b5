import { describe, expect, it } from 'vitest'
import { shown, shownJson } from './shown.ts'

describe('text that came from others', () => {
  it('is shown with its control characters spelled out', () => {
    expect(shown('\u001b[2J\u001b]0;owned\u0007')).toBe(String.raw`\x1b[2J\x1b]0;owned\x07`)
    expect(shown('\u009b31m\u007f')).toBe(String.raw`\x9b31m\x7f`)
    expect(shown('overwritten\rby')).toBe(String.raw`overwritten\x0dby`)
  })

  it('cannot be reversed or hidden', () => {
    expect(shown('user\u202enimda')).toBe(String.raw`user\u202enimda`)
    expect(shown('a\u200bb\u2066c')).toBe(String.raw`a\u200bb\u2066c`)
  })

  it('stays as it is where it is harmless', () => {
    const text = 'a line\r\n\tnext: Grüße, 記録, 👩‍👩‍👧, 👩🏽'
    expect(shown(text)).toBe(text)
  })

  it('is the same value in JSON', () => {
    const value = { text: '\u001b[31m\u009b\u007f\u202e\u2028 \\ "' }
    const json = shownJson(JSON.stringify(value))
    expect(JSON.parse(json)).toEqual(value)
    expect(shown(json)).toBe(json)
  })
})
