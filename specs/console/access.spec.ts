import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

/** What the engine answers to a command that a page sends, with the token that the page presents. */
const purgeFrom = (page: Page, queue: string): Promise<{ status: number; id: string }> =>
  page.evaluate(`(async () => {
    const token = sessionStorage.getItem('kiroku.token')
    const answer = await fetch('/v1/queues/${queue}/purge', {
      method: 'POST',
      headers: token === null ? {} : { authorization: 'Bearer ' + token },
    })
    return { status: answer.status, id: (await answer.json()).id }
  })()`)

/** Presents a token at the gate. */
const enter = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel(/asks for a token/).fill(token)
  await page.getByRole('button', { name: 'Open the console' }).click()
}

describe('an engine with tokens', () => {
  const stage = withConsole([
    '--tokens',
    'ann:admin:the-secret-of-ann,vic:viewer:the-secret-of-vic,ada:viewer@*+admin@orders-*:the-secret-of-ada,eve:admin@orders-*:the-secret-of-eve',
  ])

  it('asks for a token, says when it is a wrong one, and lets in who has the right one', async () => {
    const page = await stage().open('/queues')
    await page.getByLabel(/asks for a token/).waitFor()
    await enter(page, 'not-the-token')
    await page.getByText('The engine does not know this token.').waitFor()
    await expectAccessibleInAllLooks(page)
    await enter(page, 'the-secret-of-ann')
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor()
    await page.getByRole('button', { name: 'Create queue' }).waitFor()
  })

  it('offers a viewer no command, and the engine refuses one', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('payroll')
    const page = await open('/queues?queue=payroll')
    await enter(page, 'the-secret-of-vic')
    await page.getByRole('heading', { level: 1, name: 'payroll' }).waitFor()
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    for (const name of ['Pause', 'Change settings', 'Purge', 'Delete'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
    expect(await purgeFrom(page, 'payroll')).toEqual({ status: 403, id: 'Forbidden' })
    await expectAccessible(page)
  })

  it('shows the queues that are granted alone, and offers commands by the role on each', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('orders-eu')
    await engine.client.queues.create('wages')
    const granted = await open('/queues')
    await enter(granted, 'the-secret-of-eve')
    await granted.getByText('orders-eu', { exact: true }).first().waitFor()
    expect(await granted.getByText('wages').count()).toBe(0)
    expect(await granted.getByRole('link', { name: 'Cluster' }).count()).toBe(0)
    await granted.goto(new URL('/queues?queue=wages', granted.url()).href)
    await granted
      .getByText(/has no role on queue "wages"/)
      .first()
      .waitFor()
    expect(await purgeFrom(granted, 'wages')).toEqual({ status: 403, id: 'Forbidden' })

    const mixed = await open('/queues?queue=wages')
    await enter(mixed, 'the-secret-of-ada')
    await mixed.getByRole('heading', { level: 1, name: 'wages' }).waitFor()
    expect(await mixed.getByRole('button', { name: 'Purge', exact: true }).count()).toBe(0)
    await mixed.goto(new URL('/queues?queue=orders-eu', mixed.url()).href)
    await mixed.getByRole('button', { name: 'Purge', exact: true }).waitFor()
  })

  it('keeps hidden bodies hidden until an authorized reader reveals one', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('secrets', { bodyHidden: 'on' })
    const { messageId } = await engine.client.send('secrets', { card: '4111' })
    const look = async (token: string): Promise<Page> => {
      const page = await open(`/messages/${messageId}`)
      await enter(page, token)
      await page.getByText(/Bodies are hidden here/).waitFor()
      expect(await page.getByText('4111').count()).toBe(0)
      return page
    }
    const viewed = await look('the-secret-of-vic')
    expect(await viewed.getByRole('button', { name: 'Reveal the body' }).count()).toBe(0)
    const page = await look('the-secret-of-ann')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Reveal the body' }).click()
    await page.getByText('4111').first().waitFor()
    await expectAccessible(page)
  })
})

describe('a read-only console', () => {
  const stage = withConsole(['--console', 'read-only'])

  it('offers no command, and refuses those of pages while those of clients continue', async () => {
    const { engine, open } = stage()
    const { client, url } = engine
    await client.queues.create('stock')
    await client.send('stock', 'kept')
    const page = await open('/queues?queue=stock')
    await page.getByRole('heading', { level: 1, name: 'stock' }).waitFor()
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    expect(await page.getByRole('button', { name: 'Purge', exact: true }).count()).toBe(0)
    expect(await purgeFrom(page, 'stock')).toEqual({ status: 403, id: 'Forbidden' })
    expect((await client.queues.describe('stock')).counts.available).toBe(1)
    const answer = await fetch(`${url}/v1/queues/stock/purge`, { method: 'POST' })
    expect(answer.status).toBe(200)
    await waitUntil(async () => (await client.queues.describe('stock')).counts.available === 0)
  })
})
