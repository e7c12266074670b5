import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

const longName = 'payments-of-the-european-shops'

/** A queue with one message that waits and one that became a dead letter. */
const failOne = async (queue: string): Promise<void> => {
  const { client } = stage().engine
  await client.queues.create(queue, { deadLetter: `${queue}-dlq` })
  await client.send(queue, 'to fail')
  const [received] = await client.receive(queue, { max: 1, waitMs: 10_000 })
  await client.deadLetter([received!.receipt], 'the card was refused by the bank of the customer')
  await client.send(queue, 'to wait')
  await waitUntil(async () => (await client.queues.describe(`${queue}-dlq`)).counts.available === 1)
}

/** Tables and buttons that hold more than there is room for. */
const cutOff = (page: Page): Promise<string[]> =>
  page
    .locator('[role=grid], .button')
    .evaluateAll((all) =>
      all
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => `${each.getAttribute('aria-label') ?? each.textContent}`),
    )

const dlq = `${longName}-dlq`
const edge = encodeURIComponent('Delayed→Available')
const pages: readonly (readonly [path: string, shows: string])[] = [
  ['/queues', longName],
  [`/queues?queue=${longName}`, 'Subscriptions'],
  ['/messages', 'queue'],
  ['/dlq', dlq],
  [`/dlq?queue=${dlq}`, 'the card was refused'],
  [`/time?queue=${longName}`, 'Sent'],
  ['/cluster', 'partition'],
  ['/audit', 'created the queue'],
  [`/?queue=${longName}&edge=${edge}`, 'Show these messages'],
]

it('cuts off no table and no button at 1440 and at 390, and requests nothing that does not exist', async () => {
  await failOne(longName)
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    for (const [path, shows] of pages) {
      const page = await stage().open('/', { viewport })
      const missing: string[] = []
      page.on('response', (response) => {
        if (response.status() >= 400) missing.push(response.url())
      })
      await page.goto(stage().engine.url + path)
      await page.getByRole('main').getByText(shows).filter({ visible: true }).first().waitFor()
      expect(await cutOff(page), `${path} at ${viewport.width}`).toEqual([])
      expect(missing, path).toEqual([])
      await page.close()
    }
  }
})

it('the clock times under the slider stay within it, also near its edges', async () => {
  const { client } = stage().engine
  await client.queues.create('ticking')
  const page = await stage().open('/', { viewport: { width: 390, height: 844 } })
  const labels = page.locator('[role=slider] ~ [aria-hidden] span')
  // The record grows, and its window with it, until a time is near an edge.
  await waitUntil(
    async () => {
      await client.send('ticking', 'tick')
      await page.reload()
      await labels.first().waitFor({ timeout: 2_000 })
      const shares = await labels.evaluateAll((all) =>
        all.map(({ style }) => parseFloat(style.getPropertyValue('--share'))),
      )
      return shares.some((share) => Math.abs(share - 0.5) > 0.44)
    },
    { timeoutMs: 60_000 },
  )
  const slider = (await page.getByRole('slider').locator('..').boundingBox())!
  for (const label of await labels.all()) {
    const { x, width } = (await label.boundingBox())!
    expect(x).toBeGreaterThanOrEqual(slider.x)
    expect(x + width).toBeLessThanOrEqual(slider.x + slider.width)
  }
})

it('a dialog that loses something says so in one line, with a red button', async () => {
  const page = await stage().open(`/queues?queue=${longName}`)
  await page.getByRole('button', { name: 'Purge', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const label = await dialog.getByText(/^Type .* to confirm$/).boundingBox()
  expect(label!.height).toBeLessThan(30)
  await page.keyboard.type(longName)
  const button = dialog.getByRole('button', { name: /^Discard/ })
  // It fades from the colour that it has while nothing is typed.
  await waitUntil(async () => {
    const colour = await button.evaluate(
      (element) => element.ownerDocument.defaultView!.getComputedStyle(element).backgroundColor,
    )
    const [red, green] = colour.match(/\d+/g)!.map(Number)
    return red! > 2 * green!
  })
})

it('a page whose answer takes its time says that it is loading', async () => {
  const page = await stage().open('/cluster')
  let answer = (): void => {}
  const answered = new Promise<void>((go) => (answer = go))
  await page.route(/dead-letters/, async (route) => {
    await answered
    await route.continue()
  })
  await page.goto(`${stage().engine.url}/dlq?queue=${dlq}`)
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor()
  answer()
  await page.getByRole('main').getByText('the card was refused').first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})
