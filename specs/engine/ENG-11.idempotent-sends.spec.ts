import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** Bodies that are in the queue, in their order. */
const bodiesIn = async (world: World): Promise<unknown[]> => {
  const messages = await world.receive('mail', { max: 1_000 })
  return messages.map((message) => message.json())
}

const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

describe('a send is stored once', () => {
  it.each([
    ['was lost before it reached the log', 'requestLost'],
    ['was stored, but the answer of the log was lost', 'answerLost'],
    ['is still on its way when the engine asks again', 'late'],
  ] as const)('[ENG-11] when its append %s', async (_case, fault) => {
    await using world = await createWorld()
    await world.queue('mail')
    world.log.faults.onAppend(0, fault)
    const sending = world.client.sendBatch(
      'mail',
      ten.map((body) => ({ body })),
    )
    await world.advance('100 millis')
    world.log.faults.land(0)
    await world.advance('1 minute')
    expect((await sending).messageIds).toHaveLength(10)
    expect(await bodiesIn(world)).toEqual(ten)
    expect(await world.counts('mail')).toMatchObject({ sent: 10 })
  })

  it('[ENG-11] when its answer is lost on the way to the client', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    world.engine.loseAnswers(3)
    const sending = world.client.send('mail', 1)
    await world.advance('1 minute')
    const { messageId } = await sending
    const [message] = await world.receive('mail')
    expect(message!.id).toBe(messageId)
    expect(await world.counts('mail')).toMatchObject({ sent: 1 })
  })

  it.each([
    ['and its append is stored, though nobody hears of it', 'none', 1],
    ['and its append is lost with it', 'requestLost', 0],
  ] as const)('[ENG-11] when the engine crashes %s', async (_case, fault, stored) => {
    // Given a log that takes 50 ms for an append
    await using world = await createWorld()
    await world.queue('mail')
    world.log.faults.slow(50)
    world.log.faults.onAppend(0, fault)
    const sending = world.client.sendBatch(
      'mail',
      ten.map((body) => ({ body })),
    )
    await world.advance('49 millis')
    await world.engine.stop('crash')
    await world.advance('1 second')
    world.log.faults.slow(0)
    const sends = (await world.record()).filter(({ type }) => type === 'Enqueued')
    expect(sends).toHaveLength(stored)

    // When the next process serves the client's repeat
    await world.engine.start()
    await world.advance('1 minute')
    expect((await sending).messageIds).toHaveLength(10)
    expect(await bodiesIn(world)).toEqual(ten)
    expect(await world.counts('mail')).toMatchObject({ sent: 10 })
  })

  it('[ENG-11] when there is no engine at all for a while', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.engine.stop('crash')
    const sending = world.client.send('mail', 1)
    await world.advance('2 minutes')
    await world.engine.start()
    await world.advance('10 seconds')
    expect(await sending).toMatchObject({ messageId: expect.any(String) })
    expect(await bodiesIn(world)).toEqual([1])
  })

  it('[ENG-11] when engines crash again and again under many sends', async () => {
    // Given a hundred sends, ten at a time, on a log that takes 5 ms
    await using world = await createWorld()
    await world.queue('mail')
    world.log.faults.slow(5)
    const bodies = Array.from({ length: 100 }, (_, i) => i)
    const sends: Promise<unknown>[] = []
    for (let i = 0; i < bodies.length; i += 10) {
      sends.push(...bodies.slice(i, i + 10).map((body) => world.client.send('mail', body)))
      await world.advance('7 millis')
      // When every other time the engine dies and another comes
      if (i % 20 === 0) {
        await world.engine.stop('crash')
        world.log.faults.slow(0)
        await world.engine.start()
        world.log.faults.slow(5)
        await world.advance('3 millis')
      }
    }
    world.log.faults.slow(0)
    await world.advance('1 minute')
    await Promise.all(sends)

    // Then each is there once
    expect((await bodiesIn(world)).toSorted((a, b) => Number(a) - Number(b))).toEqual(bodies)
    expect(await world.counts('mail')).toMatchObject({ sent: 100 })
  })
})
