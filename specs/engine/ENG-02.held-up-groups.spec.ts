import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

describe('a failed message of a group', () => {
  it('[ENG-02] holds up its own group only, which can be seen with its cause and its end', async () => {
    await using world = await createWorld()
    await world.queue('orders', {
      groups: 'ordered',
      leaseMs: 30_000,
      retry: { kind: 'fixed', delayMs: 10_000 },
    })
    await world.client.sendBatch('orders', [
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
      { body: 'b1', group: 'b' },
    ])
    const [a1] = await world.receive('orders')
    const leased = await world.client.queues.groups('orders')
    expect(leased).toMatchObject({
      total: 2,
      groups: [
        {
          group: 'a',
          waiting: 1,
          inflight: 1,
          blockedBy: { number: 1, state: 'Inflight', attempt: 1, until: a1!.leaseUntil },
        },
        { group: 'b', waiting: 1, inflight: 0 },
      ],
    })
    await a1!.retry({ error: 'the warehouse does not answer' })
    const [failed] = (await world.client.queues.groups('orders')).groups
    expect(failed).toMatchObject({ group: 'a', waiting: 1, blockedBy: { number: 1, state: 'WaitingRetry' } })
    const due = failed!.blockedBy!.until
    expect((await world.receive('orders', { max: 10 })).map((m) => m.text())).toEqual(['b1'])
    await world.advance('9 seconds')
    expect(await world.receive('orders', { max: 10 })).toEqual([])
    await world.advance('1 second')
    const again = await world.receive('orders', { max: 10 })
    expect(again.map((m) => [m.text(), m.attempt])).toEqual([
      ['a1', 2],
      ['a2', 1],
    ])
    const steps = await world.record()
    const scheduled = steps.find((e) => e.type === 'RetryScheduled')
    expect(scheduled).toMatchObject({ error: 'the warehouse does not answer', dueAt: due })
  })

  it('[ENG-02] holds up only what is behind it', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', leaseMs: 1_000 })
    await world.client.sendBatch('orders', [
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
    ])
    const [, a2] = await world.receive('orders', { max: 2 })
    await a2!.extend(10_000)
    await world.advance('2 seconds')
    const waiting = { group: 'a', waiting: 1, inflight: 1 }
    expect((await world.client.queues.groups('orders')).groups).toEqual([waiting])
    await world.send('orders', 'a3', { group: 'a' })
    expect((await world.client.queues.groups('orders')).groups).toEqual([
      {
        ...waiting,
        waiting: 2,
        blockedBy: expect.objectContaining({ number: 2, state: 'Inflight' }) as unknown,
      },
    ])
  })

  it('[ENG-02] gives way to the next when its attempts are used up', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', retriesMax: 1, deadLetter: 'orders-dlq' })
    await world.client.sendBatch('orders', [
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
    ])
    for (const attempt of [1, 2]) {
      const [a1] = await world.receive('orders')
      expect([a1!.text(), a1!.attempt]).toEqual(['a1', attempt])
      await a1!.retry({ delayMs: 0, error: 'no' })
    }
    expect((await world.receive('orders')).map((m) => m.text())).toEqual(['a2'])
    await world.advance('1 second')
    const [dead] = await world.receive('orders-dlq')
    expect([dead!.text(), dead!.group]).toEqual(['a1', 'a'])
  })
})
