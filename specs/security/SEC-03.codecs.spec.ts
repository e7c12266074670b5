import { expect, it } from 'vitest'
import { fuzzCodecs } from '../fuzz/codecs/fuzzCodecs.ts'

it('[SEC-03] whatever reads texts and bytes from outside refuses hostile ones at once, and with errors of its own', async () => {
  const inputs = 1_000
  const found: string[] = []
  const { codecs, ...result } = await fuzzCodecs({ inputs, seed: 3, tell: (line) => found.push(line) })
  expect(found).toEqual([])
  expect(result).toEqual({ inputs: inputs * codecs, foreignErrors: 0, hangs: 0 })
})
