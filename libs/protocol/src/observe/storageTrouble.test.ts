import { expect, it } from 'vitest'
import type { StorageDescription } from './PartitionDescription.ts'
import { storageTrouble } from './storageTrouble.ts'

const roomy = { state: 'enough', freeBytes: 80, bytesMax: 100, reserveBytes: 10, earlyTrims: 3 } as const
const trouble = (...storages: StorageDescription[]) => storageTrouble(storages, (n) => `${n} bytes`)

it('a store with room is no trouble, and neither is an unreported one', () => {
  expect([trouble(), trouble(roomy, roomy)]).toEqual([undefined, undefined])
})

it('reports the partition that is worst off', () => {
  const short = { ...roomy, state: 'short', freeBytes: 15 } as const
  const full = { ...roomy, state: 'full', freeBytes: 5 } as const
  expect(trouble(roomy, short)).toMatchObject({
    state: 'short',
    what: 'the store has 15 bytes of 100 bytes left: the record is kept shorter than its limits',
  })
  expect(trouble(short, full)).toMatchObject({
    state: 'full',
    what: 'the store has 5 bytes of 100 bytes left: sends are refused until 10 bytes are free',
  })
})

it('a store that does not report its room is known to be full by its refusal', () => {
  expect(trouble({ state: 'full', earlyTrims: 0 })?.what).toBe(
    'the store refused to take more: sends are refused until it has room again',
  )
})
