import type { World } from './World.ts'

/** Brings a partition into a state in which everything that it can remember is present. */
export const everyState = async (world: World): Promise<void> => {
  const { client } = world
  await client.queues.create('dead')
  await client.queues.create('mail', {
    retriesMax: 1,
    retry: { kind: 'fixed', delayMs: 600_000 },
    leaseMs: 60_000,
    deadLetter: 'dead',
  })
  await client.queues.create('paused')
  await client.queues.pause('paused')
  await client.queues.create('purged')
  await client.queues.create('gone')

  await client.sendBatch('purged', [{ body: 'p' }, { body: 'q' }])
  await client.queues.purge('purged')
  await client.send('gone', 'g')
  await client.queues.delete('gone')
  await client.queues.create('gone', { deliveryDelayMs: 1_000 })
  await client.sendBatch('paused', [{ body: 'a' }, { body: 'b', delayMs: 3_600_000 }])

  await client.sendBatch(
    'mail',
    ['committed', 'exhausted', 'waiting', 'released', 'expired', 'leased', 'extended'].map((body) => ({
      body,
    })),
  )
  const messages = await client.receive('mail', { max: 7, mode: 'push' })
  const [committed, exhausted, waiting, released, , leased, extended] = messages
  await committed!.ack()
  await exhausted!.retry({ delayMs: 0, error: 'first' })
  const [again] = await client.receive('mail', { mode: 'push' })
  await again!.retry({ error: 'second' })
  await waiting!.retry({ error: 'wait' })
  await leased!.extend(3_600_000)
  await extended!.extend(120_000)
  await released!.release()
  await world.advance('90 seconds')
  await client.sendBatch('mail', [{ body: 'untouched' }, { body: 'delayed', delayMs: 86_400_000 }])
  await client.queues.update('mail', { retriesMax: 7 })
  await world.time.settle()
}
