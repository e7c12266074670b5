import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { atLeast, atMost, informs, type Figure } from '../Figure.ts'
import { startLoaded, type LoadedEngine } from '../audit/LoadedEngine.ts'
import type { ConsoleRun } from './ConsoleRun.ts'
import { framesOf, type FrameWork, type TraceEvent } from './framesOf.ts'
import { emptyPage, openMachine } from './openPage.ts'

/** Lives by which the speed of this machine is known, and all are warm. */
const warmLives = 60_000
/** Messages per batch of a send. */
const batch = 100
/** Changes of a message in its life: sent, delivered, acknowledged. */
const changesPerLife = 3
/** The least load that a page must bear, in changes per second; it is given a fifth more. */
const changesMin = 50_000
const steadyLives = (changesMin * 1.2) / changesPerLife
/** How often a part of the steady load is sent, in ms. */
const turnMs = 200

/** What is needed of a trace: tasks of the threads, and when the page was called back for a picture. */
const categories = ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline']

/** In the page: from now on, the longest whiles between two pictures, and between two changes of the place in the log. */
const watch = `(() => {
  let [gapMs, changes, silenceMs] = [0, 0, 0]
  let [lastMs, changedMs] = [performance.now(), performance.now()]
  const silence = () => Math.max(silenceMs, performance.now() - changedMs)
  globalThis.seen = () => ({ gapMs, changes, silenceMs: silence() })
  const look = (now) => {
    gapMs = Math.max(gapMs, now - lastMs)
    lastMs = now
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  const changed = new MutationObserver((records) => {
    changes += records.length
    silenceMs = silence()
    changedMs = performance.now()
  })
  changed.observe(document.querySelector('[data-position]'), { attributeFilter: ['data-position'] })
})()`

/** What the page saw, and how much it worked. */
interface Watched {
  readonly gapMs: number
  readonly changes: number
  readonly silenceMs: number
  readonly frames: readonly FrameWork[]
  readonly lives: number
  readonly seconds: number
}

/** The machine's page, open and live: under a steady load, and while the engine does what it can. */
export const watchFrames = async ({ sizes, browser, progress, folder }: ConsoleRun): Promise<Figure[]> => {
  const { watchedSeconds } = sizes
  const closers: (() => Promise<unknown>)[] = []
  try {
    progress.step('starting an engine with its console')
    const engine = await startLoaded({ isAudited: true, hasConsole: true }, await folder(), closers)
    const page = await emptyPage(browser)
    closers.push(() => page.context().close())
    await openMachine(page, engine.api)
    progress.step('warming up')
    const began = performance.now()
    await engine.run(warmLives)
    const livesPerSecond = warmLives / ((performance.now() - began) / 1_000)
    await engine.settled()
    progress.step(`watching the machine's page under a steady load for ${watchedSeconds} s`)
    const steady = await watched(browser, page, () => steadily(engine, watchedSeconds))
    await engine.settled()
    progress.step(`watching the machine's page under full load for ${watchedSeconds} s`)
    const full = await watched(browser, page, async () => {
      const lives = Math.round((livesPerSecond * watchedSeconds) / batch) * batch
      await engine.run(lives)
      return lives
    })
    return [...figuresOf('steady load', steady), ...figuresOf('full load', full)]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

/** As many lives as that load has, a part of them every moment; one that takes longer delays the next. */
const steadily = async (engine: LoadedEngine, seconds: number): Promise<number> => {
  const part = (steadyLives * turnMs) / 1_000
  const turns = (seconds * 1_000) / turnMs
  const began = performance.now()
  for (let turn = 1; turn <= turns; turn++) {
    await engine.run(part)
    await sleep(Math.max(0, began + turn * turnMs - performance.now()))
  }
  return part * turns
}

const watched = async (browser: Browser, page: Page, load: () => Promise<number>): Promise<Watched> => {
  await browser.startTracing(page, { categories })
  await page.evaluate(watch)
  const began = performance.now()
  const lives = await load()
  const seconds = (performance.now() - began) / 1_000
  const seen = await page.evaluate<Pick<Watched, 'gapMs' | 'changes' | 'silenceMs'>>('seen()')
  const trace = await browser.stopTracing()
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] }
  return { ...seen, frames: framesOf(traceEvents), lives, seconds }
}

const figuresOf = (name: string, seen: Watched): Figure[] => {
  const { frames, lives, seconds, changes, silenceMs, gapMs } = seen
  const work = frames.map(({ workMs }) => workMs).sort((a, b) => a - b)
  return [
    atLeast(`transitions, ${name}`, (lives * changesPerLife) / seconds, '/s', changesMin),
    atMost(`longest frame of work, ${name}`, work.at(-1) ?? Infinity, 'ms', 50),
    informs(`frame of work, 99 of 100, ${name}`, work[Math.floor(work.length * 0.99)] ?? Infinity, 'ms'),
    informs(`main thread of the page at work, ${name}`, work.reduce((a, b) => a + b, 0) / seconds / 10, '%'),
    informs(`longest gap by the clock, ${name}`, gapMs, 'ms'),
    informs(`frames, ${name}`, frames.length / seconds, '/s'),
    atMost(`changes of the feed that were shown, ${name}`, changes / seconds, '/s', 10),
    informs(`longest while without one, ${name}`, silenceMs, 'ms'),
  ]
}
