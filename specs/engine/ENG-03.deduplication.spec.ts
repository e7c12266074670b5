import { describe, expect, it } from 'vitest'
import { trace } from '@kiroku/audit'
import type { SendOptions } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

const send = async (world: World, body: string, options: SendOptions = {}): Promise<string> =>
  (await world.client.send('mail', body, options)).messageId
const texts = async (world: World): Promise<string[]> =>
  (await world.receive('mail', { max: 100 })).map((message) => message.text())
const sent = async (world: World): Promise<number> => (await world.counts('mail')).sent

describe('a message that is sent again within five minutes', () => {
  it('[ENG-03] is stored once by its id, whatever its body, and the second send gets the same answer', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'id' })
    const first = await send(world, 'order 7', { dedupId: 'order-7' })
    const other = await send(world, 'order 7', { dedupId: 'order-8' })
    const second = await send(world, 'order 7, sent again', { dedupId: 'order-7' })
    expect(second).toBe(first)
    expect(other).not.toBe(first)
    expect(await texts(world)).toEqual(['order 7', 'order 7'])
  })

  it('[ENG-03] is stored once by its body, and an explicit id wins over that', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'hello')
    expect(await send(world, 'hello', { attributes: { try: '2' } })).toBe(first)
    const own = await send(world, 'hello', { dedupId: 'mine' })
    expect(own).not.toBe(first)
    expect(await send(world, 'something else', { dedupId: 'mine' })).toBe(own)
    const [message, named] = await world.receive('mail', { max: 10 })
    expect([message!.dedupId, named!.dedupId]).toEqual([undefined, 'mine'])
    expect(await sent(world)).toBe(2)
  })

  it('[ENG-03] is stored once by its body also when that is large enough for a record of its own', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const [large, almost] = ['a'.repeat(300_000), `${'a'.repeat(299_999)}b`]
    const first = await send(world, large)
    expect(await send(world, almost)).not.toBe(first)
    expect(await send(world, large)).toBe(first)
    expect(await texts(world)).toEqual([large, almost])
  })

  it('[ENG-03] is a repeat to the last millisecond of the window, and a new one from then on', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'hello')
    await world.advance('299999 millis')
    expect(await send(world, 'hello')).toBe(first)
    await world.advance('1 millis')
    const later = await send(world, 'hello')
    expect(later).not.toBe(first)
    await world.advance('4 minutes')
    expect(await send(world, 'hello')).toBe(later)
  })

  it('[ENG-03] is a repeat within the window that its queue sets', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content', dedupWindowMs: 3_600_000 })
    const first = await send(world, 'hello')
    await world.advance('59 minutes')
    expect(await send(world, 'hello')).toBe(first)
    await world.advance('1 minute')
    expect(await send(world, 'hello')).not.toBe(first)
  })

  it('[ENG-03] is a repeat although the first was handled already', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    await send(world, 'hello')
    const [message] = await world.receive('mail')
    await message!.ack()
    await send(world, 'hello')
    expect(await texts(world)).toEqual([])
  })
})

describe('what was sent is remembered', () => {
  it.each(['drain', 'crash'] as const)('[ENG-03] by the next engine after a %s', async (how) => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'hello')
    await world.restart(how, '4 minutes')
    expect(await send(world, 'hello')).toBe(first)
    await world.advance('1 minute')
    expect(await send(world, 'hello')).not.toBe(first)
  })

  it('[ENG-03] by an engine that begins with a checkpoint', async () => {
    await using world = await createWorld({ checkpoints: { bytesMin: 1, ageMs: 1 } })
    await world.queue('mail', { dedup: 'content' })
    const bodies = Array.from({ length: 50 }, (_, i) => `body ${i}`)
    const ids = []
    for (const body of bodies) {
      ids.push(await send(world, body))
      await world.advance('10 millis')
    }
    expect((await world.record()).some(({ type }) => type === 'Checkpointed')).toBe(true)
    await world.restart('crash')
    const { messageIds } = await world.client.sendBatch(
      'mail',
      bodies.map((body) => ({ body })),
    )
    expect(messageIds).toEqual(ids)
    expect(await sent(world)).toBe(50)
  })

  it('[ENG-03] until the queue is purged', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'hello')
    await world.client.queues.purge('mail')
    expect(await send(world, 'hello')).not.toBe(first)
    expect(await texts(world)).toEqual(['hello'])
  })

  it('[ENG-03] on record, so that the trace of the first message shows the second send', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'hello')
    const [message] = await world.receive('mail')
    await message!.ack()
    await send(world, 'hello')
    const { state, steps } = await trace(world.log, first)
    expect(steps.map(({ event }) => event)).toEqual(['Enqueued', 'Delivered', 'Acked', 'Deduplicated'])
    expect(state).toBe('Committed')
    expect(steps.at(-1)).toMatchObject({ producer: expect.any(String), send: 2 })
  })
})

describe('repeats are looked for', () => {
  it('[ENG-03] in the whole queue, also from another message group', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content', groups: 'ordered' })
    const first = await send(world, 'hello', { group: 'a' })
    expect(await send(world, 'hello', { group: 'b' })).toBe(first)
  })

  it('[ENG-03] in each message group for itself, where the queue says so', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content', dedupScope: 'group', groups: 'ordered' })
    const first = await send(world, 'hello', { group: 'a' })
    expect(await send(world, 'hello', { group: 'b' })).not.toBe(first)
    expect(await send(world, 'hello', { group: 'a' })).toBe(first)
    expect(await sent(world)).toBe(2)
  })
})

describe('a batch in which some messages were sent before', () => {
  it('[ENG-03] gets an id per message, even for two equal ones in the same send', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'a')
    const { messageIds } = await world.client.sendBatch(
      'mail',
      ['b', 'a', 'c', 'b'].map((body) => ({ body })),
    )
    expect(messageIds[1]).toBe(first)
    expect(messageIds[3]).toBe(messageIds[0])
    expect(new Set(messageIds).size).toBe(3)
    const messages = await world.receive('mail', { max: 10 })
    expect(messages.map((message) => [message.id, message.text()])).toEqual([
      [first, 'a'],
      [messageIds[0], 'b'],
      [messageIds[2], 'c'],
    ])
  })

  it('[ENG-03] gets the same ids when its answer is lost and the engine crashes before the client asks again', async () => {
    await using world = await createWorld()
    await world.queue('mail', { dedup: 'content' })
    const first = await send(world, 'a')
    world.engine.loseAnswers(1)
    const sending = world.client.sendBatch(
      'mail',
      ['b', 'a', 'c'].map((body) => ({ body })),
    )
    await world.advance('1 second')
    await world.restart('crash')
    await world.advance('1 minute')
    const { messageIds } = await sending
    expect(messageIds[1]).toBe(first)
    expect(await sent(world)).toBe(3)
    const messages = await world.receive('mail', { max: 10 })
    expect(messages.map(({ id }) => id)).toEqual([first, messageIds[0], messageIds[2]])
  })
})

describe('a send that could not be deduplicated as it asks', () => {
  it.each([
    ['off', { dedupId: 'x' }, /does not deduplicate/],
    ['id', {}, /needs a dedup id/],
    ['id', { dedupId: 'x'.repeat(129) }, /128 characters/],
  ] as const)('[ENG-03] is refused: with dedup "%s" and %o', async (dedup, options, message) => {
    await using world = await createWorld()
    await world.queue('mail', { dedup })
    await expect(world.client.send('mail', 'hello', options)).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(message),
    })
    expect(await sent(world)).toBe(0)
  })
})
