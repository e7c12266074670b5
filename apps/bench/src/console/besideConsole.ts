import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CDPSession, Page } from 'playwright-core'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import { startLoaded, type LoadedEngine } from '../audit/LoadedEngine.ts'
import type { ConsoleRun } from './ConsoleRun.ts'
import { emptyPage, openMachine } from './openPage.ts'
import { childrenOf, processorMs } from './processorTime.ts'

/** So long after its last page is closed an engine still counts for one that may come back, in ms. */
const lingerMs = 14_000
/** What a page asks for once, when it opens, is done after so long, in ms. */
const openedMs = 2_000

/** What the turns of an engine took, in ms; processor time where nothing else is said. */
interface Taken {
  /** By the clock. */
  lasted: number
  engine: number
  auditor: number
  browser: number
}

/**
 * Whole lives under full load on two engines, one with the machine's page open and live. They alternate in
 * turns of less than a second, and swap places, so that changes of the machine's speed affect both; the
 * browser has its own processor.
 */
export const besideConsole = async ({ sizes, browser, progress, folder }: ConsoleRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const processes = await browser.newBrowserCDPSession()
    closers.push(() => processes.detach())
    closers.push(await setApart(processes))
    progress.step('starting two engines with their consoles')
    const start = async (): Promise<LoadedEngine> =>
      startLoaded({ isAudited: true, hasConsole: true }, await folder(), closers)
    const engines = [await start(), await start()] as const
    const read = async ({ pid }: LoadedEngine): Promise<Taken> => ({
      engine: processorMs(pid),
      auditor: childrenOf(pid).reduce((sum, child) => sum + processorMs(child), 0),
      browser: await browserMs(processes),
      lasted: performance.now(),
    })
    const lives = sizes.besideLives / sizes.turns
    const turn = async (engine: LoadedEngine, taken: Taken): Promise<void> => {
      const before = await read(engine)
      await engine.run(lives)
      const after = await read(engine)
      for (const part of ['lasted', 'engine', 'auditor', 'browser'] as const)
        taken[part] += after[part] - before[part]
    }
    let page: Page | undefined
    closers.push(async () => page?.context().close())
    const round = async (open: LoadedEngine, without: LoadedEngine) => {
      page = await emptyPage(browser)
      await openMachine(page, open.api)
      await sleep(openedMs)
      const taken = { open: nothing(), without: nothing() }
      // Both have rested; the one that begins would pay for it.
      await open.run(lives)
      await without.run(lives)
      const sides = [[open, taken.open] as const, [without, taken.without] as const]
      for (let i = 0; i < sizes.turns; i++)
        for (const side of i % 2 === 0 ? sides : sides.toReversed()) await turn(...side)
      await page.context().close()
      page = undefined
      await sleep(lingerMs)
      return taken
    }

    type Round = Awaited<ReturnType<typeof round>>
    const pairs: (readonly [Round, Round])[] = []
    for (let i = 0; i <= sizes.rounds; i++) {
      const told = i === 0 ? 'warming up' : `round ${i} of ${sizes.rounds}`
      progress.step(`two engines in turns, one with its console open, ${told}`)
      const pair = [await round(engines[0], engines[1]), await round(engines[1], engines[0])] as const
      if (i > 0) pairs.push(pair)
    }
    const rounds = pairs.flat()
    /** Open over without, in both places: what one engine has over the other cancels out. */
    const part = (of: keyof Taken): number =>
      median(pairs.map(([a, b]) => Math.sqrt((a.open[of] / a.without[of]) * (b.open[of] / b.without[of]))))
    const each = (side: 'open' | 'without', of: (taken: Taken) => number): number =>
      median(rounds.map((round) => of(round[side])))
    const rate = ({ lasted }: Taken): number => (sizes.besideLives / lasted) * 1_000
    const perLife = ({ engine }: Taken): number => (engine * 1_000) / sizes.besideLives
    const share =
      (of: 'auditor' | 'browser') =>
      (taken: Taken): number =>
        (taken[of] / taken.lasted) * 100
    return [
      informs('lives without the console', each('without', rate), '/s'),
      informs('lives with the console open', each('open', rate), '/s'),
      atLeast('throughput with the console open, of without', 100 / part('lasted'), '%', 97),
      informs('CPU of the engine without, per life', each('without', perLife), 'µs'),
      atMost('engine CPU with the console open, of without', part('engine') * 100, '%', 103),
      informs('CPU of its auditor without', each('without', share('auditor')), '%'),
      informs('CPU of its auditor with the console open', each('open', share('auditor')), '%'),
      informs('CPU of the browser, on a processor of its own', each('open', share('browser')), '%'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

const nothing = (): Taken => ({ lasted: 0, engine: 0, auditor: 0, browser: 0 })

const browserProcesses = async (processes: CDPSession) =>
  (await processes.send('SystemInfo.getProcessInfo')).processInfo

const browserMs = async (processes: CDPSession): Promise<number> =>
  (await browserProcesses(processes)).reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)

/**
 * Gives the browser its own processor and everything else another one: in practice it runs on another
 * machine.
 */
const setApart = async (processes: CDPSession): Promise<() => Promise<void>> => {
  if (process.platform !== 'linux' || availableParallelism() < 2)
    throw new Error('beside needs Linux and two processors: the browser gets its own')
  const put = async (pid: number, processors: string): Promise<void> => {
    try {
      await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)])
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new Error("beside needs taskset, of Debian's package util-linux", { cause: error })
    }
  }
  const all = `0-${availableParallelism() - 1}`
  // Including spare ones that will become pages.
  const whole = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(whole)]
  const started = (await browserProcesses(processes)).filter(({ type }) => type === 'browser')
  await Promise.all(started.flatMap(({ id }) => whole(id).map((pid) => put(pid, '1'))))
  await put(process.pid, '0')
  return () => put(process.pid, all)
}
