import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { trace, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { decodeRecord, entryOf, isSealed, readSealed, type Log } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import { createNatsWorld, createWorld, replay, type World } from '../harness/index.ts'

const secret = 'the plain text about customer 42'
const reason = 'request 4711'
const hour = 3_600_000

const textsIn = async (world: World, queue: string): Promise<string[]> =>
  (await world.receive(queue, { max: 100 })).map((message) => message.text())
const typesOf = async (world: World, types: readonly string[]) =>
  (await world.record()).filter(({ type }) => types.includes(type)).map(({ type }) => type)

describe('a queue that is erasable by message', () => {
  it('[CARD-05] keeps no plain text in the log, and erases a message from every file of the store', async () => {
    // Given messages in an erasable queue on a real JetStream log
    await using world = await createNatsWorld()
    const { client, beside, dataDir } = world
    const onDisk = (bytes: Buffer | string): boolean =>
      filesIn(dataDir).some((file) => readFileSync(file).includes(bytes))
    await client.queues.create('orders', { erasable: 'message' })
    const { messageId } = await client.send('orders', secret, { attributes: { mail: 'a@example.org' } })
    await client.send('orders', 'another')
    expect(onDisk(secret)).toBe(false)
    expect(onDisk('a@example.org')).toBe(false)
    const key = Buffer.from((await beside.keys.get('m.0.1.0'))!.value.slice(0, 32))
    expect(onDisk(key)).toBe(true)

    // When one is erased
    expect(await client.queues.erase('orders', { messageId, reason })).toEqual({ discarded: 1 })

    // Then its key is in no file any more, the other is delivered, and the record is whole and says who and why
    expect(onDisk(key)).toBe(false)
    const [other] = await client.receive('orders', { max: 10, waitMs: 1_000 })
    expect(other!.text()).toBe('another')
    expect((await verify(beside, { decodeCheckpoint, deep: true })).ok).toBe(true)
    const { steps, state } = await trace(beside, messageId)
    expect(state).toBe('Discarded')
    expect(steps.map(({ event }) => event)).toEqual(['Enqueued', 'Erased', 'Discarded', 'KeysDeleted'])
    expect(steps[1]!.by).toMatchObject({ name: 'local', reason })
  })

  it('[CARD-05] erases a message that is long acknowledged, and one that is in flight', async () => {
    await using world = await createWorld()
    await world.queue('orders', { erasable: 'message' })
    const { messageId: first } = await world.client.send('orders', 'a')
    const { messageId: second } = await world.client.send('orders', 'b')
    const [a, b] = await world.receive('orders', { max: 2 })
    await a!.ack()
    expect(await world.client.queues.erase('orders', { messageId: first, reason })).toEqual({ discarded: 0 })
    expect(await world.client.queues.erase('orders', { messageId: second, reason })).toEqual({ discarded: 1 })
    await expect(b!.retry()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await world.advance('1 hour')
    expect(await textsIn(world, 'orders')).toEqual([])
    expect(await world.counts('orders')).toMatchObject({ committed: 1, discarded: 1 })
  })

  it('[CARD-05] erases dead letters with the message that they were, wherever they are by then', async () => {
    await using world = await createWorld()
    await world.queue('orders', { erasable: 'message', deadLetter: 'failed', retriesMax: 0 })
    const { messageId } = await world.client.send('orders', 'a')
    await world.send('orders', 'b')
    for (const message of await world.receive('orders', { max: 2 })) await message.retry()
    await world.advance('1 second')
    expect(await world.counts('failed')).toMatchObject({ available: 2 })
    await world.client.queues.erase('orders', { messageId, reason })
    expect(await textsIn(world, 'failed')).toEqual(['b'])
    expect((await verify(world.log, { decodeCheckpoint, deep: true })).ok).toBe(true)
  })

  it('[CARD-05] continues after a crash: nothing acknowledged is unreadable, nothing erased comes back', async () => {
    await using world = await createWorld()
    await world.queue('orders', { erasable: 'message' })
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await world.client.send('orders', `m${i}`)).messageId)
    await world.client.queues.erase('orders', { messageId: ids[2]!, reason })
    await world.restart('crash', '1 minute')
    await world.send('orders', 'm5')
    expect(await textsIn(world, 'orders')).toEqual(['m0', 'm1', 'm3', 'm4', 'm5'])
    const live = stateHash(snapshot(world.engine.actor(0).state))
    expect(stateHash(snapshot(await replay(world.log)))).toBe(live)
  })

  it('[CARD-05] keeps the key of a message that waits for longer than the record is kept', async () => {
    // Given a log that keeps an hour, and the retention that queues have by themselves
    await using world = await createWorld({ recordMs: hour })
    await world.queue('orders', { erasable: 'message', deadLetter: 'failed', retriesMax: 0 })
    await world.queue('events', { erasable: 'group', groups: 'fair' })
    await world.queue('failed')
    await world.sendBatch('orders', ['a', 'b'])
    await world.send('orders', 'late', { delayMs: 50 * hour })
    await world.send('events', 'c', { group: '42' })

    // When they wait for days, and another process delivers them
    await world.advance('53 hours')
    await world.restart('crash')

    // Then all can be read, and so can one that dies only now
    const messages = await world.receive('orders', { max: 10 })
    expect(messages.map((message) => message.text())).toEqual(['a', 'b', 'late'])
    expect(await textsIn(world, 'events')).toEqual(['c'])
    await messages[0]!.retry()
    await world.advance('1 second')
    expect(await textsIn(world, 'failed')).toEqual(['a'])
  })

  it('[CARD-05] finishes an erasure that a crash interrupted before the key was deleted', async () => {
    await using world = await createWorld()
    await world.queue('orders', { erasable: 'message' })
    const { messageId } = await world.client.send('orders', 'a')
    const key = Buffer.from((await world.log.keys.get('m.0.1.0'))!.value.slice(0, 32))
    world.log.keys.isDown = true
    const erased = world.client.queues.erase('orders', { messageId, reason })
    await world.advance('1 second')
    expect(await typesOf(world, ['Erased', 'KeysDeleted'])).toEqual(['Erased'])
    await world.engine.stop('crash')
    world.log.keys.isDown = false
    await world.engine.start()
    await world.advance('10 seconds')
    expect(await typesOf(world, ['KeysDeleted'])).not.toEqual([])
    expect(world.log.keys.stored.some((value) => Buffer.from(value).includes(key))).toBe(false)
    await erased
  })

  it('[CARD-05] finishes an erasure on NATS, too, whose owner is killed before the key is deleted', async () => {
    // Given an engine whose writes of keys do not get through any more from some moment on
    let isCut = false
    const between = (log: Log): Log => ({
      meta: log.meta,
      partition: (n) => log.partition(n),
      restore: (n) => log.restore(n),
      room: () => log.room(),
      close: () => log.close(),
      keys: {
        keptMs: log.keys.keptMs,
        get: (name) => log.keys.get(name),
        scrub: (name) => log.keys.scrub(name),
        put: (name, value, revision) => (isCut ? new Promise(() => {}) : log.keys.put(name, value, revision)),
      },
    })
    await using world = await createNatsWorld({ between })
    const { client, engine, beside, dataDir } = world
    await client.queues.create('orders', { erasable: 'message' })
    const { messageId } = await client.send('orders', 'a')
    await client.send('orders', 'b')
    const key = Buffer.from((await beside.keys.get('m.0.1.0'))!.value.slice(0, 32))
    isCut = true
    const erased = client.queues.erase('orders', { messageId, reason })
    const types = async () => (await world.record()).map(({ type }) => type)
    await waitUntil(async () => (await types()).includes('Erased'))

    // When it is killed, and another begins
    await engine.stop('crash')
    expect(await types()).not.toContain('KeysDeleted')
    isCut = false
    await engine.start()

    // Then the key is deleted, from the files too, and the caller gets an answer
    await erased
    expect(await types()).toContain('KeysDeleted')
    expect(filesIn(dataDir).some((file) => readFileSync(file).includes(key))).toBe(false)
    expect((await client.receive('orders', { max: 10, waitMs: 1_000 })).map((m) => m.text())).toEqual(['b'])
    expect(await verify(beside, { decodeCheckpoint })).toMatchObject({ ok: true, keys: { problems: [] } })
  })

  it('[CARD-05] takes nothing in while its keys cannot be stored, and never in plain text', async () => {
    await using world = await createWorld()
    await world.queue('orders', { erasable: 'message' })
    world.log.keys.isDown = true
    const sent = world.client.send('orders', secret)
    await world.advance('5 seconds')
    expect(await world.counts('orders')).toMatchObject({ sent: 0 })
    world.log.keys.isDown = false
    await world.advance('30 seconds')
    await sent
    expect(await textsIn(world, 'orders')).toEqual([secret])
    for await (const { data } of (await world.log.partition(0)).read(1))
      expect(Buffer.from(data).includes(secret)).toBe(false)
  })
})

describe('a verification', () => {
  const keysOf = async (world: World) => {
    const { ok, keys } = await verify(world.log, { decodeCheckpoint })
    return {
      ok,
      messages: keys!.messages,
      problems: keys!.problems.map(({ kind, keys }) => ({ kind, keys })),
    }
  }
  const given = async () => {
    const world = await createWorld({ partitions: 2 })
    await world.queue('orders', { erasable: 'message', deadLetter: 'failed', retriesMax: 0 })
    await world.queue('events', { erasable: 'group', groups: 'fair' })
    const { messageId } = await world.client.send('orders', 'a')
    await world.sendBatch('orders', ['b', 'c'])
    for (const message of await world.receive('orders', { max: 2 })) await message.retry()
    await world.advance('1 second')
    await world.send('events', 'd', { group: '42' })
    return { world, messageId }
  }

  it('[CARD-05] finds keys that were lost, also where others have taken their place since', async () => {
    const { world } = await given()
    await using _world = world
    await world.engine.stop('drain')
    world.log.keys.lose()
    await world.engine.start()
    const lost = (keys: number) => ({ kind: 'lost', keys })
    expect(await keysOf(world)).toMatchObject({ ok: false, problems: [lost(3), lost(1)] })
    await world.send('orders', 'f')
    await world.send('events', 'g', { group: '42' })
    expect(await keysOf(world)).toMatchObject({ ok: false, problems: [lost(3), lost(1)] })
  })

  it('[CARD-05] finds the keys as the record says, before and after erasures', async () => {
    const { world, messageId } = await given()
    await using _world = world
    expect(await keysOf(world)).toEqual({ ok: true, messages: 6, problems: [] })
    await world.client.queues.erase('orders', { messageId, reason })
    await world.client.queues.erase('events', { group: '42', reason })
    await world.send('events', 'e', { group: '42' })
    expect(await keysOf(world)).toEqual({ ok: true, messages: 7, problems: [] })
  })

  it('[CARD-05] finds keys that are gone without an erasure', async () => {
    const { world } = await given()
    await using _world = world
    world.log.keys.lose()
    const { ok, problems } = await keysOf(world)
    expect(ok).toBe(false)
    expect(problems).toEqual([
      { kind: 'lost', keys: 3 },
      { kind: 'lost', keys: 1 },
    ])
  })

  it('[CARD-05] finds keys that came back, as when a copy of their bucket was put back', async () => {
    const { world, messageId } = await given()
    await using _world = world
    const { keys } = world.log
    const [entry] = [...(await entriesOf(world))].filter((name) => name.startsWith('m.'))
    const copy = (await keys.get(entry!))!
    await world.client.queues.erase('orders', { messageId, reason })
    await keys.put(entry!, copy.value, (await keys.get(entry!))!.revision)
    expect(await keysOf(world)).toMatchObject({ ok: false, problems: [{ kind: 'left', keys: 1 }] })
  })
})

describe('a queue that is erasable by group', () => {
  it('[CARD-05] erases everything of a group so far, dead letters too, and continues with a new key', async () => {
    await using world = await createWorld()
    await world.queue('failed', { groups: 'fair' })
    await world.queue('orders', { erasable: 'group', groups: 'ordered', deadLetter: 'failed', retriesMax: 0 })
    const send = (group: string, body: string) => world.send('orders', body, { group })
    await send('42', 'a')
    await send('43', 'b')
    for (const message of await world.receive('orders', { max: 2 })) await message.retry()
    await world.advance('1 second')
    await send('42', 'c')
    await world.client.queues.erase('orders', { group: '42', reason })
    await send('42', 'd')
    expect(await textsIn(world, 'orders')).toEqual(['d'])
    expect(await textsIn(world, 'failed')).toEqual(['b'])
    expect((await verify(world.log, { decodeCheckpoint, deep: true })).ok).toBe(true)
  })
})

describe('an erasure that cannot be', () => {
  it('[CARD-05] is refused with an error that says why, and leaves nothing on record', async () => {
    await using world = await createWorld()
    await world.queue('plain')
    await world.queue('orders', { erasable: 'message' })
    const { messageId } = await world.client.send('plain', 'a')
    const { erase } = world.client.queues
    const refused = (queue: string, what: object) =>
      erase.call(world.client.queues, queue, { reason, ...what }).catch(({ id }: { id: string }) => id)
    expect(await refused('plain', { messageId })).toBe('NotErasable')
    expect(await refused('orders', { messageId })).toBe('UnknownMessage')
    expect(await refused('orders', { group: '42' })).toBe('NotErasable')
    expect(await refused('orders', { messageId, reason: '' })).toBe('InvalidArgument')
    await expect(world.client.queues.update('plain', { erasable: 'message' })).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
    expect(await typesOf(world, ['Erased'])).toEqual([])
  })
})

/** Entries that messages on record need. */
const entriesOf = async (world: World): Promise<Set<string>> => {
  const names = new Set<string>()
  for (let n = 0; n < world.log.meta.partitions; n++)
    for await (const { data } of (await world.log.partition(n)).read(1)) {
      const record = decodeRecord(data)
      if (record.kind !== 'frame') continue
      for (const { bodies } of record.sections)
        for (const body of bodies)
          if (body instanceof Uint8Array && isSealed(body))
            for (const name of readSealed(body).head.keys) names.add(entryOf(name)!)
    }
  return names
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
