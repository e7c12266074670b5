import { expect, it } from 'vitest'
import { waitUntil } from '@kiroku/testkit'
import { createNatsWorld } from '../harness/index.ts'

it.each([
  ['a receive', 1],
  ['a consumer with five receives', 5],
] as const)(
  '[ENG-12] a delivery to a client that is gone is released at once and costs no attempt: %s',
  async (_case, polls) => {
    // Given a client whose receives are parked at the engine when its connection goes
    await using world = await createNatsWorld()
    await world.client.queues.create('mail', { leaseMs: 3_600_000, batchWaitMs: 0, retriesMax: 0 })
    const gone = await world.remoteClient('gone')
    if (polls === 1) gone.client.receive('mail', { waitMs: 20_000 }).catch(() => undefined)
    else gone.client.consume('mail', () => {}, { concurrency: polls })
    const parked = async () => (await world.client.queues.describe('mail')).waitingPolls
    await waitUntil(async () => (await parked()) === polls)
    await gone.cut()

    // When a message comes
    await world.client.send('mail', 'x')

    // Then every delivery to the client that is gone is taken back, long before its lease of an hour ends
    await waitUntil(async () => (await parked()) === 0)
    const { counts } = await waitUntil(async () => {
      const description = await world.client.queues.describe('mail')
      return description.counts.available === 1 ? description : undefined
    })
    expect(counts).toMatchObject({ inflight: 0, waitingRetry: 0, discarded: 0 })
    const released = (await world.record()).filter(({ type }) => type === 'Released')
    expect(released).toHaveLength(polls)
    expect(released).toMatchObject(Array(polls).fill({ cause: 'undelivered' }))

    // And the next consumer gets it with its first, and only, attempt
    const next = await world.remoteClient('next')
    const [message] = await next.client.receive('mail', { waitMs: 5_000 })
    expect(message!.attempt).toBe(1)
    await message!.ack()
  },
)

it('[ENG-12] a receive that its caller gives up releases what was on its way', async () => {
  // Given a receive that is aborted at the very moment at which a message is sent
  await using world = await createNatsWorld()
  await world.client.queues.create('mail', { leaseMs: 3_600_000 })
  const remote = await world.remoteClient('impatient')
  for (let i = 0; i < 20; i++) {
    const impatience = new AbortController()
    const receiving = remote.client.receive('mail', { waitMs: 20_000, signal: impatience.signal })
    receiving.catch(() => undefined)
    await waitUntil(async () => (await world.client.queues.describe('mail')).waitingPolls === 1)
    const sending = world.client.send('mail', i)
    impatience.abort(new Error('no longer'))
    await expect(receiving).rejects.toThrow('no longer')
    await sending

    // Then the message is available to the next, with its first attempt
    const [message] = await world.client.receive('mail', { waitMs: 5_000 })
    expect(message!.attempt).toBe(1)
    await message!.ack()
  }
})
