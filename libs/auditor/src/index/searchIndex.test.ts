import { parseFilter } from '@kiroku/audit'
import { State } from '@kiroku/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { limits } from '../limits.ts'
import { openIndexToWrite } from './IndexDatabase.ts'
import { IndexWriter } from './IndexWriter.ts'
import { searchIndex, type SearchOptions } from './searchIndex.ts'

const messages = 10 * limits.searchSliceRows
/** Every message whose number is a multiple of this was attempted several times and is a dead letter. */
const rare = 9_001

let writer: IndexWriter

interface Sent {
  readonly queue: string
  readonly number: number
  readonly state: State
  readonly attempt: number
  readonly at: number
  readonly colour: string
  readonly n: number | string
}

/** The messages of two queues. A third of them changed in the same millisecond, as after a purge. */
const sent: readonly Sent[] = ['mail', 'other'].flatMap((queue) =>
  Array.from({ length: messages / 2 }, (_, i) => {
    const number = i + 1
    const isRare = number % rare === 0
    return {
      queue,
      number,
      state: isRare ? State.DLQ : number % 2 === 0 ? State.Committed : State.Available,
      attempt: isRare ? 5 : 1,
      at: number % 3 === 0 ? 10_500 : number * 2,
      colour: isRare ? 'red' : 'blue',
      n: isRare ? `no ${number}` : number,
    }
  }),
)

beforeEach(() => {
  writer = new IndexWriter(openIndexToWrite(undefined))
  for (const [i, name] of ['mail', 'other'].entries()) {
    const queue = writer.queue(0, i + 1)
    writer.nameQueue(queue, name, '{}', 0)
    const stream = writer.stream(queue, 0, 'main')
    for (const { number, state, attempt, at, colour, n } of sent.filter((one) => one.queue === name)) {
      const row = writer.add(stream, number)
      Object.assign(row, { state, attempt, at, sentAt: at, seq: number, sentSeq: number })
      writer.fields(queue, number, [
        { path: 'colour', value: colour },
        { path: 'n', value: n },
      ])
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

/** Each reading of the clock is later than the last by as long as a search may take. */
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

  it.each<[string, (message: Sent) => boolean]>([
    ['attempt:>3', ({ attempt }) => attempt > 3],
    ['queue:mail attempt:>3', ({ queue, attempt }) => queue === 'mail' && attempt > 3],
    ['state:dlq', ({ state }) => state === State.DLQ],
    ['state:live number:>20400', ({ state, number }) => state === State.Available && number > 20_400],
    ['number:>20400', ({ number }) => number > 20_400],
    ['payload.colour:red', ({ colour }) => colour === 'red'],
    ['payload.colour:blue number:>20400', ({ colour, number }) => colour === 'blue' && number > 20_400],
    ['payload.colour:blu* number:<40', ({ colour, number }) => colour === 'blue' && number < 40],
    ['-payload.colour:blue', ({ colour }) => colour !== 'blue'],
    ['-payload.colour:b*', ({ colour }) => colour !== 'blue'],
    ['payload.colour:re*', ({ colour }) => colour === 'red'],
    ['payload.colour:*e*d', ({ colour }) => colour === 'red'],
    ['payload.n:>20400', ({ n }) => Number(n) > 20_400],
    ['payload.n:<=5', ({ n }) => Number(n) <= 5],
    ['payload.n:>10 number:<40', ({ n, number }) => Number(n) > 10 && number < 40],
    ['-payload.n:>10', ({ n }) => !(Number(n) > 10)],
    ['payload.n:7', ({ n }) => n === 7],
    [
      'attempt:1 time:>1970-01-01T00:00:20.000 time:<1970-01-01T00:00:22.000',
      ({ attempt, at }) => attempt === 1 && at > 20_000 && at < 22_000,
    ],
    ['-time:>1970-01-01T00:00:01.000', ({ at }) => at <= 1_000],
  ])('for %s finds everything, in order, at once and in pieces', async (filter, matches) => {
    const expected = sent
      .filter(matches)
      .sort((a, b) => b.at - a.at || b.queue.localeCompare(a.queue) || b.number - a.number)
      .map(({ queue, number }) => `${queue} ${number}`)
    expect(expected.length).toBeGreaterThan(0)
    expect((await searchAll(filter)).found).toEqual(expected)
    expect((await searchAll(filter, 7)).found).toEqual(expected)
    slowDown()
    expect((await searchAll(filter)).found).toEqual(expected)
  })

  it('for a span of time looks at nothing outside of it', async () => {
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

  it('that runs out of time returns a cursor to a whole second, not to a message', async () => {
    slowDown()
    const { messages: found, cursor } = await search('queue:mail attempt:>9')
    expect(found).toEqual([])
    expect(cursor).toMatch(/^\d+000\.0\.0$/)
    const { pages } = await searchAll('queue:mail attempt:>9')
    expect(pages).toBeGreaterThan(2)
  })
})
