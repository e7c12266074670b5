import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@kiroku/log'
import { atMost, informs, type Figure } from '../Figure.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import type { AuditRun } from './AuditRun.ts'
import { withRecord } from './withRecord.ts'

const perFrame = 100
/** How long an engine has to make its checkpoint, and how often that is looked for. */
const checkpointMsMax = 10_000
const lookMs = 50

/** From the start of an engine's process until its partition answers: without a checkpoint, then with the one it made. */
export const measureRecovery = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const recover = (what: string, shape: { untouched: number; live: number }) => {
    progress.step(`recovery with ${what}`)
    return withRecord({ ...shape, perFrame, lives: 0, bodyBytes: 128 }, async ({ url, log }) => {
      const dataDir = await folder()
      const start = async (): Promise<{ engine: EngineProcess; ms: number }> => {
        const began = performance.now()
        const engine = await EngineProcess.start({ nats: url, partitions: 1, dataDir })
        return { engine, ms: performance.now() - began }
      }
      const first = await start()
      const isMade = await checkpointIn(log)
      await first.engine.stop()
      if (!isMade) return { whole: first.ms, near: first.ms }
      const second = await start()
      await second.engine.stop()
      return { whole: first.ms, near: second.ms }
    })
  }
  const figures: Figure[] = []
  for (const [kind, count, shape, most] of [
    ['untouched', sizes.untouched, { untouched: sizes.untouched, live: 0 }, 1_500],
    ['live', sizes.live, { untouched: 0, live: sizes.live }, 3_000],
  ] as const) {
    const { whole, near } = await recover(`${kind} messages`, shape)
    figures.push(
      atMost(`recovery with ${count.toLocaleString('en')} ${kind} messages`, near, 'ms', most),
      informs('the same from the whole log', whole, 'ms'),
    )
  }
  return figures
}

/** Whether the owner makes a checkpoint: a log that is small compared with its state needs none. */
const checkpointIn = async (log: Log): Promise<boolean> => {
  const partition = await log.partition(0)
  const until = performance.now() + checkpointMsMax
  while (performance.now() < until) {
    if ((await partition.checkpoints.list()).length > 0) return true
    await sleep(lookMs)
  }
  return false
}
