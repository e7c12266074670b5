import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

type TestNode = Awaited<ReturnType<typeof startTestNode>>

const queue = (name: string, config: Record<string, unknown> = {}) => ({
  type: 'CreateQueue' as const,
  queue: name,
  config,
  by,
})

/** A node with a letter that waits for a queue that was deleted. */
const withLetter = async (
  log: MemoryLog,
  bytesMin: number,
  letter = 'the letter',
  time = new ManualTime(),
): Promise<TestNode> => {
  const one = await startTestNode(log, 'one', {
    checkpoints: { bytesMin, ageMs: 1e9 },
    time,
  })
  const { queue: dead } = await one.ask(queue('dead'))
  await one.ask(queue('mail', { deadLetter: { partition: 0, queue: dead, name: 'dead' } }))
  await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
  await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'l', send: 1, messages: [body(letter)] })
  const { delivery } = await one.ask(receive('mail', 1))
  const { queue: mail, sub, numbers } = delivery!
  await one.ask({
    type: 'DeadLetter',
    items: [{ queue: mail, sub, delivery: delivery!.delivery, numbers }],
    error: 'no',
  })
  return one
}

/** Sends ten messages of 10 KB and consumes them; the error of a send that was refused. */
const pass = async (one: TestNode, send: number): Promise<string | undefined> => {
  const messages = Array<Uint8Array>(10).fill(body('x'.repeat(10_000)))
  const [answer] = (
    await one.node.request(0, [{ type: 'Enqueue', queue: 'mail', producer: 'p', send, messages }])
  ).answers
  for (;;) {
    const { delivery } = await one.ask(receive('mail', 100))
    if (delivery === undefined) return answer!.error?.id
    const { queue: mail, sub, numbers } = delivery
    await one.ask({ type: 'Ack', items: [{ queue: mail, sub, delivery: delivery.delivery, numbers }] })
  }
}

/** The letter as it arrives where its queue is made again. */
const arrives = async (log: MemoryLog): Promise<string[]> => {
  const two = await startTestNode(log, 'two')
  await two.ask(queue('dead'))
  const found: string[] = []
  await waitUntil(async () => {
    const { delivery } = await two.ask(receive('dead'))
    found.push(...(delivery?.messages ?? []).map(text))
    return found.length > 0
  })
  await two.close()
  return found
}

describe('a letter that waits for a queue that is gone', () => {
  it('does not keep the log from being trimmed to its limit', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 1_000_000 })
    const one = await withLetter(log, 200_000)
    const part = await log.partition(0)
    let most = 0
    for (let n = 1; n <= 100; n++) {
      await pass(one, n)
      most = Math.max(most, (await part.state()).bytes)
    }
    expect(most).toBeLessThan(2_500_000)
    await one.close()
    expect(await arrives(log)).toEqual(['the letter'])
  })

  it('does not fill a store that is smaller than the record may become', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const time = new ManualTime()
    const one = await withLetter(log, 32 * 1024 * 1024, 'the letter', time)
    // A refused source retries after the pause it was given; five times what the store holds goes through.
    let refused = 0
    for (let n = 1; n <= 100; n++)
      while ((await pass(one, n)) === 'StorageFull') {
        expect(++refused).toBeLessThan(200)
        await time.advance(1_000)
      }
    await one.close()
    expect(await arrives(log)).toEqual(['the letter'])
  })

  it('is carried forward also when its queue was deleted and its body is large', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 1_000_000 })
    const large = 'y'.repeat(300_000)
    const one = await withLetter(log, 200_000, large)
    await one.ask({ type: 'DeleteQueue', queue: 'mail', by })
    await one.ask(queue('mail'))
    const part = await log.partition(0)
    for (let n = 1; n <= 40; n++) await pass(one, n)
    expect((await part.state()).bytes).toBeLessThan(2_500_000)
    await one.close()
    expect(await arrives(log)).toEqual([large])
  })
})
