import { expect, it } from 'vitest'
import { auditorBeatMs, AuditorClaim } from './AuditorClaim.ts'

it('takes the auditor over where nobody runs it', () => {
  const claim = new AuditorClaim('a')
  expect(claim.beat).toBeUndefined()
  claim.look(0, 1_000)
  expect(claim.beat).toEqual({ node: 'a', sinceMs: 1_000 })
  claim.look(5_000, 6_000)
  expect(claim.beat).toEqual({ node: 'a', sinceMs: 1_000 })
})

it('leaves it to the node that says that it runs it, until that has been silent for three beats', () => {
  const claim = new AuditorClaim('a')
  claim.hear({ node: 'b', sinceMs: 9 }, 0)
  claim.look(3 * auditorBeatMs, 10)
  expect(claim.beat).toBeUndefined()
  claim.look(4 * auditorBeatMs, 10)
  expect(claim.beat).toEqual({ node: 'a', sinceMs: 10 })
})

it('waits again after a time in which it could hear nobody', () => {
  const claim = new AuditorClaim('a')
  claim.hear({ node: 'b', sinceMs: 9 }, 0)
  claim.wait(60_000)
  claim.look(60_001, 10)
  expect(claim.beat).toBeUndefined()
})

it('takes it over at once when that node stops', () => {
  const claim = new AuditorClaim('a')
  claim.hear({ node: 'b', sinceMs: 9 }, 0)
  claim.hearEnd()
  claim.look(1, 10)
  expect(claim.beat).toEqual({ node: 'a', sinceMs: 10 })
})

it('of two nodes that run it, the one that began earlier goes on and the other stops', () => {
  const [early, late] = [new AuditorClaim('b'), new AuditorClaim('a')]
  early.look(0, 1_000)
  late.look(0, 1_001)
  const [first, second] = [early.beat!, late.beat!]
  early.hear(second, 1)
  late.hear(first, 1)
  expect(early.beat).toEqual(first)
  expect(late.beat).toBeUndefined()
})

it('of two that began at the same moment, their names decide, and its own beat counts for nothing', () => {
  const [a, b] = [new AuditorClaim('a'), new AuditorClaim('b')]
  a.look(0, 1_000)
  b.look(0, 1_000)
  const [first, second] = [a.beat!, b.beat!]
  a.hear(first, 1)
  a.hear(second, 1)
  b.hear(first, 1)
  expect([a.beat, b.beat]).toEqual([first, undefined])
})
