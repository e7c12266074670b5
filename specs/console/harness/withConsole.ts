import { AxeBuilder } from '@axe-core/playwright'
import { chromiumFlags, findChromium, noChromium } from '@kiroku/testkit/chromium'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { EngineWithConsole } from './EngineWithConsole.ts'

/** A real engine with its console, and a browser to look at it. */
export interface ConsoleStage {
  readonly engine: EngineWithConsole
  /** Opens a page of the console in its own window. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
}

/**
 * One engine and one browser for the test file. A test fails when a page of it asked another host, broke the content
 * security policy, or threw. Without a Chromium its tests are skipped loudly, or fail with `KIROKU_REQUIRE_ALL=1`.
 */
export const withConsole = (args: readonly string[] = []): (() => ConsoleStage) => {
  let engine: EngineWithConsole | undefined
  let browser: Browser | undefined
  let pages: Page[] = []
  let faults: string[] = []
  const executablePath = findChromium()

  beforeAll(async () => {
    if (executablePath === undefined) {
      if (process.env['KIROKU_REQUIRE_ALL'] === '1') throw new Error(noChromium)
      console.warn(`The console specs are SKIPPED: ${noChromium}.`)
      return
    }
    browser = await chromium.launch({ executablePath, args: [...chromiumFlags] })
    engine = await EngineWithConsole.start(args)
  })
  afterAll(async () => {
    await browser?.close()
    await engine?.stop()
  })
  beforeEach(({ skip }) => {
    pages = []
    faults = []
    if (executablePath === undefined) skip(noChromium)
  })
  afterEach(async () => {
    for (const page of pages) await page.context().close()
    expect(faults).toEqual([])
  })

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser!.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    const page = await context.newPage()
    pages.push(page)
    const { url } = engine!
    page.on('pageerror', (error) => faults.push(`threw: ${error.message}`))
    page.on('console', (said) => {
      if (/content security policy/i.test(said.text())) faults.push(said.text())
    })
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`))
        faults.push(`asked for ${request.url()}`)
    })
    await page.goto(url + path)
    return page
  }
  return () => ({ engine: engine!, open })
}

/** Expects no serious violation of accessibility rules on the current page. */
export const expectAccessible = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
  ).toEqual([])
}
