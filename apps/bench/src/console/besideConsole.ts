import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { startLoaded } from '../audit/LoadedEngine.ts'
import { compare, type Side } from '../engine/rounds.ts'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import type { ConsoleBench } from './consoleBench.ts'
import { emptyPage, openMachine } from './openPage.ts'
import { childrenOf, processorMs } from './processorTime.ts'

/** So long after the last page is closed the engine still counts for one that may come back, in ms. */
const lingerMs = 14_000
/** What a page asks for once, when it opens, is done after so long, in ms. */
const openedMs = 2_000

/**
 * A page that moves and changes about as much as the machine's, and asks nobody for anything: what a browser takes of
 * caches and memory beside an engine is no cost of the console.
 */
const busyPage = `<svg width="1180" height="700"></svg><script>
  const put = (name, text) => {
    const each = document.createElementNS('http://www.w3.org/2000/svg', name)
    each.textContent = text
    return document.querySelector('svg').appendChild(each)
  }
  const texts = Array.from({ length: 24 }, () => put('text', '0'))
  const tokens = Array.from({ length: 36 }, () => put('circle', ''))
  tokens.forEach((token) => token.setAttribute('r', 5))
  let shown = 0
  const draw = (ms) => {
    tokens.forEach((token, i) => {
      token.setAttribute('cx', (ms / 4 + i * 37) % 1180)
      token.setAttribute('cy', (i * 83) % 700)
    })
    if (ms - shown > 100) {
      shown = ms
      texts.forEach((text, i) => {
        text.setAttribute('x', (i % 8) * 140)
        text.setAttribute('y', 40 + (i >> 3) * 130)
        text.textContent = Math.floor(ms * 1_000 + i).toLocaleString('en')
      })
    }
    requestAnimationFrame(draw)
  }
  requestAnimationFrame(draw)
</script>`

/** What the processes took of one round, in ms of one processor. */
interface Taken {
  readonly engine: number
  readonly auditor: number
  readonly browser: number
  /** How long the round was. */
  readonly lasted: number
}

/** Whole lives under full load with the machine's page open and live, without it, and beside another page, in turns. */
export const besideConsole = async ({
  sizes,
  browser,
  progress,
  folder,
}: ConsoleBench): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    closers.push(await setApart(browser))
    progress.step('starting an engine with its console')
    const engine = await startLoaded({ isAudited: true, hasConsole: true }, await folder(), closers)
    const processes = await browser.newBrowserCDPSession()
    let page: Page | undefined
    closers.push(async () => page?.context().close())
    const read = async (): Promise<Taken> => {
      const { processInfo } = await processes.send('SystemInfo.getProcessInfo')
      return {
        engine: processorMs(engine.pid),
        auditor: childrenOf(engine.pid).reduce((sum, pid) => sum + processorMs(pid), 0),
        browser: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0),
        lasted: performance.now(),
      }
    }
    const side = (name: string, taken: Taken[], rest: Partial<Side>): Side => ({
      name,
      count: sizes.besideLives,
      run: async () => {
        const before = await read()
        await engine.run(sizes.besideLives)
        const after = await read()
        taken.push({
          engine: after.engine - before.engine,
          auditor: after.auditor - before.auditor,
          browser: after.browser - before.browser,
          lasted: after.lasted - before.lasted,
        })
      },
      // What the auditor has left to read must not disturb the next round.
      after: () => engine.settled(),
      ...rest,
    })
    const close = async (): Promise<void> => {
      await page!.context().close()
      page = undefined
      await engine.settled()
    }
    const [without, busy, open]: [Taken[], Taken[], Taken[]] = [[], [], []]
    const { rates, ratios } = await compare(
      sizes.rounds,
      [
        side('lives with the console open', open, {
          before: async () => {
            page = await emptyPage(browser)
            await openMachine(page, engine.api)
            await sleep(openedMs)
          },
          after: async () => {
            await close()
            await sleep(lingerMs)
          },
        }),
        side('lives without the console', without, {}),
        side('lives beside a page as busy', busy, {
          before: async () => {
            page = await emptyPage(browser)
            await page.setContent(busyPage)
          },
          after: close,
        }),
      ],
      (text) => progress.step(text),
    )
    // The first round only warmed up.
    const part = (other: readonly Taken[]): number =>
      median(open.slice(1).map(({ engine: ms }, i) => (ms / other[i + 1]!.engine) * 100))
    const share = (taken: readonly Taken[], of: keyof Taken): number =>
      median(taken.slice(1).map((each) => (each[of] / each.lasted) * 100))
    const perLife = median(without.slice(1).map(({ engine: ms }) => (ms * 1_000) / sizes.besideLives))
    return [
      informs('lives without the console', rates[1]!, '/s'),
      informs('lives with the console open', rates[0]!, '/s'),
      informs('lives beside a page as busy, which asks nothing', rates[2]!, '/s'),
      informs('throughput with the console open, of without', ratios[1]! * 100, '%'),
      atLeast('throughput with it, of beside a page as busy', ratios[2]! * 100, '%', 97),
      informs('CPU of the engine without, per life', perLife, 'µs'),
      informs('engine CPU with the console open, of without', part(without), '%'),
      atMost('engine CPU with it, of beside a page as busy', part(busy), '%', 103),
      informs('CPU of its auditor without', share(without, 'auditor'), '%'),
      informs('CPU of its auditor with the console open', share(open, 'auditor'), '%'),
      informs('CPU of the browser, on a processor of its own', share(open, 'browser'), '%'),
      informs('CPU of the browser with the page as busy', share(busy, 'browser'), '%'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

/** Gives the browser a processor of its own and all else another one: it stands on another machine in life. */
const setApart = async (browser: Browser): Promise<() => Promise<void>> => {
  const processes = await browser.newBrowserCDPSession()
  const { processInfo } = await processes.send('SystemInfo.getProcessInfo')
  await processes.detach()
  const put = async (pid: number, processors: string): Promise<void> => {
    await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)])
  }
  const all = `0-${availableParallelism() - 1}`
  // Also those that are there to become pages.
  const whole = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(whole)]
  await Promise.all(
    processInfo
      .filter(({ type }) => type === 'browser')
      .flatMap(({ id }) => whole(id).map((pid) => put(pid, '1'))),
  )
  await put(process.pid, '0')
  return () => put(process.pid, all)
}
