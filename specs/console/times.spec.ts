import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

const elsewhere = { timezoneId: 'Asia/Kolkata' }

/** The first time on the audit page, as it is written and as it is exactly. */
const firstTime = async (page: Page): Promise<{ text: string; at: number; title: string }> => {
  const time = page.getByRole('main').locator('time').first()
  await time.waitFor()
  return {
    text: (await time.textContent())!,
    at: Date.parse((await time.getAttribute('datetime'))!),
    title: (await time.getAttribute('title'))!,
  }
}

/** A time as a clock that is so far ahead of UTC shows it. */
const written = (at: number, aheadMs: number): string =>
  new Date(at + aheadMs).toISOString().slice(0, 19).replace('T', ' ')

const kolkataMs = 5.5 * 3_600_000

it('times are those of the reader’s clock, with its name in the head and the exact instant in UTC on hover', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('parcels')
  const page = await open('/audit', elsewhere)
  const { text, at, title } = await firstTime(page)
  expect(text).toBe(written(at, kolkataMs))
  expect(title).toBe(`${new Date(at).toISOString().slice(0, 23).replace('T', ' ')} UTC`)
  await page.getByRole('banner').getByRole('button', { name: 'UTC+5:30' }).waitFor()
  await expectAccessibleInAllLooks(page)
})

it('a key, the button in the head and the command bar switch between local time and UTC, which this machine remembers', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('letters')
  const page = await open('/audit', elsewhere)
  await firstTime(page)
  const shows = (aheadMs: number): Promise<unknown> =>
    waitUntil(async () => {
      const { text, at } = await firstTime(page)
      return text === written(at, aheadMs)
    })
  await page.keyboard.press('z')
  await page.getByText('Times are in UTC.').waitFor()
  await shows(0)
  await page.reload()
  await shows(0)
  await page.getByRole('banner').getByRole('button', { name: 'UTC', exact: true }).click()
  await shows(kolkataMs)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  await page.keyboard.type('times in utc')
  await page.keyboard.press('Enter')
  await shows(0)
})

it('the events of a message go by the same clock as the lists', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('mail')
  const { messageId } = await client.send('mail', 'hello')
  const page = await open(`/messages/${messageId}`, elsewhere)
  const first = page.getByRole('region', { name: 'Events' }).locator('time').first()
  await first.waitFor()
  const at = Date.parse((await first.getAttribute('datetime'))!)
  expect(await first.textContent()).toBe(new Date(at + kolkataMs).toISOString().slice(11, 23))
})
