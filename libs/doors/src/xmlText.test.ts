import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asXmlText, isXmlText } from './xmlText.ts'

/** What XML 1.0 lets a document hold, by code point. */
const isChar = (point: number): boolean =>
  [0x9, 0xa, 0xd].includes(point) ||
  (point >= 0x20 && point <= 0xd7ff) ||
  (point >= 0xe000 && point <= 0xfffd) ||
  point >= 0x10000

it('knows of every code unit, alone and between others, whether XML can hold it', () => {
  const wrong: string[] = []
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit)
    for (const [before, after] of [
      ['', ''],
      ['a€', '😀'],
    ] as const) {
      const text = `${before}${character}${after}`
      const held = isChar(unit) ? text : `${before}\uFFFD${after}`
      if (isXmlText(text) !== isChar(unit) || asXmlText(text) !== held) wrong.push(unit.toString(16))
    }
  }
  expect(wrong).toEqual([])
})

it('knows the same of any text', () => {
  const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const points = Array.from(text, (character) => character.codePointAt(0)!)
      expect(isXmlText(text)).toBe(points.every(isChar))
      const held = points.map((point) => (isChar(point) ? String.fromCodePoint(point) : '\uFFFD'))
      expect(asXmlText(text)).toBe(held.join(''))
    }),
    { seed: 5 },
  )
})
