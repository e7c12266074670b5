import type { Answers, CommandOf, QueueDescription } from '@kiroku/protocol'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, inProcess } from './index.ts'
import { limits } from './limits.ts'
import { listQueues } from './listQueues.ts'

it('lists more queues than one answer describes, each of them once and with its parts', async () => {
  const engine = await startMemoryEngine()
  onTestFinished(() => engine.close())
  const client = createClient(
    inProcess({
      directory: () => engine.node().directory(),
      request: (partition, commands) => engine.node().request(partition, commands),
      onOwnerChanged: (listener) => engine.node().onOwnerChanged(listener),
    }),
  )
  onTestFinished(() => client.close())
  const { partitions } = await engine.node().directory()
  const count = partitions * limits.describedMax * 2
  const names = Array.from({ length: count }, (_, i) => `queue-${String(i).padStart(4, '0')}`)
  await Promise.all(names.map((name) => client.queues.create(name)))
  await client.queues.spread(names[0]!, 2)
  const listed = await client.queues.list()
  expect(listed.map(({ name }) => name)).toEqual(names)
  const { spread } = await client.queues.describe(names[0]!)
  expect(spread?.parts).toHaveLength(2)
  expect(listed[0]!.spread).toEqual(spread)
})

const described = (name: string) => ({ name }) as QueueDescription

it.each([
  ['that knows no pages', (): Answers['ListQueues'] => ({ queues: [described('a')] }), 1],
  [
    'that only names queues in pages',
    ({ page }: CommandOf<'ListQueues'>): Answers['ListQueues'] =>
      page === undefined ? { queues: [described('a')] } : { queues: [], names: ['a'] },
    2,
  ],
])('takes what an engine of an older version answers, one %s', async (_, answer, asks) => {
  let asked = 0
  const ask = (command: CommandOf<'ListQueues'>) => {
    asked++
    return Promise.resolve(answer(command))
  }
  expect(await listQueues(ask)).toEqual([described('a')])
  expect(asked).toBe(asks)
})

it('does not ask again where there is none', async () => {
  let asked = 0
  expect(await listQueues(() => Promise.resolve({ queues: [], names: [], asked: ++asked }))).toEqual([])
  expect(asked).toBe(1)
})
