import { trace, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { createNatsWorld, createWorld } from '../harness/index.ts'

type World = Awaited<ReturnType<typeof createNatsWorld>>

/** Sends messages to `mail` and lets each become a dead letter; returns their ids. */
const die = async ({ client }: World, ...bodies: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const body of bodies) {
    ids.push((await client.send('mail', body)).messageId)
    const [message] = await client.receive('mail', { waitMs: 5_000 })
    await message!.deadLetter('no')
  }
  return ids
}

/** Takes this many messages of a queue, in order of arrival. */
const take = async ({ client }: World, queue: string, count: number): Promise<string[]> => {
  const bodies: string[] = []
  await waitUntil(
    async () => {
      const messages = await client.receive(queue, { max: count - bodies.length, waitMs: 1_000 })
      for (const message of messages) {
        bodies.push(message.text())
        await message.ack()
      }
      return bodies.length >= count
    },
    { timeoutMs: 30_000 },
  )
  return bodies
}

const expectLawful = async ({ beside }: World): Promise<void> => {
  const { partitions } = await verify(beside, { decodeCheckpoint, deep: true })
  for (const { problem } of partitions) expect(problem).toBeUndefined()
}

describe('a dead-letter queue that is deleted', () => {
  it('[CF-16] and created again gets the dead letters for its name, with the file applied unchanged', async () => {
    // Given a file that names a dead-letter queue, which is deleted, and which the file creates again
    await using world = await createNatsWorld()
    const { queues } = world.client
    const file = { mail: { deadLetter: 'dead' }, dead: {} }
    await queues.apply(file, { source: 'kiroku.jsonc' })
    await die(world, 'before')
    expect(await take(world, 'dead', 1)).toEqual(['before'])
    await queues.delete('dead', { force: true })
    const changes = await queues.apply(file, { source: 'kiroku.jsonc' })
    expect(changes.map(({ queue, outcome }) => `${queue} ${outcome}`)).toEqual([
      'mail unchanged',
      'dead created',
    ])

    // When messages become dead letters
    const [id] = await die(world, 'a', 'b')

    // Then they are in the queue of that name, which the setting means from then on, and a trace follows them
    expect(await take(world, 'dead', 2)).toEqual(['a', 'b'])
    const { queue } = await queues.describe('dead')
    expect((await queues.describe('mail')).config.deadLetter).toMatchObject({ name: 'dead', queue })
    const told = await trace(world.beside, id!)
    expect(told).toMatchObject({ queues: ['mail', 'dead'], state: 'Committed', complete: true })
    expect(told.steps.map(({ event }) => event)).toContain('Readdressed')
    const arrived = told.steps.find(({ event }) => event === 'ForwardReceived')!
    const { number } = arrived
    const incarnation = world.beside.meta.incarnation
    const asLetter = `${incarnation}-0-${queue.toString(36)}-${number.toString(36)}`
    expect((await trace(world.beside, asLetter)).messageId).toBe(id)
    await expectLawful(world)
  }, 60_000)

  it('[CF-16] keeps none of its dead letters from arriving: they wait, are counted and told, and come in their order', async () => {
    // Given dead letters whose queue is gone
    await using world = await createNatsWorld()
    const { queues } = world.client
    await queues.create('mail', { deadLetter: 'dead' })
    await queues.delete('dead', { force: true })
    await die(world, 'a', 'b', 'c')

    // Then they are to be seen, with what to do, also after a crash of the engine
    const waiting = async () => {
      const { outbox, warnings } = await queues.describe('mail')
      return outbox?.[0]?.held === undefined ? undefined : { outbox, warnings }
    }
    const told = {
      outbox: [{ to: 'dead', messages: 3, held: { reason: 'targetGone' } }],
      warnings: [expect.stringContaining('3 of its messages wait to go to queue "dead", which was deleted')],
    }
    expect(await waitUntil(waiting)).toMatchObject(told)
    await world.engine.stop('crash')
    await world.engine.start()
    expect(await waitUntil(waiting)).toMatchObject(told)
    expect((await world.client.partitions())[0]).toMatchObject({ outbox: 3, held: [{ messages: 3 }] })

    // And they arrive when a queue has the name again
    await queues.create('dead')
    expect(await take(world, 'dead', 3)).toEqual(['a', 'b', 'c'])
    expect(await queues.describe('mail')).not.toHaveProperty('outbox')
    await expectLawful(world)
  }, 60_000)

  it('[CF-16] lets its dead letters go where the setting says now, ahead of those that come later', async () => {
    // Given dead letters whose queue is gone
    await using world = await createNatsWorld()
    const { queues } = world.client
    await queues.create('mail', { deadLetter: 'dead' })
    await queues.delete('dead', { force: true })
    await die(world, 'a', 'b')
    await waitUntil(async () => (await queues.describe('mail')).outbox?.[0]?.held !== undefined)

    // When another is named, and one more comes
    await queues.update('mail', { deadLetter: 'other' })
    await die(world, 'c')

    // Then all of them are there, in their order
    expect(await take(world, 'other', 3)).toEqual(['a', 'b', 'c'])
    await expectLawful(world)
  }, 60_000)

  it('[CF-16] is not deleted while others name it, wherever they lie, unless that is forced', async () => {
    // Given dead-letter queues that queues and subscriptions on all partitions name
    await using world = await createWorld({ partitions: 4 })
    const { queues } = world.client
    const names = Array.from({ length: 8 }, (_, i) => `mail-${i}`)
    for (const name of names) await queues.create(name)
    for (const name of names.slice(0, 4)) await queues.update(name, { deadLetter: 'dead' })
    for (const name of names.slice(4)) await queues.subscriptions.create(name, 'own', { deadLetter: 'dead' })

    // Then deleting it is refused as long as there is one, and the error names all of them
    const refusal = await queues.delete('dead').catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      id: 'QueueInUse',
      message: `queue "dead" is the dead-letter queue of ${names.map((name) => `"${name}"`).join(', ')}`,
    })
    for (const name of names.slice(0, 4)) await queues.update(name, { deadLetter: null })
    for (const name of names.slice(4)) {
      await expect(queues.delete('dead')).rejects.toMatchObject({ id: 'QueueInUse' })
      await queues.subscriptions.delete(name, 'own')
    }
    await queues.delete('dead')

    // And forced it is deleted all the same
    await queues.update('mail-0', { deadLetter: 'dead' })
    await queues.delete('dead', { force: true })
    await expect(queues.describe('dead')).rejects.toMatchObject({ id: 'UnknownQueue' })
  })
})

describe('a redrive to an origin that is deleted', () => {
  it('[ENG-10] and made again loses none of its messages, and has moved what arrived', async () => {
    // Given 3,000 dead letters on their way back
    await using world = await createNatsWorld()
    const { client } = world
    const { queues } = client
    await queues.create('mail', { deadLetter: 'dead' })
    const count = 3_000
    for (let sent = 0; sent < count; sent += 1_000)
      await client.sendBatch(
        'mail',
        Array.from({ length: 1_000 }, (_, i) => ({ body: `${sent + i}` })),
      )
    await waitUntil(async () => {
      const letters = await client.receive('mail', { max: 1_000 })
      await client.deadLetter(
        letters.map(({ receipt }) => receipt),
        'no',
      )
      return (await queues.describe('dead')).counts.available === count
    })
    const { task } = await queues.redrive('dead')

    // When their origin is deleted and made again, several times, until all have been looked at
    const latest = async () => (await queues.redrives('dead')).find((redrive) => redrive.task === task)!
    while ((await latest()).left > 0) {
      await queues.delete('mail')
      await queues.create('mail')
    }
    const { moved, skipped } = await waitUntil(
      async () => {
        const redrive = await latest()
        return redrive.state === 'completed' && redrive.onTheWay === 0 ? redrive : undefined
      },
      { timeoutMs: 30_000 },
    )

    // Then each is still in the dead-letter queue, or was stored once as a message of its origin
    const stay = skipped.originGone ?? 0
    expect(moved + stay).toBe(count)
    expect((await queues.describe('dead')).counts.available).toBe(stay)
    const dead = (await queues.describe('dead')).queue
    const arrived = (await world.record()).filter(
      (e) => e.type === 'ForwardReceived' && e.from.queue === dead,
    )
    expect(arrived.reduce((sum, e) => sum + (e.type === 'ForwardReceived' ? e.count : 0), 0)).toBe(moved)
    await expectLawful(world)
  }, 120_000)
})
