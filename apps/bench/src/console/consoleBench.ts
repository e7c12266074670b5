import { chromiumFlags } from '@kiroku/testkit/chromium'
import { chromium } from 'playwright-core'
import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { besideConsole } from './besideConsole.ts'
import { firstScreen } from './firstScreen.ts'
import { fullSizes, quickSizes } from './sizes.ts'
import { travel } from './travel.ts'
import { watchFrames } from './watchFrames.ts'

/** How the console is measured. */
export interface ConsoleBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
  /** The browser's program. */
  readonly executablePath: string
}

const parts = { first: firstScreen, frames: watchFrames, slider: travel, beside: besideConsole }

/** Measures the console of a real engine in a real browser, and what it costs the engine. */
export const consoleBench = async ({
  quick,
  only,
  executablePath,
}: ConsoleBenchOptions): Promise<Figure[]> => {
  const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] })
  try {
    return await runParts(parts, only, { sizes: quick ? quickSizes : fullSizes, browser })
  } finally {
    await browser.close()
  }
}
