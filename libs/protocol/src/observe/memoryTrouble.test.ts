import { expect, it } from 'vitest'
import { memoryTrouble } from './memoryTrouble.ts'

const MiB = 1024 ** 2

it('says what waits where messages take more memory than a node has for them, and nothing where they do not', () => {
  const trouble = (bytes: number, holdsUntouched?: true) =>
    memoryTrouble('node-1', {
      bytes: bytes * MiB,
      bytesMax: 100 * MiB,
      ...(holdsUntouched && { holdsUntouched }),
    })
  expect([trouble(100), trouble(120), trouble(160, true)]).toEqual([
    undefined,
    'messages take 120 MiB of memory, and node-1 has 100 MiB for them: sends wait until some are consumed',
    'messages take 160 MiB of memory, and node-1 has 100 MiB for them: sends wait, and so does what was never delivered, until messages that were are settled',
  ])
})
