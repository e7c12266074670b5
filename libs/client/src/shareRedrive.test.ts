import { expect, it } from 'vitest'
import { shareRedrive } from './shareRedrive.ts'

it('shares the rate out among the parts that have messages, a whole number to each', () => {
  expect(shareRedrive({ rateMax: 8 }, [5, 0, 3, 9])).toEqual([
    { rateMax: 2 },
    undefined,
    { rateMax: 3 },
    { rateMax: 3 },
  ])
  expect(() => shareRedrive({ rateMax: 2 }, [5, 0, 3, 9])).toThrow('a rate of 2 cannot be shared out')
})

it('gives the home a task in any case, which is bounded where it is the only one', () => {
  expect(shareRedrive({ rateMax: 1, messagesMax: 7 }, [0, 0])).toEqual([
    { rateMax: 1, messagesMax: 7 },
    undefined,
  ])
  expect(shareRedrive({ rateMax: 1 }, [0, 4])).toEqual([{}, { rateMax: 1 }])
})

it('gives each part no more messages than it has, until all are given away', () => {
  expect(shareRedrive({ messagesMax: 7 }, [5, 4, 3])).toEqual([
    { messagesMax: 5 },
    { messagesMax: 2 },
    undefined,
  ])
  // What a part has may not be known.
  expect(shareRedrive({ messagesMax: 7 }, [Infinity, Infinity])).toEqual([{ messagesMax: 7 }, undefined])
  expect(shareRedrive({}, [Infinity, 1])).toEqual([{}, {}])
})
