import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { withCities } from './harness/withCities.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()
const job = withCities(stage)

const counts = async () => (await stage().engine.client.queues.describe('cities')).counts

/** Waits until all wrong cities are given up. */
const givenUp = (): Promise<unknown> =>
  waitUntil(async () => (await counts()).deadLettered === job().wrong, { timeoutMs: 60_000 })

/** A number on the machine. */
const countOf = async (page: Page, state: string): Promise<number> =>
  Number(await page.locator(`[data-state="${state}"][data-count]`).first().getAttribute('data-count'))

it('the machine moves with the job, and has as many dead letters as there are wrong cities', async () => {
  const page = await stage().open('/?queue=cities')
  await waitUntil(async () => (await countOf(page, 'Committed')) > 0, { timeoutMs: 60_000 })
  await givenUp()
  await page.locator(`[data-state="DLQ"][data-count="${job().wrong}"]`).first().waitFor()
  const before = await countOf(page, 'Committed')
  await waitUntil(async () => (await countOf(page, 'Committed')) > before)
  await page.locator('[data-from="Available"][data-to="Inflight"]').first().click({ force: true })
  await page.getByRole('complementary').getByText('DELIVER').first().waitFor()
  await expectAccessible(page)
})

it('a wrong city is found by its error, and its page shows four attempts and the city itself', async () => {
  await givenUp()
  const page = await stage().open('/messages?q=queue:cities%20state:dlq')
  const table = page.getByRole('grid', { name: 'Messages' })
  await waitUntil(async () => {
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    return Number(await table.getAttribute('aria-rowcount')) === job().wrong + 1
  })
  await table.getByText('admin1 is empty').first().waitFor()
  await expectAccessible(page)
  await table.getByRole('row').nth(1).click()
  await page.getByText('4 attempts', { exact: true }).waitFor()
  await page.getByRole('tree', { name: 'Payload' }).getByText('admin1:').waitFor()
  await page.getByText('cities → cities-dlq').waitFor()
})

it('the queues are listed with what goes in and out, and the job’s leads to that of its dead letters', async () => {
  await givenUp()
  const list = await stage().open('/queues')
  const row = list.getByRole('row', { name: /^cities-dlq/ })
  await row.getByText(String(job().wrong), { exact: true }).first().waitFor()
  await list.getByText(/[1-9][\d.]*\/s in · [1-9][\d.]*\/s out/).waitFor()
  await expectAccessible(list)
  await list.getByRole('row', { name: /^cities(?!-)/ }).click()
  await list.getByRole('heading', { level: 1, name: 'cities' }).waitFor()
  await list.getByRole('button', { name: 'cities-dlq' }).waitFor()
})

it('the job is looked at before it began, and compared with now', async () => {
  await givenUp()
  const page = await stage().open('/time?queue=cities')
  await page.getByRole('button', { name: 'Start A at first record' }).click()
  await page.getByRole('heading', { name: /New since A/ }).waitFor()
  await page.getByText('deadLettered').or(page.getByText('dead letters')).first().waitFor()
  await expectAccessible(page)
})

it('the cluster shows who serves the job, and the audit who created its queues', async () => {
  const { partition } = await stage().engine.client.queues.describe('cities')
  const cluster = await stage().open('/cluster')
  const tile = cluster.getByRole('list', { name: 'Partitions' }).getByRole('listitem').nth(partition)
  await tile.getByText('Active').waitFor()
  // It grows, as long as the job runs.
  await tile.getByText(/[1-9][\d.]*\/s appended/).waitFor()

  const audit = await stage().open('/audit')
  await audit.getByRole('gridcell', { name: 'cities', exact: true }).first().click()
  await audit.getByRole('region', { name: /created the queue/ }).waitFor()
})
