import { expect, it } from 'vitest'
import { mergeNames } from './mergeNames.ts'

const queue = (name: string, more: object = {}) => ({ name, config: { deadLetter: null }, ...more })

it('one page of names comes from those of all partitions, also of one whose version answers with its queues', () => {
  const queues = [queue('c'), queue('a'), queue('b', { home: {} }), queue('x')] as never
  const lists = [{ queues: [], names: ['b', 'd'] }, { queues }]
  expect(mergeNames(lists, { max: 3 })).toEqual(['a', 'b', 'c'])
  expect(mergeNames(lists, { max: 9, after: 'a' })).toEqual(['b', 'c', 'd', 'x'])
  expect(mergeNames(lists.slice(1), { max: 9, prefix: 'x' })).toEqual(['x'])
  expect(mergeNames(lists.slice(1), { max: 9, deadLetter: 'dead' })).toEqual([])
})
