import { createMemoryLog, type Log, type PartitionLog } from '@kiroku/log'
import type { Command, Delivery } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

type Running = Awaited<ReturnType<typeof startTestNode>>

const send = (queue: string, send: number, ...texts: string[]): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue,
  producer: queue,
  send,
  messages: texts.map(body),
})

/** A log whose reads of one record wait until they are let go. */
const withheld = (log: Log, seq: number) => {
  let letGo: () => void = () => {}
  const open = new Promise<void>((resolve) => (letGo = resolve))
  let isAsked = false
  const hold = (part: PartitionLog): PartitionLog => ({
    partition: part.partition,
    recordBytesMax: part.recordBytesMax,
    state: () => part.state(),
    fence: (records, expected) => part.fence(records, expected),
    append: (record, expected) => part.append(record, expected),
    async *read(from, to) {
      if (from === seq && to !== undefined) {
        isAsked = true
        await open
      }
      yield* part.read(from, to)
    },
    get: (at) => part.get(at),
    holes: () => part.holes(),
    trim: (upTo) => part.trim(upTo),
    onStored: (listener) => part.onStored(listener),
    checkpoints: part.checkpoints,
    close: () => part.close(),
  })
  return {
    log: { ...log, partition: async (n: number) => hold(await log.partition(n)) },
    letGo,
    isAsked: () => isAsked,
  }
}

/** Sends and settles elsewhere, until the log begins behind a record. */
const trimmedBehind = async (log: Log, one: Running, seq: number): Promise<void> => {
  const part = await log.partition(0)
  let n = 0
  await waitUntil(async () => {
    await one.ask(send('other', ++n, `${n}`.padEnd(20_000)))
    const { delivery } = await one.ask(receive('other'))
    await one.ask({ type: 'Ack', items: [itemOf(delivery!)] })
    return (await part.state()).firstSeq > seq
  })
}
const itemOf = ({ queue, sub, delivery, numbers }: Delivery) => ({ queue, sub, delivery, numbers })

/** A node whose log holds two messages that its cache does not, and the record that holds the first. */
const given = async () => {
  const kept = createMemoryLog({ partitions: 1, recordBytes: 60_000 })
  const before = await startTestNode(kept, 'before')
  for (const queue of ['mail', 'other']) await before.ask({ type: 'CreateQueue', queue, config: {}, by })
  await before.ask(send('mail', 1, 'a'))
  const { lastSeq: seq } = await (await kept.partition(0)).state()
  await before.ask(send('mail', 2, 'b'))
  await before.close()
  const held = withheld(kept, seq)
  const one = await startTestNode(held.log, 'one', { checkpoints: { bytesMin: 10_000, ageMs: 1e9 } })
  return { kept, held, one, seq }
}

it('a body that was purged and trimmed while it was fetched for a delivery does not close a sound partition', async () => {
  const { kept, held, one, seq } = await given()
  const asked = one.ask(receive('mail', 10, 5_000))
  await waitUntil(held.isAsked)
  await one.ask({ type: 'PurgeQueue', queue: 'mail', by })
  await trimmedBehind(kept, one, seq)
  held.letGo()
  expect(await asked).toEqual({})
  expect(one.node.actors.get(0)!.life).toBe('Active')
  await one.ask(send('mail', 3, 'c'))
  const { delivery } = await one.ask(receive('mail', 10, 5_000))
  expect(delivery!.messages.map(text)).toEqual(['c'])
  await one.close()
})

it('what is left of a delivery of which a message was settled meanwhile, and its record let go, is delivered again', async () => {
  const { kept, held, one, seq } = await given()
  const asked = one.ask(receive('mail', 10, 5_000))
  await waitUntil(held.isAsked)
  const { queue } = await one.ask({ type: 'DescribeQueue', queue: 'mail' })
  // Another process may know the receipt of a repeated delivery.
  await one.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery: 1, numbers: [1, 1] }] })
  kept.faults.loseRecord(0, seq)
  held.letGo()
  expect(await asked).toEqual({})
  const { delivery } = await one.ask(receive('mail', 10, 5_000))
  expect(delivery).toMatchObject({ attempts: [1] })
  expect(delivery!.messages.map(text)).toEqual(['b'])
  await one.close()
})

it('a body that is missing although its message lies there closes the partition', async () => {
  const { kept, held, one, seq } = await given()
  const asked = one.ask(receive('mail', 10, 5_000)).catch((e: unknown) => String(e))
  await waitUntil(held.isAsked)
  kept.faults.loseRecord(0, seq)
  held.letGo()
  expect(await asked).toContain('LogDamaged')
  await waitUntil(() => one.node.actors.get(0)!.life === 'Quarantined')
  await one.close()
})
