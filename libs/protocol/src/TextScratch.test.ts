import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextScratch } from './TextScratch.ts'

it('encodes any text as UTF-8, whatever came before it', () => {
  const scratch = new TextScratch()
  const encoder = new TextEncoder()
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    // On both sides of the lengths at which it grows, and from which on a text has an array of its own.
    fc.nat(400_000).map((length) => '€'.repeat(length)),
    fc.constantFrom('', '\ud800', 'x\udfffy'),
  )
  fc.assert(
    fc.property(text, (each) => {
      expect(scratch.encode(each).slice()).toEqual(encoder.encode(each))
    }),
    { seed: 5, numRuns: 60 },
  )
})
