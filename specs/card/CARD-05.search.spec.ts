import { FilterError, trace, type TraceOptions } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { describe, expect, it } from 'vitest'
import { createWorld, indexOf, type World } from '../harness/index.ts'

const tell = ({ messages }: { messages: readonly { queue: string; number: number; state: string }[] }) =>
  messages.map(({ queue, number, state }) => `${queue} ${number} ${state}`).sort()

/** Last night three messages failed, two of them alike; two were handled, and one waits. */
const lastNight = async (world: World) => {
  await world.queue('dead')
  await world.queue('mail', { retriesMax: 0, deadLetter: 'dead', indexBody: 'on' })
  const customers = [42, 7, 42, 8, 9]
  for (const id of customers)
    await world.client.send(
      'mail',
      { customer: { id }, city: id === 42 ? 'Kyoto' : 'Nara' },
      {
        attributes: { region: id === 42 ? 'eu' : 'us' },
      },
    )
  await world.advance('1 hour')
  const messages = await world.receive('mail', { max: 5 })
  const errors = ['timed out after 30 s', 'timed out after 12 s', 'no such city: "Atlantis"']
  for (const [i, error] of errors.entries()) await messages[i]!.retry({ error })
  await messages[3]!.ack()
  await messages[4]!.ack()
  await world.client.send('mail', { customer: { id: 42 } })
  await world.advance('1 second')
}

describe('[CARD-05] messages are found by what happened to them', () => {
  it('[CARD-05] those that failed with one kind of error last night, and of them those of one customer', async () => {
    await using world = await createWorld({ partitions: 2 })
    await lastNight(world)
    const index = await indexOf(world)
    const failed = await index.search('state:dlq queue:mail error:"timed out" since:24h')
    expect(tell(failed)).toEqual(['mail 1 DLQ', 'mail 2 DLQ'])
    const [one, other] = failed.messages
    expect(one!.fingerprint).toBe(other!.fingerprint)
    expect(tell(await index.search(`fingerprint:${one!.fingerprint} payload.customer.id:42`))).toEqual([
      'mail 1 DLQ',
    ])
    expect(tell(await index.search('state:dlq attr.region:eu'))).toEqual(['mail 1 DLQ', 'mail 3 DLQ'])
    expect(tell(await index.search('payload.city:Kyoto -error:"timed out" state:final'))).toEqual([
      'mail 3 DLQ',
    ])
  })

  it('[CARD-05] live or long gone, also where they went to and where they came from', async () => {
    await using world = await createWorld({ partitions: 2 })
    await lastNight(world)
    const index = await indexOf(world)
    expect(tell(await index.search('queue:mail state:committed'))).toEqual([
      'mail 4 Committed',
      'mail 5 Committed',
    ])
    expect(tell(await index.search('queue:mail state:live'))).toEqual(['mail 6 Available'])
    const { messageId } = (await index.search('state:dlq number:1')).messages[0]!
    expect(tell(await index.search(`id:${messageId}`))).toEqual(['dead 1 Available', 'mail 1 DLQ'])
  })

  it('[CARD-05] an answer says up to where of each partition it knows', async () => {
    await using world = await createWorld({ partitions: 2 })
    await lastNight(world)
    const index = await indexOf(world)
    const before = await index.search('state:available queue:mail')
    await world.send('mail', 'x')
    expect(await index.search('state:available queue:mail')).toEqual(before)
    await index.follow()
    const after = await index.search('state:available queue:mail')
    expect(after.messages).toHaveLength(before.messages.length + 1)
    for (const { partition, seq } of after.reached) {
      const log = await world.log.partition(partition)
      expect(seq).toBe((await log.state()).lastSeq)
    }
  })

  it('[CARD-05] a value in a body is found only where the queue indexes bodies, and the answer names the others', async () => {
    await using world = await createWorld({ partitions: 1 })
    await world.queue('plain')
    await world.send('plain', { customer: { id: 42 } })
    await world.client.queues.update('plain', { indexBody: 'on' })
    await world.queue('other')
    await world.send('plain', { customer: { id: 42 } })
    const index = await indexOf(world)
    const found = await index.search('payload.customer.id:42')
    expect(tell(found)).toEqual(['plain 2 Available'])
    expect(found.bodiesNotIndexed).toEqual(['other'])
  })

  it('[CARD-05] what was forwarded is found by a value in its body where the queue it was sent to indexes bodies', async () => {
    await using world = await createWorld({ partitions: 2 })
    await lastNight(world)
    const index = await indexOf(world)
    const failed = await index.search('queue:dead payload.customer.id:42')
    expect(tell(failed)).toEqual(['dead 1 Available', 'dead 3 Available'])
    expect(failed.bodiesNotIndexed).toEqual([])

    const { messageId, number } = failed.messages[0]!
    await world.client.queues.editBody('dead', { number, messageId, body: '{"customer":{"id":43}}' })
    await world.queue('desk')
    await world.client.queues.redrive('dead', { to: 'desk' })
    await world.send('desk', { customer: { id: 43 } })
    await world.advance('1 second')
    await index.follow()
    const edited = await index.search('payload.customer.id:43')
    expect(edited.messages.map((m) => [m.messageId, m.queue])).toEqual([
      [messageId, 'desk'],
      [messageId, 'dead'],
    ])
    expect(edited.bodiesNotIndexed).toEqual(['desk'])
    expect((await index.search('-queue:desk payload.customer.id:43')).bodiesNotIndexed).toEqual([])
  })

  it('[CARD-05] where the beginning of the record is gone, what is live is found all the same', async () => {
    await using world = await createWorld({
      recordMs: 1_000,
      recordBytes: 50_000,
      checkpoints: { bytesMin: 20_000, ageMs: 1e12 },
    })
    await world.queue('mail')
    await world.sendBatch('mail', ['a', 'b', 'c'])
    const [taken] = await world.receive('mail', { leaseMs: 36_000_000 })
    await world.queue('traffic')
    const sent: string[] = []
    const log = await world.log.partition(0)
    for (let i = 0; (await log.state()).firstSeq < 10 && i < 2_000; i++) {
      sent.push((await world.client.send('traffic', 'x'.repeat(1_000))).messageId)
      await world.advance('1 second')
      for (const message of await world.receive('traffic')) await message.ack()
      await world.advance('1 second')
    }
    expect((await log.state()).firstSeq).toBeGreaterThan(9)
    const index = await indexOf(world)
    expect(tell(await index.search('queue:mail state:live'))).toEqual([
      'mail 1 Inflight',
      'mail 2 Available',
      'mail 3 Available',
    ])
    await taken!.ack()
    await index.follow()
    expect(tell(await index.search('queue:mail state:committed'))).toEqual(['mail 1 Committed'])
    const told = (id: string, options: TraceOptions = {}) =>
      trace(world.log, id, { decodeCheckpoint, ...options }).catch((error: Error) => error.message)
    for (const id of [taken!.id, ...sent])
      expect(await told(id, { index: index.forTraces })).toEqual(await told(id))
  })

  it('[CARD-05] a filter that cannot be read is refused at the character that is wrong', async () => {
    await using world = await createWorld()
    const index = await indexOf(world)
    let refused: unknown
    try {
      await index.search('state:dlq colour:red')
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(FilterError)
    expect(refused).toMatchObject({ id: 'InvalidFilter', at: 10 })
  })
})
