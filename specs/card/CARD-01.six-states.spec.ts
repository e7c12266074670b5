import { expect, it } from 'vitest'
import { messageMachine } from '@kiroku/message'
import { createWorld, type World } from '../harness/index.ts'

/** In which state of the machine the only message of the queue is, by what the client shows. */
const stateOf = async (world: World): Promise<string> => {
  const { counts } = await world.client.queues.describe('mail')
  const states = {
    'Ready.Delayed': counts.delayed,
    'Ready.Available': counts.available,
    Inflight: counts.inflight,
    WaitingRetry: counts.waitingRetry,
    Committed: counts.committed,
    DLQ: counts.deadLettered,
    Discarded: counts.discarded,
  }
  const present = Object.entries(states).filter(([, count]) => count > 0)
  expect(present).toHaveLength(1)
  return present[0]![0]
}

it('[CARD-01] the machine has the six states, of which three are final', () => {
  const { states } = messageMachine
  expect(Object.keys(states)).toEqual(['Ready', 'Inflight', 'WaitingRetry', 'Committed', 'DLQ', 'Discarded'])
  const final = Object.values(states).filter((state) => state.type === 'final')
  expect(final.map((state) => state.key)).toEqual(['Committed', 'DLQ', 'Discarded'])
})

it('[CARD-01] a message passes Ready, Inflight and WaitingRetry visibly, and ends Committed', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retry: { kind: 'fixed', delayMs: 10_000 } })
  await world.send('mail', 'x', { delayMs: 5_000 })
  const seen = [await stateOf(world)]
  await world.advance('5 seconds')
  seen.push(await stateOf(world))
  const [first] = await world.receive('mail')
  seen.push(await stateOf(world))
  await first!.retry()
  seen.push(await stateOf(world))
  await world.advance('10 seconds')
  seen.push(await stateOf(world))
  const [second] = await world.receive('mail')
  seen.push(await stateOf(world))
  await second!.ack()
  seen.push(await stateOf(world))
  expect(seen).toEqual([
    'Ready.Delayed',
    'Ready.Available',
    'Inflight',
    'WaitingRetry',
    'Ready.Available',
    'Inflight',
    'Committed',
  ])
})

it('[CARD-01] its end is DLQ when its attempts are used up and there is a dead-letter queue', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 0, deadLetter: 'dead' })
  await world.send('mail', 'x')
  const [message] = await world.receive('mail')
  await message!.retry()
  expect(await stateOf(world)).toBe('DLQ')
})

it('[CARD-01] its end is Discarded when there is none', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 0 })
  await world.send('mail', 'x')
  const [message] = await world.receive('mail')
  await message!.retry()
  expect(await stateOf(world)).toBe('Discarded')
})

it('[CARD-01] a final state never changes, whatever is asked of the message', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retentionMs: 60_000 })
  await world.send('mail', 'x')
  const [message] = await world.receive('mail')
  await message!.ack()
  await expect(message!.retry()).rejects.toMatchObject({ id: 'UnknownReceipt' })
  await expect(message!.extend(60_000)).rejects.toMatchObject({ id: 'UnknownReceipt' })
  await expect(message!.release()).rejects.toMatchObject({ id: 'UnknownReceipt' })
  await world.client.queues.purge('mail')
  await world.advance('1 hour')
  await world.restart('crash')
  expect(await stateOf(world)).toBe('Committed')
})
