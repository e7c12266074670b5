import { constants, setPriority } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { startLoaded } from '../audit/LoadedEngine.ts'
import { compare, type Side } from '../engine/rounds.ts'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import type { ConsoleBench } from './consoleBench.ts'
import { emptyPage, openMachine } from './openPage.ts'
import { childrenOf, processorMs, threadsOf } from './processorTime.ts'

/** What the processes took of one round, in ms of one processor. */
interface Taken {
  readonly engine: number
  readonly auditor: number
  readonly browser: number
  /** How long the round was. */
  readonly lasted: number
}

/** Whole lives under full load with the machine's page open and live, and without it, in turns. */
export const besideConsole = async ({
  sizes,
  browser,
  progress,
  folder,
}: ConsoleBench): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
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
    const [without, open]: [Taken[], Taken[]] = [[], []]
    const { rates, ratios } = await compare(
      sizes.rounds,
      [
        side('lives without the console', without, {}),
        side('lives with the console open', open, {
          before: async () => {
            page = await emptyPage(browser)
            await openMachine(page, engine.api)
            await lower(browser)
          },
          after: async () => {
            await page!.context().close()
            page = undefined
            await engine.settled()
          },
        }),
      ],
      (text) => progress.step(text),
    )
    // The first round only warmed up.
    const part = (of: 'engine' | 'auditor'): number =>
      median(open.slice(1).map((taken, i) => (taken[of] / without[i + 1]![of]) * 100))
    const share = (taken: readonly Taken[], of: keyof Taken): number =>
      median(taken.slice(1).map((each) => (each[of] / each.lasted) * 100))
    const perLife = median(without.slice(1).map(({ engine: ms }) => (ms * 1_000) / sizes.besideLives))
    return [
      informs('lives without the console', rates[0]!, '/s'),
      informs('lives with the console open', rates[1]!, '/s'),
      atLeast('throughput with the console open, of without', 100 / ratios[1]!, '%', 97),
      informs('CPU of the engine without, per life', perLife, 'µs'),
      atMost('engine CPU with the console open, of without', part('engine'), '%', 103),
      informs('CPU of its auditor without', share(without, 'auditor'), '%'),
      informs('CPU of its auditor with the console open', share(open, 'auditor'), '%'),
      informs('CPU of the browser, at the lowest priority', share(open, 'browser'), '%'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

/** Lets a browser have only what nobody else needs: it stands on another machine in life. */
const lower = async (browser: Browser): Promise<void> => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  for (const { id } of processInfo)
    for (const thread of threadsOf(id)) setPriority(thread, constants.priority.PRIORITY_LOW)
}
