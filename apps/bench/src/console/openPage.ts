import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'

/** How long a page may take for anything, in ms. */
const patienceMs = 60_000

/** In the page: fulfilled with when the chart has its counts, in ms since the navigation began. */
const watchForCounts = `globalThis.usable = new Promise((resolve) => {
  const look = () =>
    document.querySelector('[data-position]:not([data-position=""])') && document.querySelector('[data-state][data-count]')
      ? resolve(performance.now())
      : requestAnimationFrame(look)
  requestAnimationFrame(look)
})`

/** Opens an empty page in its own window, with an empty cache. */
export const emptyPage = async (browser: Browser): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(watchForCounts)
  return page
}

/** Goes to the machine's page. Gives how long that took until the chart showed the feed's counts, in ms. */
export const openMachine = async (page: Page, url: string): Promise<number> => {
  await page.goto(url, { waitUntil: 'commit' })
  return within(page.evaluate<number>('usable'), 'the chart shows counts')
}

/** Waits for something of a page. Errors: it takes too long. */
export const within = async <A>(waited: Promise<A>, what: string): Promise<A> => {
  const ended = new AbortController()
  const tooLong = sleep(patienceMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`not within ${patienceMs / 1_000} s: ${what}`)
  })
  tooLong.catch(() => {})
  try {
    return await Promise.race([waited, tooLong])
  } finally {
    ended.abort()
  }
}
