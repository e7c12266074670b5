import { parseFilter, trace } from '@kiroku/audit'
import { IndexFollower, IndexWriter, openIndexToWrite, searchIndex, traceIndex } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import { messageId } from '@kiroku/protocol'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import type { AuditRun } from './AuditRun.ts'
import { million } from './readThrough.ts'
import { withRecord } from './withRecord.ts'

const perFrame = 100
const traces = 50

/** How fast a record becomes an index, and how fast that answers. */
export const fillIndex = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  progress.step(`writing ${sizes.changes.toLocaleString('en')} changes`)
  const lives = Math.round(sizes.changes / 3)
  const shape = { perFrame, lives, untouched: 10_000, live: 1_000, bodyBytes: 128 }
  return withRecord(shape, async ({ log }) => {
    const rates: number[] = []
    let writer: IndexWriter | undefined
    let changes = 0
    for (let round = 0; round <= sizes.rounds; round++) {
      progress.step(`filling an index, ${round === 0 ? 'warming up' : `round ${round} of ${sizes.rounds}`}`)
      writer?.close()
      writer = new IndexWriter(openIndexToWrite(await folder()))
      const follower = new IndexFollower(0, { log, writer, decodeCheckpoint })
      const began = performance.now()
      await follower.run()
      changes = follower.events
      if (round > 0) rates.push((changes / (performance.now() - began)) * 1_000)
      await follower.close()
    }
    const { database } = writer!
    const { incarnation } = log.meta
    progress.step('traces by the index')
    const taken: number[] = []
    for (let i = 0; i < traces; i++) {
      const number = 1 + Math.floor((i / traces) * lives)
      const began = performance.now()
      await trace(log, messageId({ incarnation, partition: 0, queue: 1, number }), {
        index: traceIndex(database),
      })
      taken.push(performance.now() - began)
    }
    progress.step('searches')
    const search = async (filter: string): Promise<number> => {
      const began = performance.now()
      await searchIndex(database, parseFilter(filter, Date.now()), { incarnation })
      return performance.now() - began
    }
    const inFlight = await search('state:inflight')
    const nothing = await search('queue:mail attempt:>3')
    const room = database.prepare(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
    )
    const bytes = room.get()!['bytes'] as number
    writer!.close()
    return [
      atLeast(`index, frames of ${perFrame}: changes of messages`, median(rates), '/s', 100_000),
      atMost(`trace by the index, ${million(changes)} changes, median`, median(taken), 'ms', 20),
      informs('the same, slowest', Math.max(...taken), 'ms'),
      informs('search for what is in flight', inFlight, 'ms'),
      informs('search that looks at every message', nothing, 'ms'),
      informs('room of the index, a message', bytes / (lives + 11_000), 'B'),
    ]
  })
}
