import { afterEach, expect, it, vi } from 'vitest'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { createClient, inProcess } from './index.ts'
import { tellOnConsole } from './tellOnConsole.ts'

afterEach(() => vi.restoreAllMocks())

const listening = (): string[] => {
  const told: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void told.push(line))
  return told
}

it('a handler that throws is reported with its queue, message, attempt and stack, without a listener', async () => {
  const told = listening()
  const engine = await startMemoryEngine()
  const client = createClient(inProcess(engine.node()))
  await client.queues.create('boom', { retriesMax: 1, deadLetter: 'dead' })
  client.consumeEach('boom', () => {
    throw new RangeError('x')
  })
  const { messageId } = await client.send('boom', { a: 1 })
  await waitUntil(() => told.length === 2)
  expect(told.map((line) => line.split('\n')[0])).toEqual(
    [1, 2].map(
      (attempt) => `kiroku: the handler of "boom" failed on ${messageId}, attempt ${attempt}: RangeError: x`,
    ),
  )
  expect(told[0]).toMatch(/\n {4}at .*tellOnConsole\.test\.ts/)

  client.consume('nosuch', () => {})
  await waitUntil(() => told.length === 3)
  expect(told[2]).toMatch(/^kiroku: the consumer of "nosuch" has ended: .*kiroku queue create/)
  await client.close()
  await engine.close()
})

it('a handler that fails all the time is told of in full at first, and then in numbers', async () => {
  const told = listening()
  const time = new ManualTime()
  const tell = tellOnConsole(time)
  const fail = (queue: string, count: number): void => {
    for (let n = 1; n <= count; n++)
      tell({
        type: 'handlerFailed',
        queue,
        messageId: `${n}`,
        messages: 1,
        attempt: 1,
        error: new Error('x'),
      })
  }
  fail('mail', 30)
  fail('other', 1)
  expect(told).toHaveLength(21)
  await time.advance(10_000)
  expect(told.slice(21)).toEqual(['kiroku: the handler of "mail" failed 10 more times within 10 s'])
  fail('mail', 20)
  await time.advance(10_000)
  expect(told).toHaveLength(42)
})

it('control characters in the error of a handler are spelled out, those of its cause too', async () => {
  const told = listening()
  const engine = await startMemoryEngine()
  const client = createClient(inProcess(engine.node()))
  await client.queues.create('boom', { retriesMax: 0 })
  client.consumeEach('boom', ({ body }) => {
    throw new Error(`bad ${String(body)}`, { cause: new Error(`worse ${String(body)}`) })
  })
  await client.send('boom', '\u001b[2J\u202e')
  const line = await waitUntil(() => told.find((each) => each.includes('bad ')))
  expect(line).toContain(String.raw`bad \x1b[2J\u202e`)
  expect(line).toContain(String.raw`worse \x1b[2J\u202e`)
  // eslint-disable-next-line no-control-regex
  expect(line).not.toMatch(/[\u001b\u202e]/)
  await client.close()
  await engine.close()
})
