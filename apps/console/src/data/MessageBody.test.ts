import { expect, it } from 'vitest'
import { base64OfText, bytesOfBase64, hexLine } from './MessageBody.ts'

it('writes bytes as hex and letters', () => {
  expect(hexLine(new Uint8Array([0x4b, 0x69, 0, 0xff]), 0)).toBe(
    '00000000  4b 69 00 ff                                      Ki··',
  )
})

it('keeps every character of a text on its way through base64', () => {
  const text = '{"n":9007199254740993123,"s":"記録 🦉"}'
  expect(new TextDecoder().decode(bytesOfBase64(base64OfText(text)))).toBe(text)
})
