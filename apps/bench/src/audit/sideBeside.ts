import type { Side } from '../engine/rounds.ts'
import type { LoadedEngine } from './LoadedEngine.ts'

/** Whole lives on an engine, beside something that reads. */
export interface SideBeside {
  readonly name: string
  readonly engine: LoadedEngine
  readonly lives: number
  /** Resolves when no auditor has anything left to read, which would disturb the round of another side. */
  readonly settled: () => Promise<unknown>
  /** Begins the reading; resolves to what ends it. Absent: nothing reads. */
  readonly begin?: () => Promise<() => Promise<unknown>>
}

/** A side of a comparison in which the reading is at work before the measured lives begin. */
export const sideBeside = ({ name, engine, lives, settled, begin }: SideBeside): Side => {
  let end: (() => Promise<unknown>) | undefined
  return {
    name,
    count: lives,
    run: () => engine.run(lives),
    before: async () => {
      await settled()
      end = await begin?.()
      // An engine that rested while the others had their rounds is slower at first, and reading should meet the load.
      await engine.run(lives)
    },
    after: async () => end?.(),
  }
}

/** By how much a side was slower than the first, in percent. @param ratio first side over this one */
export const slowedBy = (ratio: number): number => (1 - 1 / ratio) * 100
