import { deserialize, serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { joinAnswer, splitAnswer } from './splitAnswer.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** An answer as it arrives, and the largest list that came in one message. */
const sent = (answer: unknown) => {
  const { parts, rest } = splitAnswer(answer)
  const arrived = [...parts, rest].map((message): unknown => deserialize(serialize(message)))
  return {
    answer: joinAnswer(arrived.slice(0, -1) as typeof parts, arrived.at(-1)),
    largest: Math.max(0, ...parts.map(({ items }) => items.length)),
    parts: parts.length,
  }
}

describe('a long answer goes in parts', () => {
  it.each([
    ['a list', numbers(1_234)],
    [
      'several lists among other things',
      { at: 5, queues: numbers(501), more: numbers(3), acts: numbers(1_000) },
    ],
  ])('and arrives as it was: %s', (_, answer) => {
    const { answer: arrived, largest, parts } = sent(answer)
    expect(arrived).toEqual(answer)
    expect(parts).toBeGreaterThan(2)
    expect(largest).toBe(500)
  })

  it('but what is short, or has no list, does not', () => {
    for (const answer of [
      numbers(500),
      { queues: numbers(500) },
      new Uint8Array(5_000),
      undefined,
      null,
      7,
      'x'.repeat(999),
    ])
      expect(sent(answer)).toEqual({ answer, largest: 0, parts: 0 })
  })

  it('and the answer itself stays as it was, since it may be kept', () => {
    const answer = { queues: numbers(600) }
    splitAnswer(answer)
    expect(answer.queues).toHaveLength(600)
  })
})
