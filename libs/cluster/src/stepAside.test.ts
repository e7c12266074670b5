import { expect, it } from 'vitest'
import { stepAside } from './stepAside.ts'

const refused = { partition: 1, reason: 'a newer Kiroku wrote it' }
const aside = (...nodes: Parameters<typeof stepAside>[0]) => [...stepAside(nodes)]

it('a node that cannot read a partition takes none while a node of a higher feature level can', () => {
  expect(aside({ address: 'a', featureLevel: 1, refused }, { address: 'b', featureLevel: 2 })).toEqual(['a'])
  expect(aside({ address: 'a', refused }, { address: 'b', featureLevel: 1 })).toEqual(['a'])
})

it('a node that can read everything takes its share, whatever its feature level', () => {
  expect(aside({ address: 'a', featureLevel: 1 }, { address: 'b', featureLevel: 2 })).toEqual([])
  expect(aside({ address: 'a' }, { address: 'b', featureLevel: 2 })).toEqual([])
})

it('nobody steps aside for a node that reads no more, or that cannot read a partition itself', () => {
  expect(aside({ address: 'a', featureLevel: 1, refused })).toEqual([])
  expect(aside({ address: 'a', featureLevel: 1, refused }, { address: 'b', featureLevel: 1 })).toEqual([])
  const both = [
    { address: 'a', featureLevel: 1, refused },
    { address: 'b', featureLevel: 2, refused },
  ]
  expect(aside(...both)).toEqual([])
  expect(aside(...both, { address: 'c', featureLevel: 3 })).toEqual(['a', 'b'])
})
