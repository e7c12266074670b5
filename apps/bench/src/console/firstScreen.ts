import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import { startLoaded } from '../audit/LoadedEngine.ts'
import type { ConsoleRun } from './ConsoleRun.ts'
import { Wire } from './Wire.ts'
import { emptyPage, openMachine, within } from './openPage.ts'

/** Messages that were handled before, so that there is something to show. */
const lives = 10_000
const lookMs = 10

/** From nothing in the cache to the machine with the counts of the feed on it. */
export const firstScreen = async ({ sizes, browser, progress, folder }: ConsoleRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    progress.step('starting an engine with its console')
    const engine = await startLoaded({ isAudited: true, hasConsole: true }, await folder(), closers)
    await engine.run(lives)
    await engine.settled()
    const [usable, fileBytes, answerBytes] = [[], [], []] as [number[], number[], number[]]
    let count = 0
    for (let i = 1; i <= sizes.loads; i++) {
      progress.step(`first screen, load ${i} of ${sizes.loads}`)
      const page = await emptyPage(browser)
      const wire = await Wire.of(await page.context().newCDPSession(page))
      usable.push(await openMachine(page, engine.api))
      const [files, answers] = [wire.files(), wire.answers()]
      answerBytes.push(sumOf(answers))
      // Everything requested by then counts, even what the page could be used without.
      await within(untilWhole(files), 'all files of the first screen are loaded')
      fileBytes.push(sumOf(files))
      count = files.length
      await page.context().close()
    }
    return [
      atMost('first screen usable', median(usable), 'ms', 1_000),
      informs('first screen usable, slowest', Math.max(...usable), 'ms'),
      atMost('first screen compressed', median(fileBytes) / 1_000, 'KB', 250),
      informs('files of the first screen', count, ''),
      informs('answers of the API to the first screen', median(answerBytes) / 1_000, 'KB'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

const sumOf = (sent: readonly { readonly bytes: number }[]): number =>
  sent.reduce((sum, { bytes }) => sum + bytes, 0)

const untilWhole = async (files: readonly { readonly isWhole: boolean }[]): Promise<void> => {
  while (files.some(({ isWhole }) => !isWhole)) await sleep(lookMs)
}
