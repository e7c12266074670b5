/** `node specs/console/screens/take.ts [PAGE …]`: retakes the reference screens, from a busy sample shop on a real engine. */
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '@kiroku/client-nats'
import { chromiumFlags, findChromium, noChromium } from '@kiroku/testkit/chromium'
import { chromium } from 'playwright-core'
import { EngineWithConsole } from '../harness/EngineWithConsole.ts'
import { openShop } from './shop.ts'

/** How long the shop is open before, so that there is a past, in ms. */
const openMs = 60_000
/** How long a page is open before it is taken, in ms. */
const shownMs = 8_000

const executablePath = findChromium()
if (executablePath === undefined) throw new Error(noChromium)
const engine = await EngineWithConsole.start()
const client = await connect({ servers: engine.nats, name: 'shop-worker-1' })
const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] })
try {
  const shop = await openShop(client)
  await pause(openMs)
  const { groups } = (await (await fetch(`${engine.url}/v1/queues/mail-dlq/dead-letters`)).json()) as {
    groups: { group: string; samples: string[] }[]
  }
  const at = encodeURIComponent(new Date(Date.now() - openMs / 2).toISOString())
  const pages = {
    machine: '/',
    messages: '/messages?q=queue:mail*',
    message: `/messages/${groups[0]!.samples[0]!}`,
    queues: '/queues',
    queue: '/queues?queue=orders',
    'dead-letters': `/dlq?queue=mail-dlq&group=${groups[0]!.group}`,
    time: '/time',
    comparison: `/time?queue=mail&at=${at}`,
    cluster: '/cluster',
    audit: '/audit',
  }
  const wanted = process.argv.slice(2)
  const taken = Object.entries(pages).filter(([name]) => wanted.length === 0 || wanted.includes(name))
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1440, height: 900 } })
    await Promise.all(
      taken.map(async ([name, path]) => {
        const page = await context.newPage()
        await page.goto(engine.url + path)
        await pause(shownMs)
        await page.bringToFront()
        await pause(shownMs / 2)
        const file = new URL(`./${name}-${colorScheme}.png`, import.meta.url).pathname
        await page.screenshot({ path: file })
      }),
    )
    await context.close()
  }
  await shop.close()
} finally {
  await browser.close()
  await client.close()
  await engine.stop()
}
