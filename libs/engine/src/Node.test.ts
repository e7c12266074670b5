import { createMemoryLog, encodeRecord, zeroHash } from '@kiroku/log'
import { decodeEnvelope, type Command, type LogEvent } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import { describe, expect, it } from 'vitest'
import { Node } from './Node.ts'
import { body, by, receive, startTestNode, text } from './testing/startTestNode.ts'

describe('a node on a memory log', () => {
  it('stores, delivers and settles messages, and knows them again after a restart', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const first = await startTestNode(log)
    await first.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    await first.ask({
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: 1,
      messages: [body('a'), body('b'), body('c')],
    })
    const { delivery } = await first.ask(receive('mail', 2))
    expect(delivery!.messages.map(text)).toEqual(['a', 'b'])
    const item = { queue: delivery!.queue, sub: 0, delivery: delivery!.delivery, numbers: [1, 1] }
    expect(await first.ask({ type: 'Ack', items: [item] })).toEqual({ refused: [] })
    await first.close()

    const second = await startTestNode(log, 'node-2')
    const description = await second.ask({ type: 'DescribeQueue', queue: 'mail' })
    expect(description.counts).toMatchObject({ available: 1, inflight: 1, committed: 1, sent: 3 })
    expect((await second.ask(receive('mail'))).delivery!.messages.map(text)).toEqual(['c'])
    expect(
      (await second.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('a')] }))
        .count,
    ).toBe(3)
    await second.close()
  })

  it('says once that it cannot read a partition to which a newer version wrote, and stays to be asked why', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const event = { type: 'WeatherNoted' } as unknown as LogEvent
    const { bytes } = encodeRecord({ epoch: 1, at: 1, events: [event], sections: [] }, zeroHash)
    log.faults.write(0, bytes)
    const refused: string[] = []
    const node = new Node({ log, name: 'old' })
    const lease = {
      confirmedAtMs: () => performance.now(),
      ttlMs: 3_000,
      refuse: (why: string) => refused.push(why),
    }
    const fiber = Effect.runFork(Effect.scoped(node.run(0, lease)))
    await waitUntil(() => node.actors.get(0)?.life === 'Quarantined' && refused.length > 0)
    expect(refused).toEqual([expect.stringContaining('WeatherNoted')])
    const { answers } = await node.request(0, [{ type: 'ListQueues' }])
    expect(answers[0]!.error).toMatchObject({ id: 'Quarantined' })
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(node.actors.size).toBe(0)
  })

  it('describes many queues piece by piece, so that others have their turn', async () => {
    const one = await startTestNode(createMemoryLog({ partitions: 1 }))
    const names = Array.from({ length: 1_050 }, (_, i) => `queue-${i}`)
    await one.node.request(
      0,
      names.map((queue) => ({ type: 'CreateQueue', queue, config: {}, by }) as const),
    )
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const { queues } = await one.node.describe()
    clearImmediate(timer)
    expect(queues.map(({ name }) => name)).toEqual(names)
    expect(turns).toBeGreaterThanOrEqual(10)
    await one.close()
  })

  it('gives a waiting receive what is sent later', async () => {
    const one = await startTestNode(createMemoryLog({ partitions: 1 }))
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const waiting = one.ask(receive('mail', 1, 20_000))
    await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('x')] })
    expect((await waiting).delivery!.messages.map(text)).toEqual(['x'])
    await one.close()
  })

  it('puts large bodies in records of their own and gives them back whole', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log)
    await one.ask({ type: 'CreateQueue', queue: 'big', config: { bodyBytesMax: 4_000_000 }, by })
    const large = 'L'.repeat(3_000_000)
    await one.ask({
      type: 'Enqueue',
      queue: 'big',
      producer: 'p',
      send: 1,
      messages: [body('s'), body(large), body(large)],
    })
    await one.close()
    const two = await startTestNode(log, 'node-2')
    const { delivery } = await two.ask({ ...receive('big'), bytesMax: 64_000_000 })
    expect(delivery!.messages.map((m) => text(m).length)).toEqual([1, 3_000_000, 3_000_000])
    await two.close()
  })

  it('carries exhausted messages to the dead-letter queue once, with their lineage', async () => {
    const one = await startTestNode(createMemoryLog({ partitions: 1 }))
    const dlq = await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    const deadLetter = { name: 'dead', partition: 0, queue: dlq.queue }
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { retriesMax: 0, deadLetter }, by })
    await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('x')] })
    const { delivery } = await one.ask(receive('mail'))
    const item = { queue: delivery!.queue, sub: 0, delivery: delivery!.delivery, numbers: delivery!.numbers }
    await one.ask({ type: 'Retry', items: [item], error: 'broken' })
    const dead = (await one.ask(receive('dead', 1, 5_000))).delivery!
    expect(decodeEnvelope(dead.messages[0]!).meta.lineage).toMatchObject({
      queue: 'mail',
      attempts: 1,
      error: 'broken',
    })
    await waitUntil(() =>
      [...one.node.actors.get(0)!.state.outbox.values()].every((l) => l.entries.length === 0),
    )
    await one.close()
  })

  it.each(['requestLost', 'answerLost', 'late', 'displaced'] as const)(
    'answers truthfully when an append is %s',
    async (fault) => {
      const log = createMemoryLog({ partitions: 1 })
      const one = await startTestNode(log)
      await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
      log.faults.onAppend(0, fault)
      const send: Command = { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [body('x')] }
      const first = await one.node.request(0, [send])
      expect(first.answers[0]!.error?.id).toBe(fault === 'displaced' ? 'Unavailable' : undefined)
      await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
      log.faults.land(0)
      expect((await one.ask(send)).first).toBe(1)
      expect((await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(1)
      await one.close()
    },
  )
})

describe('a log that takes only small records', () => {
  it('stores many and large bodies all the same, and refuses what no record can hold', async () => {
    const one = await startTestNode(createMemoryLog({ partitions: 1 }, { recordBytesMax: 1_048_576 }))
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { bodyBytesMax: 4_000_000 }, by })
    const messages = Array.from({ length: 1_000 }, (_, i) => body(`${i}`.padEnd(2_000)))
    await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages })
    await one.ask({
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: 2,
      messages: [body('L'.repeat(900_000))],
    })
    const { delivery } = await one.ask({ ...receive('mail', 1_000), bytesMax: 64_000_000 })
    expect(delivery!.messages.map((m) => text(m).trim())).toEqual(messages.map((_, i) => `${i}`))
    const tooLarge: Command = {
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: 3,
      messages: [body('L'.repeat(1_000_000))],
    }
    expect((await one.node.request(0, [tooLarge])).answers[0]!.error?.id).toBe('BodyTooLarge')
    await one.close()
  })
})
