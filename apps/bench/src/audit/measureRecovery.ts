import { EngineProcess } from '../engine/EngineProcess.ts'
import { atMost, type Figure } from '../Figure.ts'
import type { AuditBench } from './auditBench.ts'
import { withRecord } from './withRecord.ts'

const perFrame = 100

/** From the start of an engine's process until its partition answers, without a checkpoint. */
export const measureRecovery = async ({ sizes, progress, folder }: AuditBench): Promise<Figure[]> => {
  const { untouched, live } = sizes
  const recover = async (what: string, shape: { untouched: number; live: number }): Promise<number> => {
    progress.step(`recovery with ${what}`)
    return withRecord({ ...shape, perFrame, lives: 0, bodyBytes: 128 }, async ({ url }) => {
      const dataDir = await folder()
      const began = performance.now()
      const engine = await EngineProcess.start({ nats: url, partitions: 1, dataDir })
      const taken = performance.now() - began
      await engine.stop()
      return taken
    })
  }
  return [
    atMost(
      `recovery with ${untouched.toLocaleString('en')} untouched messages`,
      await recover('untouched messages', { untouched, live: 0 }),
      'ms',
      1_500,
    ),
    atMost(
      `recovery with ${live.toLocaleString('en')} live messages`,
      await recover('live messages', { untouched: 0, live }),
      'ms',
      3_000,
    ),
  ]
}
