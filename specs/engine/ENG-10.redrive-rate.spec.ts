import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'
import { add, bodiesIn, createMany, expectLawful, latest } from './redriveWorld.ts'

describe('a redrive with a rate', () => {
  it('[ENG-10] moves no more than its rate of messages per second', async () => {
    await using world = await createWorld()
    await createMany(world, 100)
    await world.client.queues.redrive('dead', { rateMax: 20 })
    await world.advance('6 seconds')
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 100 })
    const moves = (await world.record()).flatMap((e) =>
      e.type === 'Redriven'
        ? [{ at: e.at, count: e.numbers.filter((_, i) => i % 2 === 1).reduce(add, 0) }]
        : [],
    )
    for (const { at } of moves) {
      const within = moves.filter((m) => m.at >= at && m.at < at + 1_000)
      expect(within.map((m) => m.count).reduce(add, 0)).toBeLessThanOrEqual(20)
    }
    expect(moves.at(-1)!.at - moves[0]!.at).toBeLessThan(5_000)
  })

  it('[ENG-10] stops at a number of messages', async () => {
    await using world = await createWorld()
    await createMany(world, 30)
    await world.client.queues.redrive('dead', { messagesMax: 7 })
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 7, left: 23 })
    expect(await bodiesIn(world, 'orders')).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    await expectLawful(world)
  })

  it('[ENG-10] says how far it is', async () => {
    await using world = await createWorld()
    await createMany(world, 50)
    await world.send('dead', 'no origin')
    await world.client.queues.redrive('dead', { rateMax: 10 })
    await world.advance('2 seconds')
    const { state, moved, left, startedAt } = await latest(world)
    expect([state, moved + left]).toEqual(['running', 51])
    expect(moved).toBeGreaterThanOrEqual(20)
    expect(moved).toBeLessThanOrEqual(22)
    expect(startedAt).toBeGreaterThan(0)
    await world.advance('4 seconds')
    expect(await latest(world)).toMatchObject({
      state: 'completed',
      moved: 50,
      left: 0,
      skipped: { noOrigin: 1 },
    })
  })
})
