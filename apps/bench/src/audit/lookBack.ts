import { Replay, stateAt } from '@kiroku/audit'
import { SavedStateFiles } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import type { AuditRun } from './AuditRun.ts'
import { million } from './readThrough.ts'
import { replayAway } from './replayAway.ts'
import { withRecord } from './withRecord.ts'
import { queueName } from './writeRecord.ts'

const perFrame = 500

/** The state in the middle of a long log, with the moments of a pass before and without. */
export const lookBack = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const lives = Math.round(sizes.longChanges / 3)
  progress.step(`writing ${sizes.longChanges.toLocaleString('en')} changes`)
  const shape = { perFrame, lives, untouched: 10_000, live: 1_000, bodyBytes: 128 }
  return withRecord(shape, async ({ log, changes }) => {
    const handle = await log.partition(0)
    const { lastSeq } = await handle.state()
    const moments = new SavedStateFiles(await folder())
    progress.step('the pass that makes moments')
    const began = performance.now()
    await (await Replay.open(handle, { decodeCheckpoint, moments, keep: Replay.keepDefault })).run()
    const passed = (performance.now() - began) / 1_000
    const notes = await moments.list(0)
    const middle = async (store?: SavedStateFiles): Promise<number> => {
      const taken: number[] = []
      // Places all over the middle third, so that none is next to a moment by luck.
      for (let i = 0; i < sizes.rounds; i++) {
        const seq = Math.round((lastSeq * (1 + i / sizes.rounds)) / 3)
        const from = performance.now()
        const options = {
          decodeCheckpoint,
          now: Date.now(),
          ...(store === undefined ? {} : { moments: store }),
        }
        await stateAt(log, queueName, { seq }, options)
        taken.push(performance.now() - from)
      }
      return store === undefined ? median(taken) : Math.max(...taken)
    }
    progress.step('looking back with moments')
    const near = await middle(moments)
    const elsewhere = await replayAway(log, moments, progress)
    progress.step('looking back without moments')
    const far = await middle()
    await handle.close()
    return [
      atMost(`state in a log of ${million(changes)} changes, slowest`, near, 'ms', 2_000),
      ...elsewhere,
      informs('the same state without moments', far, 'ms'),
      informs('moments that were kept', notes.length, ''),
      informs('their room', notes.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6, 'MB'),
      informs('the pass that made them: changes of messages', changes / passed, '/s'),
    ]
  })
}
