import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

it('says that the engine is away with the last known counts, and resumes by itself when it is back', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('steady')
  for (let i = 0; i < 3; i++) await engine.client.send('steady', { i })
  const page = await open('/')
  const available = page.locator('[data-state="Available"][data-count="3"]')
  await available.waitFor()
  await engine.kill()
  await page.getByRole('alert').getByText('The engine is away.').waitFor()
  expect(await available.count()).toBeGreaterThan(0)
  await expectAccessible(page)
  await engine.start()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await waitUntil(() => engine.client.send('steady', 'again'), { timeoutMs: 30_000 })
  await page.locator('[data-state="Available"][data-count="4"]').waitFor()
  await expectAccessible(page)
})
