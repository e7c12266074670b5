import { expect, it } from 'vitest'
import { messagesPerToken, TokenFlow, tokensMax, type TokenWay } from './TokenFlow.ts'

const way = (key: string, perSecond: number): TokenWay => ({ key, perSecond, lengthPx: 340 })

it('lets a token represent one message while all of them fit', () => {
  expect(messagesPerToken([way('a', 10)], 1)).toBe(1)
  expect(messagesPerToken([], 1)).toBe(1)
})

it('lets a token represent a round number of messages when there are many', () => {
  expect(messagesPerToken([way('a', 50_000), way('b', 50_000)], 1)).toBe(5_000)
})

it('keeps what a token represents until it no longer fits or is far too much', () => {
  expect(messagesPerToken([way('a', 300)], 20)).toBe(20)
  expect(messagesPerToken([way('a', 30)], 20)).toBe(1)
  expect(messagesPerToken([way('a', 900)], 20)).toBe(50)
})

it('sends tokens in proportion to the rates, never more than there may be', () => {
  const ways = [way('a', 20), way('b', 5)]
  const flow = new TokenFlow()
  let most = 0
  for (let i = 0; i < 600; i++) {
    flow.step(1 / 60, ways, 1)
    most = Math.max(most, flow.tokens.length)
  }
  const on = (key: string): number => flow.tokens.filter((token) => token.key === key).length
  expect(on('a')).toBeGreaterThanOrEqual(39)
  expect(on('a')).toBeLessThanOrEqual(41)
  expect(on('b')).toBeGreaterThanOrEqual(9)
  expect(on('b')).toBeLessThanOrEqual(11)
  expect(most).toBeLessThanOrEqual(tokensMax)
  for (let i = 0; i < 60; i++) flow.step(1 / 60, [way('a', 100_000)], 1)
  expect(flow.tokens.length).toBe(tokensMax)
})

it('removes tokens that arrived, and all of a removed edge', () => {
  const flow = new TokenFlow()
  flow.step(0.05, [way('a', 100)], 1)
  expect(flow.tokens.length).toBeGreaterThan(0)
  flow.step(3, [way('a', 0)], 1)
  expect(flow.tokens).toEqual([])
})
