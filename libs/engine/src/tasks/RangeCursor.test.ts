import { describe, expect, it } from 'vitest'
import { RangeCursor } from './RangeCursor.ts'

describe('a cursor through ranges', () => {
  it('shows the next numbers without leaving them behind', () => {
    const cursor = new RangeCursor([1, 3, 7, 2, 20, 5])
    expect([cursor.left, cursor.peek(2), cursor.peek(4), cursor.peek(100)]).toEqual([
      10,
      [1, 2],
      [1, 3, 7, 1],
      [1, 3, 7, 2, 20, 5],
    ])
  })
  it('leaves everything up to a number behind, wherever that lies', () => {
    const cursor = new RangeCursor([1, 3, 7, 2, 20, 5])
    const after = (n: number): [number, number[]] => {
      cursor.passUpTo(n)
      return [cursor.left, cursor.peek(2)]
    }
    expect(after(0)).toEqual([10, [1, 2]])
    expect(after(2)).toEqual([8, [3, 1, 7, 1]])
    expect(after(5)).toEqual([7, [7, 2]])
    expect(after(2)).toEqual([7, [7, 2]])
    expect(after(21)).toEqual([3, [22, 2]])
    expect(after(24)).toEqual([0, []])
    expect(after(99)).toEqual([0, []])
  })
})
