import { parseFilter } from '@kiroku/audit'
import { State } from '@kiroku/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { limits } from '../limits.ts'
import { openIndexToWrite } from './IndexDatabase.ts'
import { IndexWriter } from './IndexWriter.ts'
import { searchIndex, type SearchOptions } from './searchIndex.ts'

const messages = 10 * limits.searchSliceRows
/** One in so many was tried often, and is dead. */
const rare = 9_001

let writer: IndexWriter

/** An index of two queues. A third of the messages changed in the same millisecond, as after a purge. */
beforeEach(() => {
  writer = new IndexWriter(openIndexToWrite(undefined))
  for (const [i, name] of ['mail', 'other'].entries()) {
    const queue = writer.queue(0, i + 1)
    writer.nameQueue(queue, name, '{}', 0)
    const stream = writer.stream(queue, 0, 'main')
    for (let number = 1; number <= messages / 2; number++) {
      const row = writer.add(stream, number)
      const isRare = number % rare === 0
      row.state = isRare ? State.DLQ : number % 2 === 0 ? State.Committed : State.Available
      row.attempt = isRare ? 5 : 1
      row.at = row.sentAt = number % 3 === 0 ? 10_500 : number * 2
      row.seq = row.sentSeq = number
      writer.fields(queue, number, [{ path: 'colour', value: isRare ? 'red' : 'blue' }])
    }
  }
  writer.flush()
})
afterEach(() => {
  vi.restoreAllMocks()
  writer.close()
})

const search = (filter: string, options: Partial<SearchOptions> = {}) =>
  searchIndex(writer.database, parseFilter(filter, 0), { incarnation: 'memory', ...options })

/** Everything that a search finds, page by page, and how many pages that took. */
const searchAll = async (filter: string, limit = 1_000) => {
  const found: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await search(filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.messages.map(({ queue, number }) => `${queue} ${number}`))
    cursor = page.cursor
    pages++
  } while (cursor !== undefined)
  return { found, pages }
}

/** Every look at the clock takes as long as a search may. */
const slowDown = (): void => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += limits.searchMs))
}

describe('a search', () => {
  it('that matches little of a large index lets others have their turn', async () => {
    let pauses = 0
    const pause = () => Promise.resolve(pauses++)
    const { messages: found, cursor } = await search('attempt:>3', { pause })
    const rareOnes = ['mail', 'other'].flatMap((queue) => [`${queue} ${2 * rare}`, `${queue} ${rare}`])
    expect(found.map(({ queue, number }) => `${queue} ${number}`).sort()).toEqual(rareOnes)
    expect(cursor).toBeUndefined()
    expect(pauses).toBeGreaterThanOrEqual(messages / limits.searchSliceRows - 1)
  })

  it.each([
    'attempt:>3',
    'queue:mail attempt:>3',
    'state:dlq',
    'state:live number:>20400',
    'payload.colour:red',
    'payload.colour:blue number:>20400',
    'payload.colour:blu* number:<40',
    '-payload.colour:blue',
    'number:>20400',
    'attempt:1 time:>1970-01-01T00:00:20.000 time:<1970-01-01T00:00:22.000',
    '-time:>1970-01-01T00:00:01.000',
  ])('for %s finds in pieces what it finds at once, in the same order', async (filter) => {
    const { found } = await searchAll(filter)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found).size).toBe(found.length)
    expect((await searchAll(filter, 7)).found).toEqual(found)
    slowDown()
    expect((await searchAll(filter)).found).toEqual(found)
  })

  it('within a time goes through nothing beyond it', async () => {
    let pauses = 0
    const pause = () => Promise.resolve(pauses++)
    const { messages: found } = await search('attempt:1 time:>1970-01-01T00:00:35.000', {
      pause,
      limit: 1_000,
    })
    expect(found.length).toBe(1_000)
    expect(await search('attempt:>9 time:>1970-01-01T00:00:35.000', { pause })).toMatchObject({
      messages: [],
    })
    expect(pauses).toBeLessThan(5)
  })

  it('that takes too long says where it was, by a whole second and not by a message', async () => {
    slowDown()
    const { messages: found, cursor } = await search('queue:mail attempt:>9')
    expect(found).toEqual([])
    expect(cursor).toMatch(/^\d+000\.0\.0$/)
    const { pages } = await searchAll('queue:mail attempt:>9')
    expect(pages).toBeGreaterThan(2)
  })
})
