import { expect, it } from 'vitest'
import { backlogSeries } from './backlogSeries.ts'

it('counts back from what waits now, as far as anything is known', () => {
  expect(backlogSeries(12, 2, [undefined, 4, -1, 3])).toEqual([undefined, 8, 7, 10])
})
