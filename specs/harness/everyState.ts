import type { Client } from '@kiroku/client'

/** How the time of one lease passes. */
export interface LeasePassing {
  readonly leaseMs: number
  /** Resolves when leases of `leaseMs` in the queue `mail` are over. */
  readonly pass: () => Promise<unknown>
}

/** Brings a partition into a state in which everything that it can remember is present. */
export const everyState = async (client: Client, { leaseMs, pass }: LeasePassing): Promise<void> => {
  await client.queues.create('dead')
  await client.queues.create('mail', {
    retriesMax: 1,
    retry: { kind: 'fixed', delayMs: 600_000 },
    leaseMs,
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

  const bodies = ['committed', 'exhausted', 'waiting', 'released', 'expired', 'leased', 'extended']
  await client.sendBatch(
    'mail',
    bodies.map((body) => ({ body })),
  )
  const messages = await client.receive('mail', { max: bodies.length, mode: 'push' })
  const [committed, exhausted, waiting, released, , leased, extended] = messages
  await leased!.extend(3_600_000)
  await extended!.extend(7_200_000)
  await released!.release()
  const [again] = await client.receive('mail')
  await again!.release()
  await committed!.ack()
  await waiting!.retry({ error: 'wait' })
  await exhausted!.deadLetter('enough')
  await pass()
  await client.sendBatch('mail', [{ body: 'untouched' }, { body: 'delayed', delayMs: 86_400_000 }])
  await client.queues.update('mail', { retriesMax: 7 })
}

/** What `everyState` leaves in the queue `mail`. */
export const mailCounts = {
  delayed: 1,
  available: 2,
  inflight: 2,
  waitingRetry: 2,
  sent: 9,
  committed: 1,
  deadLettered: 1,
  discarded: 0,
  redelivered: 1,
}
