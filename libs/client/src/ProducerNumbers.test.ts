import { expect, it } from 'vitest'
import { limits } from './limits.ts'
import { ProducerNumbers } from './ProducerNumbers.ts'

const counted = () => {
  let ids = 0
  return new ProducerNumbers(() => `p${++ids}`)
}

it('numbers one producer from 1, strictly increasing', () => {
  const numbers = counted()
  expect([numbers.take(), numbers.take()]).toEqual([
    { producer: 'p1', send: 1 },
    { producer: 'p1', send: 2 },
  ])
})

it('switches to another producer rather than run ahead of an unanswered send', () => {
  const numbers = counted()
  const first = numbers.take()!
  for (let i = 2; i <= limits.producerWindowSends; i++) numbers.close(numbers.take()!)
  expect(numbers.take()).toEqual({ producer: 'p2', send: 1 })
  numbers.close(first)
  expect(numbers.take()).toEqual({ producer: 'p1', send: limits.producerWindowSends + 1 })
})

it('gives none when every window is full, and again after an answer', () => {
  const numbers = counted()
  const taken = Array.from({ length: limits.producersMax * limits.producerWindowSends }, () => numbers.take())
  expect(taken.every((each) => each !== undefined)).toBe(true)
  expect(numbers.take()).toBeUndefined()
  numbers.close(taken[0]!)
  expect(numbers.take()).toEqual({ producer: 'p1', send: limits.producerWindowSends + 1 })
})
