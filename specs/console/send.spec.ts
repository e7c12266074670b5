import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

/** Opens a page and waits until its dialog for a message takes what is typed. */
const compose = async (page: Page, by: () => Promise<unknown>) => {
  await by()
  const dialog = page.getByRole('dialog', { name: /^Send/ })
  await dialog.waitFor()
  return dialog
}

describe('sending', () => {
  const stage = withConsole()

  it('an empty log offers to create a queue, and begins in its name', async () => {
    const { engine, open } = stage()
    const page = await open('/')
    await page.getByRole('link', { name: 'Create a queue' }).click()
    await page.getByRole('dialog', { name: 'Create a queue' }).waitFor()
    await page.keyboard.type('errands')
    await page.getByRole('button', { name: 'Create queue' }).last().click()
    await page.getByRole('heading', { level: 1, name: 'errands' }).waitFor()
    expect((await engine.client.queues.describe('errands')).counts.sent).toBe(0)
  })

  it('a message is sent from its queue by keys alone, byte for byte as it was typed, and the way to it is shown', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('payments')
    const page = await open('/queues?queue=payments')
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
    const dialog = await compose(page, () => page.keyboard.press('c'))
    await page.keyboard.type('{"cents": 12345678901234567890}')
    await dialog.getByText('Sent as application/json').waitFor()
    await expectAccessibleInAllLooks(page)
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Open the message' }).click()
    await page.getByRole('heading', { level: 2, name: 'Payload' }).waitFor()
    const [received] = await engine.client.receive('payments', { waitMs: 5_000 })
    expect(received!.text()).toBe('{"cents": 12345678901234567890}')
    expect(received!.contentType).toBe('application/json')
    await received!.ack()
  })

  it('the command bar asks which queue is meant, and sends copies with a delay and attributes', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('reports')
    const page = await open('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    await page.keyboard.type('send a m')
    await page.getByRole('option', { name: /^Send a message/, selected: true }).waitFor()
    const dialog = await compose(page, () => page.keyboard.press('Enter'))
    await page.keyboard.type('reports')
    await page.keyboard.press('Tab')
    await page.keyboard.type('daily')
    await dialog.getByText('Content type, delay').click()
    await dialog.getByLabel('Delay').fill('1h')
    await dialog.getByLabel('Copies').fill('3')
    await dialog.getByLabel('Attributes').fill('tenant=acme')
    await dialog.getByRole('button', { name: 'Send 3 messages' }).click()
    await page.getByText('3 messages sent to reports.').waitFor()
    expect((await engine.client.queues.describe('reports')).counts.delayed).toBe(3)
  })

  it('a body that begins like JSON and is none is not sent, unless it is said to be text, and the engine’s refusals are shown', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('ledger', { groups: 'ordered' })
    const page = await open('/queues?queue=ledger')
    const dialog = await compose(page, () => page.getByRole('button', { name: 'Send', exact: true }).click())
    await page.keyboard.type('{bad json')
    await dialog.getByText(/begins like JSON but is not/).waitFor()
    const send = dialog.getByRole('button', { name: 'Send', exact: true })
    expect(await send.isDisabled()).toBe(true)
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('Content type, delay').click()
    await dialog.getByLabel('Content type').fill('text/plain')
    await send.click()
    await dialog
      .getByRole('alert')
      .getByText(/every message needs a group/)
      .waitFor()
    await dialog.getByLabel('Group', { exact: true }).fill('anna')
    await send.click()
    await dialog.waitFor({ state: 'detached' })
    const { counts } = await engine.client.queues.describe('ledger')
    expect(counts.sent).toBe(1)
  })

  it('a message is sent again as a new one with its body and attributes, and one that was erased says why not', async () => {
    const { engine, open } = stage()
    const { client } = engine
    await client.queues.create('orders', { erasable: 'message' })
    const { messageId } = await client.send('orders', 'two chairs', { attributes: { tenant: 'acme' } })
    const page = await open(`/messages/${messageId}`)
    const again = page.getByRole('button', { name: 'Send again…' })
    await waitUntil(() => again.isEnabled())
    const dialog = await compose(page, () => again.click())
    expect(await dialog.getByLabel('Body').inputValue()).toBe('two chairs')
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' and a table')
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    const bodies = new Set<string>()
    await waitUntil(async () => {
      for (const each of await client.receive('orders', { max: 10, waitMs: 1_000 })) {
        bodies.add(`${each.text()} for ${each.attributes['tenant']}`)
        await each.ack()
      }
      return bodies.size === 2
    })
    expect([...bodies].toSorted()).toEqual(['two chairs and a table for acme', 'two chairs for acme'])
    await client.queues.erase('orders', { messageId, reason: 'they asked for it' })
    await page.reload()
    await page.getByText('Send again: its body was erased').waitFor()
    expect(await again.isDisabled()).toBe(true)
  })

  it('a queue that never had a message offers to send the first', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('fresh')
    const page = await open('/?queue=fresh')
    const dialog = await compose(page, () =>
      page.getByRole('button', { name: 'Send a message', exact: true }).click(),
    )
    await page.keyboard.type('the first')
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    expect((await engine.client.queues.describe('fresh')).counts.sent).toBe(1)
  })
})

describe('an engine with tokens', () => {
  const stage = withConsole(['--tokens', 'vic:viewer:the-secret-of-vic'])

  it('a viewer sees why nothing can be sent', async () => {
    const { engine, open } = stage()
    await engine.client.queues.create('payroll')
    const page = await open('/queues?queue=payroll')
    await page.getByLabel(/asks for a token/).fill('the-secret-of-vic')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    expect(await send.isDisabled()).toBe(true)
    expect(await send.getAttribute('title')).toBe('Your role, viewer, may only look.')
    await page.keyboard.press('c')
    await page.getByText('Your role, viewer, may only look.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
