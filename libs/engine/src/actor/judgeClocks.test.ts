import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { judgeClocks } from './judgeClocks.ts'

const bound = limits.clockDisputeMs
const last = 1_700_000_000_000
const farOn = last + 5 * 86_400_000

describe('clocks are disputed', () => {
  it.each([
    ['the store’s is beyond the bound', farOn + bound + 1, farOn],
    ['the node’s is beyond the bound', farOn, farOn + bound + 1],
    ['the store’s alone asks for a step', last + bound + 1, last],
    ['the node’s alone asks for a step', last, last + bound + 1],
  ])('where %s', (_, storeMs, nodeMs) => {
    expect(judgeClocks(last, storeMs, nodeMs).isDisputed).toBe(true)
  })
})

describe('clocks agree', () => {
  it.each([
    ['they are no further apart than the bound', farOn + bound, farOn],
    ['they are no further apart than the bound, the other way round', farOn, farOn + bound],
    ['neither asks for a step beyond the bound', last + bound, last - bound],
    ['one is far behind and the other asks for no step', last, last - 2 * bound],
  ])('where %s', (_, storeMs, nodeMs) => {
    expect(judgeClocks(last, storeMs, nodeMs)).toMatchObject({
      isDisputed: false,
      agreedMs: Math.max(storeMs, last),
    })
  })
})

describe('the time that is held while clocks are disputed', () => {
  it('is the store’s where that asks for no step beyond the bound', () => {
    expect(judgeClocks(last, last + bound, farOn).heldMs).toBe(last + bound)
  })

  it.each([
    ['asks for more than that', last + bound + 1],
    ['says that no time went by', last],
    ['is behind', last - 2 * bound],
  ])('is right behind the last frame where the store’s %s', (_, storeMs) => {
    expect(judgeClocks(last, storeMs, farOn).heldMs).toBe(last + 1)
  })

  it('is the store’s in an empty log, which has nothing to lose', () => {
    expect(judgeClocks(0, farOn, last).heldMs).toBe(farOn)
  })
})
