import { expect, it } from 'vitest'
import type { Env, QueueBinding } from '@kiroku/worker'
import { createWorld, type World } from '../harness/index.ts'

const day = 24 * 3_600

/** A Worker that consumes `mail`, and another that sends to it through its binding on request. */
const sendingWorld = async (sending: (mail: QueueBinding) => Promise<void>) => {
  const world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] })
  await world.worker(
    { consumers: [{ queue: 'orders', batchWaitMs: 0 }], producers: [{ binding: 'MAIL', queue: 'mail' }] },
    (_batch, env: Env) => sending(env.MAIL as QueueBinding),
  )
  await world.send('orders', 'go')
  return { world, worker, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

it('[CF-10] send takes delaySeconds', async () => {
  await using given = await sendingWorld(async (mail) => {
    await mail.send('delayed', { delaySeconds: 600 })
    await mail.send('at once', { delaySeconds: 0 })
  })
  await given.world.advance('1 hour')
  expect(given.worker.times('delayed')).toEqual([600])
  expect(given.worker.times('at once')).toEqual([0])
})

it('[CF-10] sendBatch takes delaySeconds for all its messages, and each message its own', async () => {
  await using given = await sendingWorld((mail) =>
    mail.sendBatch([{ body: 'a' }, { body: 'b' }, { body: 'own', delaySeconds: 60 }], { delaySeconds: 300 }),
  )
  await given.world.advance('1 hour')
  expect(given.worker.times('a')).toEqual([300])
  expect(given.worker.times('b')).toEqual([300])
  expect(given.worker.times('own')).toEqual([60])
})

it('[CF-10] the longest delay is 24 hours', async () => {
  const refused: unknown[] = []
  await using given = await sendingWorld(async (mail) => {
    await mail.send('longest', { delaySeconds: day })
    for (const delaySeconds of [day + 1, -1])
      await mail.send('refused', { delaySeconds }).catch((error: unknown) => refused.push(error))
  })
  expect(refused).toMatchObject([{ id: 'InvalidArgument' }, { id: 'InvalidArgument' }])
  await given.world.advance('25 hours')
  expect(given.worker.times('longest')).toEqual([day])
  expect(given.worker.times('refused')).toEqual([])
})

it('[CF-10] a delayed message is counted, but cannot be received', async () => {
  await using world: World = await createWorld()
  await world.queue('mail')
  await world.send('mail', 'x', { delayMs: 1_000 })
  expect(await world.counts('mail')).toMatchObject({ delayed: 1, available: 0 })
  expect(await world.receive('mail')).toEqual([])
  await world.advance('1 second')
  expect(await world.receive('mail')).toHaveLength(1)
})
