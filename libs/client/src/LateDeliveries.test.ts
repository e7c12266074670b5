import type { Delivery } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { LateDeliveries } from './LateDeliveries.ts'

const given = () => {
  const released: number[] = []
  return { released, late: new LateDeliveries(({ delivery }) => released.push(delivery)) }
}
const delivery = (n: number, attempt?: string): Delivery => ({
  queue: 1,
  sub: 0,
  delivery: n,
  now: 0,
  leaseUntil: 0,
  numbers: [n, 1],
  attempts: [1],
  enqueuedAt: [0],
  messages: [],
  ...(attempt === undefined ? {} : { attempt }),
})

describe('a delivery that arrives after its request was given up', () => {
  it('is released', () => {
    const { released, late } = given()
    late.late(delivery(1))
    late.late(delivery(2, 'a'))
    expect(released).toEqual([1, 2])
  })
  it('is kept when the receive was repeated and got the same one', () => {
    const { released, late } = given()
    late.begun('a')
    late.over('a', 1, true)
    late.late(delivery(1, 'a'))
    expect(released).toEqual([])
  })
  it('waits for what the receive in flight gets', () => {
    const { released, late } = given()
    late.begun('a')
    late.late(delivery(1, 'a'))
    late.late(delivery(2, 'a'))
    expect(released).toEqual([])
    late.over('a', 2, true)
    expect(released).toEqual([1])
  })
  it('is released when the receive got nothing in the end', () => {
    const { released, late } = given()
    late.begun('a')
    late.late(delivery(1, 'a'))
    late.over('a', undefined, true)
    late.late(delivery(1, 'a'))
    expect(released).toEqual([1, 1])
  })
  it('is released when the receive got another one', () => {
    const { released, late } = given()
    late.over('a', 2, true)
    late.late(delivery(1, 'a'))
    late.late(delivery(2, 'b'))
    expect(released).toEqual([1, 2])
  })
  it('is not remembered for receives that were sent once', () => {
    const { released, late } = given()
    late.begun('a')
    late.over('a', 1, false)
    late.late(delivery(1, 'a'))
    expect(released).toEqual([1])
  })
})
