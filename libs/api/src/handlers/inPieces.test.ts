import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import { expect, it } from 'vitest'
import { turnsDuring } from '../testing/turnsDuring.ts'
import { inPieces, jsonAnswer } from './inPieces.ts'

it('writes a long list piece by piece, without what is left out, while others have their turn', async () => {
  const numbers = Array.from({ length: 1_050 }, (_, n) => n)
  const isWhole = (n: number): boolean => n >= 100 && n % 7 !== 0
  const { value: items, turns } = await turnsDuring(() =>
    inPieces(numbers, (n) => (isWhole(n) ? JSON.stringify({ n }) : undefined)),
  )
  expect(turns).toBeGreaterThanOrEqual(10)
  const whole = { numbers: numbers.filter(isWhole).map((n) => ({ n })), end: 'ü' }
  const response = HttpServerResponse.toWeb(jsonAnswer('{"numbers":[', items, '],"end":"ü"}'))
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(JSON.parse(bytes.toString())).toEqual(whole)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
})

it('writes an empty list as an empty array', async () => {
  const response = HttpServerResponse.toWeb(jsonAnswer('{"none":[', await inPieces([], () => ''), ']}'))
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.text()).toBe('{"none":[]}')
})
