import { createClient, inProcess } from '@kiroku/client'
import { type Command, KirokuError, limits } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** How long a client repeats a send at most, in ms. */
const repeatMsMax = 10 * 60_000

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
    ['and its append is stored, but its answer is lost', 'none', 1],
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

    // Then each is stored once
    expect((await bodiesIn(world)).toSorted((a, b) => Number(a) - Number(b))).toEqual(bodies)
    expect(await world.counts('mail')).toMatchObject({ sent: 100 })
  })

  it('[ENG-11] when its answers are lost for as long as a client may repeat it, while others send', async () => {
    // Given a client that repeats for as long as it may, whose answers are lost until just before the end
    await using world = await createWorld()
    await world.queue('mail')
    const way = inProcess(world.engine)
    const untilMs = world.time.now() + repeatMsMax - 30_000
    let requests = 0
    const client = createClient(
      {
        ...way,
        request: async (...request) => {
          requests++
          const reply = await way.request(...request)
          if (world.time.now() < untilMs) throw new KirokuError('Timeout', 'the answer was lost on its way')
          return reply
        },
      },
      { clock: world.time, sendTimeoutMs: repeatMsMax },
    )
    // When it sends, and others do meanwhile
    const sending = client.send('mail', [1])
    for (let minute = 0; minute < 11; minute++) {
      await world.client.send('mail', minute)
      await world.advance('1 minute')
    }
    // Then its last repeat gets the answer of the first
    expect(await sending).toMatchObject({ messageId: expect.any(String) })
    expect(requests).toBeGreaterThan(100)
    expect((await bodiesIn(world)).filter((body) => Array.isArray(body))).toHaveLength(1)
    await client.close()
    expect(() => createClient(way, { sendTimeoutMs: repeatMsMax + 1 })).toThrow(/10 minutes/)
    expect(repeatMsMax + 5 * 60_000).toBeLessThanOrEqual(limits.producerIdleMs)
  })

  it('[ENG-11] and never a second time for lack of room: producers beyond 100,000 are asked to retry', async () => {
    // Given as many producers as a partition remembers
    await using world = await createWorld()
    await world.queue('mail')
    const messages = [new TextEncoder().encode('\0\0\0x')]
    const sendOf = (producer: string): Command =>
      ({ type: 'Enqueue', queue: 'mail', producer, send: 1, messages }) as const
    const answersFor = async (producers: readonly string[]) => {
      const asking = world.engine.request(0, producers.map(sendOf))
      await world.advance('10 millis')
      return (await asking).answers
    }
    for (let i = 0; i < 100_000; i += 1_000)
      for (const { ok } of await answersFor(Array.from({ length: 1_000 }, (_, k) => `p${i + k}`)))
        expect(ok).toBeDefined()
    // When another comes, it is refused with a hint, and counted
    const [refused] = await answersFor(['late'])
    expect(refused!.error).toMatchObject({ id: 'Busy', retryAfterMs: 1_000 })
    expect(world.engine.actor(0).metrics.busy).toBe(1)
    // Then the oldest is still known
    expect((await answersFor(['p0']))[0]!.ok).toMatchObject({ first: 1 })
    expect(await world.counts('mail')).toMatchObject({ sent: 100_000 })
    // And the other is served once one was silent for 15 minutes
    await world.advance('15 minutes')
    expect((await answersFor(['late']))[0]!.ok).toMatchObject({ first: 100_001 })
  })
})
