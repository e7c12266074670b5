import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import { reachedIn } from '../audit/reachedIn.ts'
import { million } from '../audit/readThrough.ts'
import { withRecord } from '../audit/withRecord.ts'
import { queueName } from '../audit/writeRecord.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import type { ConsoleRun } from './ConsoleRun.ts'
import { emptyPage, openMachine, within } from './openPage.ts'

const perFrame = 500
/** How often it is looked whether the auditor has read the log, in ms. */
const lookMs = 250
/**
 * The part of the slider that the log covers, without its very beginning: what the engine wrote follows it.
 */
const [shareMin, shareMax] = [0.02, 0.9]

/**
 * In the page: from the next key or press to the frame in which the rail is at the requested position, and to
 * the one in which the chart has its counts. `by`: records that the key moves; 0: the slider is pressed.
 */
const prepare = (by: number): string => `(() => {
  const rail = () => document.querySelector('output[data-at]').dataset
  const asked = () => new URL(location.href).searchParams.get('at')
  const [askedBefore, seq] = [asked(), String(Number(rail().seq) + ${by})]
  const stands = () =>
    ${by} === 0
      ? asked() !== askedBefore && rail().standsAt === String(Date.parse(asked()))
      : rail().seq === seq
  const isCounted = () =>
    document.querySelector('[data-position]').dataset.position === rail().seq &&
    document.querySelector('[data-state][data-count]') !== null
  globalThis.arrived = new Promise((resolve) => {
    let railMs
    addEventListener(
      '${by}' === '0' ? 'pointerdown' : 'keydown',
      ({ timeStamp }) => {
        const look = () => {
          const ms = performance.now() - timeStamp
          if (stands()) railMs ??= ms
          if (railMs !== undefined && stands() && isCounted()) resolve({ railMs, pageMs: ms })
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      },
      { capture: true, once: true },
    )
  })
})()`

/** How long the page took, in ms. */
interface Arrived {
  /** Until the rail and what is replayed in the browser stood there. */
  readonly railMs: number
  /** Until the counts of the page did too. */
  readonly pageMs: number
}

const arrive = async (page: Page, by: number, act: () => Promise<unknown>): Promise<Arrived> => {
  await page.evaluate(prepare(by))
  await act()
  return within(page.evaluate<Arrived>('arrived'), 'the page shows the moment')
}

/** The slider over a long log: any position of it, and record by record. */
export const travel = async ({ sizes, browser, progress, folder }: ConsoleRun): Promise<Figure[]> => {
  const lives = Math.round(sizes.longChanges / 3)
  const shape = { perFrame, lives, untouched: 10_000, live: 1_000, bodyBytes: 128, isSpread: true }
  progress.step(`writing ${sizes.longChanges.toLocaleString('en')} changes`)
  return withRecord(shape, async ({ log, url, changes }) => {
    const dataDir = await folder()
    progress.step('starting an engine with its console')
    const engine = await EngineProcess.start({
      nats: url,
      partitions: 1,
      dataDir,
      isAudited: true,
      hasConsole: true,
    })
    const page = await emptyPage(browser)
    try {
      const partition = await log.partition(0)
      const { lastSeq } = await partition.state()
      await partition.close()
      for (let [tenths, seq] = [-1, 0]; seq < lastSeq; seq = reachedIn(dataDir)) {
        const now = Math.floor((seq / lastSeq) * 10)
        if (now > tenths) progress.step(`the auditor reads the log: ${(tenths = now) * 10} %`)
        await sleep(lookMs)
      }
      await openMachine(page, `${engine.api}/?queue=${queueName}`)
      const track = page.getByRole('slider', { name: 'Moment' }).locator('..')
      const positions: Arrived[] = []
      for (let i = 0; i < sizes.positions; i++) {
        progress.step(`slider, position ${i + 1} of ${sizes.positions}`)
        // In the past there are buttons next to the slider, which has less room.
        const { x, y, width, height } = (await track.boundingBox())!
        // Spread evenly without a rhythm, by the golden section.
        const share = shareMin + (shareMax - shareMin) * ((i * 0.618_034 + 0.5) % 1)
        positions.push(await arrive(page, 0, () => page.mouse.click(x + width * share, y + height / 2)))
      }
      progress.step(`slider, ${sizes.steps} steps`)
      const steps: Arrived[] = []
      for (let i = 0; i < sizes.steps; i++) {
        const by = i < sizes.steps / 2 ? -1 : 1
        steps.push(await arrive(page, by, () => page.keyboard.press(by > 0 ? ']' : '[')))
      }
      return [
        ...figuresOf(`slider, any position of ${million(changes)}`, positions, 2_000),
        ...figuresOf('slider, nearby step', steps, 100),
      ]
    } finally {
      await page.context().close()
      await engine.stop()
    }
  })
}

const figuresOf = (name: string, all: readonly Arrived[], target: number): Figure[] => {
  const pages = all.map(({ pageMs }) => pageMs)
  const rails = all.map(({ railMs }) => railMs)
  return [
    atMost(`${name}, slowest`, Math.max(...pages), 'ms', target),
    informs(`${name}, median`, median(pages), 'ms'),
    informs(`${name}, rail, median`, median(rails), 'ms'),
  ]
}
