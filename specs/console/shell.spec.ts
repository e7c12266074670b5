import { expect, it } from 'vitest'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

const names = ['Machine', 'Messages', 'Queues', 'Dead letters', 'Time travel', 'Cluster', 'Audit']

it('opens every page by its link, and none breaks a rule of accessibility, in light and in dark, wide and narrow', async () => {
  for (const options of [
    { colorScheme: 'light' as const },
    { colorScheme: 'dark' as const, viewport: { width: 390, height: 844 } },
  ]) {
    const page = await stage().open('/', options)
    for (const name of names) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await expectAccessible(page)
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(tooWide, `${name} is wider than its window`).toBeLessThanOrEqual(0)
    }
  }
})

it('goes everywhere by keys, and says which', async () => {
  const page = await stage().open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const [keys, name] of [
    ['gq', 'Queues'],
    ['gd', 'Dead letters'],
    ['gt', 'Time travel'],
    ['gc', 'Cluster'],
    ['ga', 'Audit'],
    ['gs', 'Messages'],
    ['gm', 'Machine'],
  ]) {
    for (const key of keys!) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: name! }).waitFor()
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it('finds queues and messages by a few letters, and keeps what is looked at in the URL', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('parcels')
  const { messageId } = await engine.client.send('parcels', 'hello')
  const page = await open('/queues')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  await page.keyboard.type('parc')
  await page.getByRole('option', { name: /^parcels/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/queue=parcels/)
  await page.getByRole('button', { name: /^Go to, search/ }).click()
  await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  await page.keyboard.type(messageId)
  await page.getByRole('option', { name: `Open message ${messageId}`, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/messages/${messageId}\\?queue=parcels`))
  const again = await open(new URL(page.url()).pathname + new URL(page.url()).search)
  await again.getByText(messageId).first().waitFor()
})

it('puts the focus of every dialog where one types', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('letters')
  const page = await open('/queues')
  const typed = async (button: string, field: RegExp, text: string): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.type(text)
    expect(await dialog.getByRole('textbox', { name: field }).first().inputValue()).toBe(text)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await typed('Create queue', /^name$/, 'errands')
  await page.getByRole('row', { name: /^letters/ }).click()
  await page.getByRole('heading', { level: 1, name: 'letters' }).waitFor()
  await typed('Purge', /to confirm$/, 'letters')
  await typed('Pause', /^Reason/, 'a deploy')
  await typed('Create subscription', /^name$/, 'audit')
})

it('keeps its head in one line on a phone however long the name of a queue is, and names every page in full', async () => {
  const { engine, open } = stage()
  const queue = `long-${'name-'.repeat(12)}`.slice(0, 60)
  await engine.client.queues.create(queue)
  const page = await open(`/queues?queue=${queue}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('heading', { level: 1, name: queue }).waitFor()
  const heightOf = async (name: RegExp): Promise<number> =>
    (await page.getByRole('banner').getByText(name).first().boundingBox())!.height
  expect(await heightOf(/^long-name/)).toBeLessThan(30)
  const cut = await page
    .getByRole('navigation', { name: 'Pages' })
    .locator('li span')
    .evaluateAll((words) => words.filter((word) => word.scrollWidth > word.clientWidth).length)
  expect(cut).toBe(0)
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  await page.getByRole('gridcell', { name: 'created the queue' }).first().waitFor()
  const cell = await page.getByRole('gridcell', { name: 'created the queue' }).first().boundingBox()
  expect(cell!.x + cell!.width).toBeLessThan(390)
})

it('asks nothing while it is paused', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('quiet')
  const page = await open('/')
  await page.clock.install()
  await page.reload()
  await page.getByRole('button', { name: 'Streaming', exact: true }).click()
  await page.getByRole('button', { name: 'Paused' }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await engine.client.send('quiet', 'unheard')
  // Longer than its longest interval of asking.
  await page.clock.runFor(6_000)
  expect(asked).toEqual([])
})
