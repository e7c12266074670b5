import { describe, expect, it } from 'vitest'
import { passesByTime, passesInside } from './redriveFilter.ts'

describe('a filter', () => {
  const lineage = {
    messageId: 'x',
    queue: 'orders',
    attempts: 3,
    cause: 'retry',
    error: 'no stock',
    enqueuedAt: 1,
  }
  it.each([
    [{}, {}, true],
    [{ tag: 'eu' }, { tag: 'eu' }, true],
    [{ tag: 'eu' }, {}, false],
    [{ tag: '' }, {}, true],
    [{ cause: 'retry' }, { lineage }, true],
    [{ cause: 'retry' }, {}, false],
    [{ error: 'stock' }, { lineage }, true],
    [{ error: 'price' }, { lineage }, false],
    [{ error: '' }, {}, false],
    [{ attributes: { a: '1' } }, { attributes: { a: '1', b: '2' } }, true],
    [{ attributes: { a: '1', b: '1' } }, { attributes: { a: '1' } }, false],
    [{ attributes: { a: '1' } }, {}, false],
  ])('%j and what is beside the body %j: %s', (filter, meta, passes) => {
    expect(passesInside(filter, meta)).toBe(passes)
  })
  it.each([
    [{}, true],
    [{ enqueuedAfter: 10 }, true],
    [{ enqueuedAfter: 11 }, false],
    [{ enqueuedBefore: 10 }, false],
    [{ enqueuedBefore: 11 }, true],
  ])('%j lets a message of time 10 pass: %s', (filter, passes) => {
    expect(passesByTime(filter, 10)).toBe(passes)
  })
})
