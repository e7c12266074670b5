import { Replay, trace, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { messageId } from '@kiroku/protocol'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import type { AuditRun } from './AuditRun.ts'
import { withRecord } from './withRecord.ts'

const perFrame = 100

/** Replay, verification and a trace without an index, each through the whole record. */
export const readThrough = async ({ sizes, progress }: AuditRun): Promise<Figure[]> => {
  const { changes, rounds } = sizes
  progress.step(`writing ${changes.toLocaleString('en')} changes`)
  const shape = { perFrame, lives: Math.round(changes / 3), untouched: 0, live: 0, bodyBytes: 128 }
  return withRecord(shape, async ({ log, changes: written }) => {
    const handle = await log.partition(0)
    let events = 0
    const seconds = async (what: string, run: () => Promise<unknown>): Promise<number> => {
      progress.step(what)
      const taken: number[] = []
      for (let i = 0; i <= rounds; i++) {
        const began = performance.now()
        await run()
        taken.push((performance.now() - began) / 1_000)
      }
      return median(taken.slice(1))
    }
    const replay = await seconds('replay', async () => {
      const pass = await Replay.open(handle, { decodeCheckpoint })
      await pass.run()
      events = pass.events
    })
    const verification = await seconds('verification', async () => {
      const { ok } = await verify(log, { decodeCheckpoint })
      if (!ok) throw new Error('the record that was written does not verify')
    })
    const id = messageId({ incarnation: log.meta.incarnation, partition: 0, queue: 1, number: 17 })
    const traced = await seconds('trace without an index', () => trace(log, id))
    await handle.close()
    return [
      atLeast(`replay, frames of ${perFrame}: changes of messages`, written / replay, '/s', 400_000),
      informs('the same in records of events', events / replay, '/s'),
      atLeast(
        `verification, frames of ${perFrame}: changes of messages`,
        written / verification,
        '/s',
        400_000,
      ),
      informs('the same in records of events', events / verification, '/s'),
      atMost(`trace without an index, ${million(written)} changes`, traced * 1_000, 'ms', 3_000),
    ]
  })
}

/** As `1.0 million`. */
export const million = (n: number): string => `${(n / 1e6).toFixed(1)} million`
