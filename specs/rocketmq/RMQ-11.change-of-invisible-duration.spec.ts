import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** A message that was received for 30 s, 6 s ago. */
const inFlight = async (world: World) => {
  await world.queue('orders', { lateHandles: 'reject' })
  await world.send('orders', 'x')
  const [message] = await world.receive('orders', { leaseMs: 30_000 })
  await world.advance('6 seconds')
  return message!
}

/** Expects that the message is invisible until `seconds`, and visible then. */
const visibleAt = async (world: World, seconds: number): Promise<void> => {
  await world.advance(`${seconds - world.seconds - 1} seconds`)
  expect(await world.receive('orders')).toEqual([])
  await world.advance('1 second')
  expect(await world.receive('orders')).toMatchObject([{ attempt: 2 }])
}

it.each([
  ['longer', 60, 66],
  ['as long', 30, 36],
  ['shorter', 10, 16],
])('[RMQ-11] a %s InvisibleDuration of %i s counts from the call', async (_, seconds, end) => {
  await using world = await createWorld()
  const message = await inFlight(world)
  await message.extend(seconds * 1_000)
  await visibleAt(world, end)
})

it('[RMQ-11] it can be changed again and again, and the last change counts', async () => {
  await using world = await createWorld()
  const message = await inFlight(world)
  for (let i = 0; i < 10; i++) {
    await message.extend(30_000)
    await world.advance('20 seconds')
  }
  await message.extend(15_000)
  await visibleAt(world, 6 + 200 + 15)
})

it('[RMQ-11] the message stays with who has it, and can be committed', async () => {
  await using world = await createWorld()
  const message = await inFlight(world)
  await message.extend(60_000)
  await world.advance('50 seconds')
  await message.ack()
  await world.advance('1 hour')
  expect(await world.counts('orders')).toMatchObject({ committed: 1, redelivered: 0 })
})

it('[RMQ-11] not after it timed out, and the message stays visible', async () => {
  await using world = await createWorld()
  const message = await inFlight(world)
  await world.advance('24 seconds')
  await expect(message.extend(60_000)).rejects.toMatchObject({ id: 'ReceiptExpired' })
  expect(await world.receive('orders')).toMatchObject([{ attempt: 2 }])
})

it('[RMQ-11] not after it was committed', async () => {
  await using world = await createWorld()
  const message = await inFlight(world)
  await message.ack()
  await expect(message.extend(60_000)).rejects.toMatchObject({ id: 'UnknownReceipt' })
  expect(await world.counts('orders')).toMatchObject({ committed: 1, inflight: 0 })
})
