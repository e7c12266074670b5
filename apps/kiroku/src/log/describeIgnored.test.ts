import { expect, it } from 'vitest'
import { describeIgnored } from './describeIgnored.ts'

const log = { name: 'main', partitions: 8, replicas: 3 }

it('names what an existing log contradicts, and neither what fits it nor a default', () => {
  expect(describeIgnored({ partitions: 8, replicas: 3 }, log)).toEqual([])
  expect(describeIgnored({ partitions: 4, replicas: 1 }, log)).toEqual([])
  expect(describeIgnored({ partitions: 16, replicas: 5 }, log)).toEqual([
    'warning: --partitions 16 is ignored: log main was created with 8, which stays',
    'warning: --replicas 5 is ignored: log main was created with 3, which stays',
  ])
})
