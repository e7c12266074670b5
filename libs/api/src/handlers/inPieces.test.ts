import { expect, it } from 'vitest'
import { inPieces, jsonAnswer } from './inPieces.ts'

it('writes a long list piece by piece, without what is left out, while others have their turn', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const numbers = Array.from({ length: 1_050 }, (_, n) => n)
  const isWhole = (n: number): boolean => n >= 100 && n % 7 !== 0
  const items = await inPieces(numbers, (n) => (isWhole(n) ? JSON.stringify({ n }) : undefined))
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(10)
  expect(JSON.parse(`[${Buffer.from(items).toString()}]`)).toEqual(
    numbers.filter(isWhole).map((n) => ({ n })),
  )
})

it('writes an empty list as an empty array', async () => {
  const { body, headers } = jsonAnswer('{"none":[', await inPieces([], () => ''), ']}')
  expect(headers['content-type']).toBe('application/json')
  expect(Buffer.from((body as unknown as { body: Uint8Array }).body).toString()).toBe('{"none":[]}')
})
