import { createMemoryLog, decodeRecord } from '@kiroku/log'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { alteredLog, checkpointed, eventsOf } from '../testing/alteredLog.ts'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

type Running = Awaited<ReturnType<typeof startTestNode>>

const send = (one: Running, queue: string, send: number, content: string) =>
  one.ask({ type: 'Enqueue', queue, producer: queue, send, messages: [body(content)] })
const settle = async (one: Running): Promise<void> => {
  const { queue, sub, delivery, numbers } = (await one.ask(receive('noise', 1_000))).delivery!
  await one.ask({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
}

/**
 * A node that carries two bodies forward, the first of which is `large` and the second being read until it is let go;
 * the new record of the first is lost where `isLost`.
 */
const carrying = async ({ isLost }: { readonly isLost: boolean }) => {
  const log = createMemoryLog({ partitions: 1, recordBytes: 3_000_000 }, { recordBytesMax: 600_000 })
  const before = await startTestNode(log, 'before')
  for (const queue of ['mail', 'noise']) await before.ask({ type: 'CreateQueue', queue, config: {}, by })
  let n = 0
  await send(before, 'noise', ++n, 'x')
  await send(before, 'mail', 1, 'a'.repeat(200_000))
  // Large enough that reading the first body does not bring the second one along.
  while (n <= limits.readAheadRecords) await send(before, 'noise', ++n, 'x')
  await settle(before)
  await send(before, 'mail', 2, 'b'.repeat(200_000))
  await before.close()

  const part = await log.partition(0)
  const { lastSeq: second } = await part.state()
  let under: number | undefined
  let letGo = (): void => {}
  const open = new Promise<void>((resolve) => (letGo = resolve))
  let isCarrying = false
  const slow = alteredLog(log, part, {
    async *read(from, to) {
      if (to !== undefined && from === second && isCarrying) {
        under = (await part.checkpoints.list())[0]
        await open
      }
      yield* part.read(from, to)
    },
    append: (record, expected) => {
      if (decodeRecord(record).kind !== 'body' || isCarrying) return part.append(record, expected)
      isCarrying = true
      if (isLost) log.faults.onAppend(0, 'displaced')
      return part.append(record, expected)
    },
  })
  const one = await startTestNode(slow, 'one', { checkpoints: { bytesMin: 1_000_000, ageMs: 1e9 } })
  const traffic = async (): Promise<void> => {
    await send(one, 'noise', ++n, 'x'.repeat(50_000))
    await settle(one)
  }
  await waitUntil(async () => {
    // What is under way when the record is lost has no answer.
    await traffic().catch(() => undefined)
    return under !== undefined
  })
  await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
  return { log, part, one, traffic, letGo, under: under!, sent: () => n }
}

describe('what is carried forward', () => {
  it('is named by no frame where its record was lost with the ownership that wrote it', async () => {
    const { log, part, one, traffic, letGo, under } = await carrying({ isLost: true })
    letGo()
    await waitUntil(async () => {
      await traffic()
      return (await eventsOf(part)).some(({ type }) => type === 'BodiesCarried')
    })
    // Nor is the checkpoint for which it was carried.
    expect(await checkpointed(part)).not.toContain(under)
    await one.close()
    const two = await startTestNode(log, 'two')
    const { delivery } = await two.ask({ ...receive('mail', 2), bytesMax: 1e9 })
    expect(delivery!.messages.map((m) => text(m)[0])).toEqual(['a', 'b'])
    await two.close()
  })

  it('lets no trim take what a subscription needs that began in the past meanwhile', async () => {
    const { log, part, one, traffic, letGo, under, sent } = await carrying({ isLost: false })
    const subscription = 's'
    await one.ask({
      type: 'CreateSubscription',
      queue: 'noise',
      subscription,
      settings: {},
      start: 'earliest',
      by,
    })
    await waitUntil(() => one.node.actors.get(0)!.state.filling.size === 0)
    const needed = sent()
    letGo()
    await waitUntil(async () => {
      await traffic()
      return (await checkpointed(part)).includes(under)
    })
    await one.close()
    const two = await startTestNode(log, 'two')
    const { delivery } = await two.ask({ ...receive('noise', 1_000), bytesMax: 1e9, subscription })
    expect(delivery!.numbers[0]).toBe(1)
    expect(delivery!.messages.length).toBeGreaterThanOrEqual(needed)
    await two.close()
  })

  it.each<[what: string, leave: (one: Running) => Promise<void>]>([
    [
      'messages in flight',
      async (one) => {
        for (let n = 1; n <= 6; n++) {
          const messages = Array.from({ length: 1_000 }, () => body('x'))
          await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'mail', send: n, messages })
          await one.ask(receive('mail', 1_000))
        }
      },
    ],
    [
      'messages sent one by one',
      async (one) => {
        for (let n = 1; n <= limits.carryRunsMax + 500; n++) await send(one, 'mail', n, 'x')
      },
    ],
  ])(
    'lets the log be trimmed where it is %s, and more than are carried at once',
    { timeout: 60_000 },
    async (_, leave) => {
      const log = createMemoryLog({ partitions: 1, recordBytes: 1_000_000 })
      const part = await log.partition(0)
      const one = await startTestNode(log, 'one', { checkpoints: { bytesMin: 2_000_000, ageMs: 1e9 } })
      for (const queue of ['mail', 'noise']) await one.ask({ type: 'CreateQueue', queue, config: {}, by })
      await leave(one)
      const { lastSeq } = await part.state()
      let n = 0
      await waitUntil(
        async () => {
          await send(one, 'noise', ++n, 'x'.repeat(50_000))
          await settle(one)
          return (await part.state()).firstSeq > lastSeq
        },
        { timeoutMs: 50_000 },
      )
      const { counts } = await describeMail(one)
      await one.close()
      const two = await startTestNode(log, 'two')
      expect((await describeMail(two)).counts).toEqual(counts)
      await two.close()
    },
  )
})

const describeMail = (one: Running) => one.ask({ type: 'DescribeQueue', queue: 'mail' })
