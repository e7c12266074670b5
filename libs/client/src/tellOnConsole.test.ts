import { afterEach, expect, it, vi } from 'vitest'
import { waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { createClient, inProcess } from './index.ts'

afterEach(() => vi.restoreAllMocks())

it('a handler that throws is reported with its queue, message, attempt and stack, without a listener', async () => {
  const told: unknown[][] = []
  vi.spyOn(console, 'error').mockImplementation((...line) => void told.push(line))
  const engine = await startMemoryEngine()
  const client = createClient(inProcess(engine.node()))
  await client.queues.create('boom', { retriesMax: 1, deadLetter: 'dead' })
  client.consumeEach('boom', () => {
    throw new RangeError('x')
  })
  const { messageId } = await client.send('boom', { a: 1 })
  await waitUntil(() => told.length === 2)
  expect(told.map(([line]) => line)).toEqual(
    [1, 2].map((attempt) => `kiroku: the handler of "boom" failed on ${messageId}, attempt ${attempt}:`),
  )
  expect((told[0]![1] as Error).stack).toContain('tellOnConsole.test.ts')

  client.consume('nosuch', () => {})
  await waitUntil(() => told.length === 3)
  expect(told[2]![0]).toMatch(/^kiroku: the consumer of "nosuch" has ended: .*kiroku queue create/)
  await client.close()
  await engine.close()
})
