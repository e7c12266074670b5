import type { Client, QueueSettings, ReceivedMessage } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** Most elements of a page, however long the history that it shows. */
const elementsMax = 3_000

/** The next message of a queue, under a lease. */
const receiveOne = async (client: Client, queue: string): Promise<ReceivedMessage> =>
  waitUntil(async () => (await client.receive(queue, { waitMs: 1_000 }))[0])

/** A message that was tried again `retries` times, at once each time, and is a dead letter then. */
const failedMessage = async (
  client: Client,
  queue: string,
  retries: number,
  error: string,
  settings: QueueSettings = {},
): Promise<string> => {
  await client.queues.create(queue, {
    deadLetter: `${queue}-dlq`,
    retriesMax: retries,
    retry: { kind: 'fixed', delayMs: 0 },
    ...settings,
  })
  const { messageId } = await client.send(queue, { order: { number: 9, lines: ['a', 'b'] } })
  for (let i = 0; i <= retries; i++) await (await receiveOne(client, queue)).retry({ delayMs: 0, error })
  return messageId
}

const elements = (page: Page): Promise<number> => page.locator('*').count()

/** Opens the page of a message and waits for its body. */
const openMessage = async (id: string): Promise<Page> => {
  const page = await stage().open(`/messages/${id}`)
  await page.getByRole('heading', { level: 2, name: 'Payload' }).waitFor()
  return page
}

it('finds a dead letter by its description, and shows everything that happened to it, by keys alone', async () => {
  const { engine, open } = stage()
  const id = await failedMessage(engine.client, 'parcels', 2, 'the scale was broken')
  const page = await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('/')
  const filter = page.getByRole('combobox', { name: 'Filter' })
  await filter.waitFor()
  await page.keyboard.type('state:dlq error:"the scale was"')
  await page.keyboard.press('Enter')
  const table = page.getByRole('grid', { name: 'Messages' })
  await page.keyboard.press('Escape')
  // The index follows the record by a little.
  await waitUntil(async () => {
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    return table.getByText(id).isVisible()
  })
  await expectAccessible(page)
  await waitUntil(async () => {
    await page.keyboard.press('Tab')
    return table.evaluate((node) => node.matches(':focus'))
  })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/messages/${id}`))
  await page.getByRole('heading', { level: 1, name: id }).waitFor()
  await page.getByRole('group', { name: /^Timeline of \d+ events/ }).waitFor()
  await page.getByText('3 attempts', { exact: true }).waitFor()
  const events = page.getByRole('listbox', { name: 'Events' })
  const place = page.getByText(/^\d+ of \d+/)
  const steps = Number((await place.innerText()).match(/of (\d+)/)![1])
  await events.getByText('DeadLettered').waitFor()
  for (const [key, event] of [
    ['h', steps - 1],
    ['h', steps - 2],
    ['l', steps - 1],
    ['l', steps],
    ['l', steps],
  ] as const) {
    await page.keyboard.press(key)
    await page.locator(`#event-${event - 1}[aria-selected="true"]`).waitFor()
    await page.getByRole('heading', { level: 2, name: new RegExp(`^${event}\\. `) }).waitFor()
  }
  const way = page.getByRole('img', { name: /^The message machine; after this event/ })
  await way.locator('[data-way="Available→Inflight"][data-taken="3"]').waitFor()
  await way.locator('[data-way="Inflight→DLQ"][data-taken="1"]').waitFor()
  const tree = page.getByRole('tree', { name: 'Payload' })
  await tree.getByText('number:').waitFor()
  await page.getByRole('heading', { name: 'What can happen next' }).waitFor()
  await expectAccessible(page)
})

it('shows a thousand events, and draws the visible ones', async () => {
  const { engine } = stage()
  const id = await failedMessage(engine.client, 'stubborn', 500, 'not yet')
  const page = await openMessage(id)
  const events = page.getByRole('listbox', { name: 'Events' })
  await page.getByRole('group', { name: /^Timeline of 1,?\d{3} events/ }).waitFor()
  expect(await elements(page)).toBeLessThan(elementsMax)
  await events.focus()
  await page.keyboard.press('Home')
  await page.locator('#event-0[aria-selected="true"]').getByText('Enqueued').waitFor()
  for (let i = 0; i < 20; i++) await page.keyboard.press('l')
  await page.getByText(/^21 of 1,\d{3}/).waitFor()
  await page.keyboard.press('End')
  await events.getByText('DeadLettered').waitFor()
  await page.getByRole('button', { name: 'Full' }).click()
  await page.getByRole('button', { name: 'Compact' }).waitFor()
  expect(await elements(page)).toBeLessThan(elementsMax)
  await expectAccessible(page)
})

/** What would set a name of the page if it ever ran. */
const attacks = [
  '<script>globalThis.hasRun = 1</script>',
  '<img src=x onerror="globalThis.hasRun = 1">',
  '"><svg onload="globalThis.hasRun = 1">',
] as const

it('shows hostile text of every kind as text, and never runs it', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('hostile', {
    deadLetter: 'hostile-dlq',
    retriesMax: 0,
    groups: 'ordered',
    dedup: 'id',
  })
  const { messageId } = await client.send(
    'hostile',
    { [attacks[0]]: attacks[1], link: 'javascript:globalThis.hasRun=1' },
    { attributes: { note: attacks[1], other: attacks[2] }, group: attacks[0], dedupId: attacks[2] },
  )
  await (await receiveOne(client, 'hostile')).retry({ error: `${attacks.join(' ')}` })
  const dialogs: string[] = []
  const look = async (path: string): Promise<Page> => {
    const page = await open(path)
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }
  const expectHarmless = async (page: Page): Promise<void> => {
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined()
    expect(await page.locator('main img, main svg[onload], main script').count()).toBe(0)
  }
  for (const [path, texts] of [
    [`/messages/${messageId}`, attacks],
    ['/dlq?queue=hostile-dlq', ['<script>']],
  ] as const) {
    const page = await look(path)
    for (const text of texts) await page.locator('main').getByText(text).first().waitFor()
    await expectHarmless(page)
    await expectAccessible(page)
  }
  const hostile = encodeURIComponent(attacks[1])
  for (const path of [`/messages?q=${hostile}`, `/?queue=${hostile}`, `/queues?queue=${hostile}`])
    await expectHarmless(await look(path))
  expect(dialogs).toEqual([])
})

it('lists hostile messages of every kind and their dead letters, and runs nothing of them', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('flood', {
    deadLetter: 'flood-dlq',
    retriesMax: 0,
    groups: 'ordered',
    indexBody: 'on',
  })
  const bodies = [
    attacks.join(' '),
    { [attacks[0]]: attacks },
    'x'.repeat(200_000),
    Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0, 1),
    '['.repeat(50_000) + ']'.repeat(50_000),
    '\u202egnp.exe\u0000\ud800',
  ]
  for (const [i, body] of bodies.entries()) {
    await client.send('flood', body, { group: `${attacks[i % 3]} ${i}` })
    await (await receiveOne(client, 'flood')).retry({ error: `${i} ${attacks.join(' ')} ${'e'.repeat(300)}` })
  }
  await waitUntil(async () => (await client.queues.describe('flood-dlq')).counts.available === bodies.length)
  const expectHarmless = async (page: Page): Promise<void> => {
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined()
    expect(await page.locator('main img, main svg[onload], main script').count()).toBe(0)
    expect(await elements(page)).toBeLessThan(elementsMax)
    await expectAccessibleInAllLooks(page)
  }
  const found = await open('/messages?q=queue:flood')
  const table = found.getByRole('grid', { name: 'Messages' })
  await waitUntil(async () => {
    await found.keyboard.press('r')
    await found.getByRole('button', { name: 'Refresh' }).waitFor()
    if (!(await table.isVisible())) return false
    return (await table.getAttribute('aria-rowcount')) === String(bodies.length + 1)
  })
  await table.getByText('onerror=').first().waitFor()
  await expectHarmless(found)
  const letters = await open('/dlq?queue=flood-dlq')
  const groups = letters.getByRole('main').getByRole('row').filter({ hasText: '<script>' })
  await groups.first().waitFor()
  for (let i = 0; i < (await groups.count()); i++) {
    await groups.nth(i).click()
    await letters.getByText('What to do next').waitFor()
  }
  await expectHarmless(letters)
})

it('shows bodies that no reader is made for: huge, broken, deep, and exact beyond what numbers hold', async () => {
  const { client } = stage().engine
  await client.queues.create('odd', { bodyBytesMax: 4 * 1024 * 1024 })
  const deep = 100_000
  const text = new TextEncoder()
  const send = async (body: string | Uint8Array, contentType?: string): Promise<Page> =>
    openMessage((await client.send('odd', body, { contentType })).messageId)

  const exact = await send(
    text.encode('{"big":9007199254740993,"precise":0.1000000000000000055}'),
    'application/json',
  )
  await exact.getByText('9007199254740993').waitFor()
  await exact.getByText('0.1000000000000000055').waitFor()

  const nested = await send(text.encode('['.repeat(deep) + ']'.repeat(deep)), 'application/json')
  await nested.getByRole('tree').or(nested.locator('pre')).first().waitFor()
  await expectAccessible(nested)

  const broken = await send(Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0, 1), 'text/plain')
  await broken.locator('[data-hex]').getByText('00000000  ff fe c3 28 00 01').waitFor()
  await broken.getByText('···(··').waitFor()
  expect(await broken.getByRole('button', { name: 'Edit…' }).isDisabled()).toBe(true)
  await expectAccessible(broken)

  const huge = await send('long '.repeat(400_000), 'text/plain')
  await huge.getByText('long long long').first().waitFor()
  expect(await elements(huge)).toBeLessThan(elementsMax)
  await expectAccessible(huge)
})
