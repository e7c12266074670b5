import { KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { Refusals, type Refusal } from './Refusals.ts'

const unknown = new KirokuError('Unauthorized', 'the token is not known')
const forbidden = new KirokuError('Forbidden', 'token "ann" has the role viewer; this needs admin')

const expired = new KirokuError('TokenExpired', 'the token has expired')

const given = () => {
  const told: Refusal[] = []
  return { told, refusals: new Refusals((refusal) => told.push(refusal)) }
}

it('refusals are told once in ten seconds for each origin, with their number', () => {
  const { told, refusals } = given()
  for (let ms = 0; ms < 10_000; ms += 1_000) refusals.refused(unknown, 'http 10.0.0.7', ms)
  refusals.refused(forbidden, 'http 10.0.0.8', 9_000)
  refusals.refused(unknown, 'http 10.0.0.7', 10_000)
  expect(told.map(({ origin, id, count }) => [origin, id, count])).toEqual([
    ['http 10.0.0.7', 'Unauthorized', 1],
    ['http 10.0.0.8', 'Forbidden', 1],
    ['http 10.0.0.7', 'Unauthorized', 10],
  ])
})

it('refusals are counted, and other errors are not', () => {
  const { refusals } = given()
  refusals.refused(unknown, 'a', 0)
  refusals.refused(expired, 'a', 0)
  refusals.refused(forbidden, 'a', 0)
  refusals.refused(forbidden, 'a', 0)
  expect(refusals.refused(new KirokuError('UnknownQueue', 'x'), 'a', 0)).toBe(0)
  expect(refusals.family().samples.map(({ labels, value }) => [labels.error_type, value])).toEqual([
    ['Unauthorized', 1],
    ['TokenExpired', 1],
    ['Forbidden', 2],
  ])
})

it('a caller that presents many wrong tokens waits longer each time, up to half a minute; others do not', () => {
  const { refusals } = given()
  const waits = Array.from({ length: 13 }, () => refusals.refused(unknown, 'a', 0))
  expect(waits).toEqual([...new Array<number>(10).fill(0), 1_000, 2_000, 3_000])
  for (let n = 0; n < 100; n++) refusals.refused(unknown, 'a', 0)
  expect(refusals.refused(unknown, 'a', 0)).toBe(30_000)
  expect(refusals.refused(unknown, 'b', 0)).toBe(0)
  expect(refusals.refused(forbidden, 'a', 0)).toBe(0)
  // A token that was good is no guess.
  expect(refusals.refused(expired, 'a', 0)).toBe(0)
  expect(refusals.refused(unknown, 'a', 60_000)).toBe(0)
})
