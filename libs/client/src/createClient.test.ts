import { KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { createClient, type Client, type Clock, type Transport } from './index.ts'
import { counts, failure, lost, start } from './testing/startClient.ts'

describe('a partition that was closed', () => {
  it('says so even to clients that knew its last owner', async () => {
    const error = new KirokuError('Quarantined', 'closed').toWire()
    let closed = false
    const { client } = await start({}, (transport) => ({
      ...transport,
      request: async (partition, commands, options) =>
        closed
          ? { epoch: 0, seq: 0, answers: commands.map(() => ({ error })) }
          : transport.request(partition, commands, options),
    }))
    await client.queues.create('mail')
    await client.send('mail', 'x')
    closed = true
    expect(await failure(client.send('mail', 'y'))).toBe('Quarantined')
  })

  it('is named by a survey, which lists the queues of the others', async () => {
    const { client, engine } = await start()
    for (const queue of ['mail', 'work']) await client.queues.create(queue)
    const [mail, work] = await client.queues.list()
    expect(mail!.partition).not.toBe(work!.partition)
    expect(await client.queues.survey()).toEqual({ queues: [mail, work], missing: [] })
    engine.log.faults.damage(mail!.partition, 1)
    await engine.restart()
    expect(await client.queues.survey()).toMatchObject({
      queues: [{ name: 'work' }],
      missing: [{ partition: mail!.partition, problem: { id: 'Quarantined' } }],
    })
    expect(await failure(client.queues.list())).toBe('Quarantined')
    engine.log.faults.damage(work!.partition, 1)
    await engine.restart()
    expect(await failure(client.queues.survey())).toBe('Quarantined')
  })
})

describe('a connection that is there again', () => {
  it('has what failed meanwhile repeated at once, however long its pause', async () => {
    let isDown = false
    let reconnected = (): void => {}
    const pauses: number[] = []
    const { client, events } = await start({ clock: neverLater(pauses) }, (transport) => ({
      ...transport,
      request: async (partition, commands, options) => {
        if (isDown) throw new KirokuError('NatsUnreachable', 'The connection to NATS is lost')
        return transport.request(partition, commands, options)
      },
      onReconnected: (listener) => {
        reconnected = listener
        return () => {}
      },
    }))
    await client.queues.create('mail')
    isDown = true
    const sending = client.send('mail', 'x')
    const describing = client.queues.describe('mail')
    await waitUntil(() => events.filter(({ type }) => type === 'retrying').length === 2)
    isDown = false
    reconnected()
    await sending
    expect((await describing).name).toBe('mail')
    expect(pauses.length).toBeGreaterThanOrEqual(2)
  })
})

/** A clock whose timers never end. */
const neverLater = (pauses: number[]): Clock => ({
  now: () => performance.now(),
  setTimeout: (_run, ms) => pauses.push(ms),
  clearTimeout: () => {},
})

describe('sending', () => {
  it('stores a message and delivers it with everything that was sent', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    const { messageId } = await client.send(
      'mail',
      { a: 1 },
      { attributes: { to: 'x' }, traceparent: '00-t' },
    )
    const [message] = await client.receive('mail', { waitMs: 1_000 })
    expect(message).toMatchObject({
      id: messageId,
      queue: 'mail',
      attempt: 1,
      contentType: 'application/json',
      attributes: { to: 'x' },
      traceparent: '00-t',
      lineage: undefined,
    })
    expect(message!.json()).toEqual({ a: 1 })
    await message!.ack()
    expect(await counts(client, 'mail')).toMatchObject({ committed: 1, inflight: 0 })
  })

  it('bundles concurrent sends in few requests, each with its own id, in order', async () => {
    const { client, requests } = await start()
    await client.queues.create('mail')
    const before = requests.length
    const sent = await Promise.all(Array.from({ length: 500 }, (_, i) => client.send('mail', String(i))))
    expect(new Set(sent.map((each) => each.messageId)).size).toBe(500)
    expect(requests.length - before).toBeLessThan(5)
    const received = await client.receive('mail', { max: 500 })
    expect(received.map((message) => message.text())).toEqual(sent.map((_, i) => String(i)))
    expect(received.map((message) => message.id)).toEqual(sent.map((each) => each.messageId))
  })

  it('splits a large batch over several commands and keeps its order', async () => {
    const { client, requests } = await start()
    await client.queues.create('mail')
    const { messageIds } = await client.sendBatch(
      'mail',
      Array.from({ length: 2_500 }, (_, i) => ({ body: i })),
    )
    expect(new Set(messageIds).size).toBe(2_500)
    expect(requests.flat().filter((command) => command.type === 'Enqueue')).toHaveLength(3)
    const received = [
      ...(await client.receive('mail', { max: 1_000 })),
      ...(await client.receive('mail', { max: 1_000 })),
      ...(await client.receive('mail', { max: 1_000 })),
    ]
    expect(received.map((message) => message.json())).toEqual(Array.from({ length: 2_500 }, (_, i) => i))
  })

  it('delays a message on request', async () => {
    const { client } = await start()
    await client.queues.create('mail', { deliveryDelayMs: 60_000 })
    await client.sendBatch('mail', [{ body: 'later' }, { body: 'now', delayMs: 0 }])
    expect(await counts(client, 'mail')).toMatchObject({ delayed: 1, available: 1 })
    expect((await client.receive('mail', { max: 10 })).map((message) => message.text())).toEqual(['now'])
  })

  it('fails only the message that is too large', async () => {
    const { client } = await start()
    await client.queues.create('mail', { bodyBytesMax: 10 })
    const outcomes = await Promise.all(
      ['small', 'x'.repeat(20_000), 'small'].map((body) => failure(client.send('mail', body))),
    )
    expect(outcomes).toEqual(['none', 'BodyTooLarge', 'none'])
    expect(await counts(client, 'mail')).toMatchObject({ available: 2 })
  })

  it('reports what is wrong with a send', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    expect(await failure(client.send('nowhere', 'x'))).toBe('UnknownQueue')
    expect(await failure(client.send('not a name', 'x'))).toBe('InvalidQueueName')
    expect(await failure(client.send('mail', new Uint8Array(5 * 1024 * 1024)))).toBe('BodyTooLarge')
    expect(await failure(client.send('mail', 'x', { delayMs: -1 }))).toBe('InvalidArgument')
    expect(await failure(client.send('mail', undefined as never))).toBe('InvalidArgument')
  })

  it('stores a send once when its answer is lost and it is repeated', async () => {
    let losses = 2
    const { client, events } = await start({}, (transport) => ({
      ...transport,
      request: async (partition, commands, options): Promise<Reply> => {
        const reply = await transport.request(partition, commands, options)
        if (commands[0]?.type === 'Enqueue' && losses-- > 0) throw lost()
        return reply
      },
    }))
    await client.queues.create('mail')
    const { messageId } = await client.send('mail', 'once')
    expect(events.filter((event) => event.type === 'retrying')).toHaveLength(2)
    const received = await client.receive('mail', { max: 10 })
    expect(received.map((message) => message.id)).toEqual([messageId])
  })

  it('is not repeated after its timeout, even when it was waiting to be', async () => {
    const { client, requests } = await start({ sendTimeoutMs: 100 }, (transport) => ({
      ...transport,
      request: async (partition, commands, options): Promise<Reply> => {
        const reply = await transport.request(partition, commands, options)
        if (commands[0]?.type === 'Enqueue') throw lost()
        return reply
      },
    }))
    await client.queues.create('mail')
    expect(await failure(client.send('mail', 'late'))).toBe('SendUnknown')
    expect(requests.filter(([command]) => command?.type === 'Enqueue')).toHaveLength(1)
  })

  it.each([600_001, -1, Number.NaN, Infinity])('refuses to be repeated for %d ms', (ms) => {
    const transport = { request: lost } as unknown as Transport
    for (const options of [{ sendTimeoutMs: ms }, { requestTimeoutMs: ms }])
      expect(() => createClient(transport, options)).toThrow(/0 to 600000 ms/)
  })

  it('says that the outcome is unknown when no answer comes in time', async () => {
    const { client } = await start({ sendTimeoutMs: 100 }, (transport) => ({
      ...transport,
      request: async (partition, commands, options): Promise<Reply> => {
        const reply = await transport.request(partition, commands, options)
        if (commands[0]?.type === 'Enqueue') throw lost()
        return reply
      },
    }))
    await client.queues.create('mail')
    expect(await failure(client.send('mail', 'perhaps'))).toBe('SendUnknown')
  })
})

describe('receiving', () => {
  it('answers a long poll as soon as a message is there', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    const waiting = client.receive('mail', { waitMs: 20_000 })
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    await client.send('mail', 'hello')
    expect((await waiting).map((message) => message.text())).toEqual(['hello'])
  })

  it('is issued again when the partition gets a new owner', async () => {
    const { client, engine } = await start()
    await client.queues.create('mail')
    const waiting = client.receive('mail', { waitMs: 20_000 })
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    await engine.restart()
    await client.send('mail', 'hello')
    expect((await waiting).map((message) => message.text())).toEqual(['hello'])
  })

  it('rejects with the reason of its signal and leaves no poll behind', async () => {
    const { client } = await start()
    await client.queues.create('mail')
    const controller = new AbortController()
    const waiting = client.receive('mail', { waitMs: 20_000, signal: controller.signal })
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 0)
  })

  it('releases a delivery that arrives after the abort, without counting the attempt', async () => {
    const controller = new AbortController()
    const { client, events } = await start({}, (transport) => ({
      ...transport,
      request: async (partition, commands, options): Promise<Reply> => {
        const reply = await transport.request(partition, commands, options)
        if (commands[0]?.type === 'Receive') controller.abort(new Error('enough'))
        return reply
      },
    }))
    await client.queues.create('mail')
    await client.send('mail', 'back')
    await expect(client.receive('mail', { signal: controller.signal })).rejects.toThrow('enough')
    await waitUntil(() => events.some((event) => event.type === 'released'))
    const [message] = await client.receive('mail')
    expect(message).toMatchObject({ attempt: 1 })
  })
})

describe('settling by receipt', () => {
  it('has one result per receipt, with its error', async () => {
    const { client } = await start()
    await client.queues.create('mail', { lateHandles: 'reject' })
    await client.sendBatch('mail', [{ body: 1 }, { body: 2 }])
    const [one, two] = await client.receive('mail', { max: 2 })
    await one!.release()
    const results = await client.ack([one!.receipt, 'nonsense', two!.receipt, 'other-0-1-1-0-1'])
    expect(results.map((each) => each.error?.id)).toEqual([
      'ReceiptExpired',
      'InvalidReceipt',
      undefined,
      'UnknownReceipt',
    ])
  })

  it('retries, extends, releases and dead-letters', async () => {
    const { client } = await start()
    await client.queues.create('mail', { deadLetter: 'mail-dlq' })
    await client.send('mail', 'x')
    const [first] = await client.receive('mail')
    expect(await client.extend(first!.receipt, 60_000)).toEqual([{ receipt: first!.receipt }])
    await client.release(first!.receipt)
    const [second] = await client.receive('mail')
    expect(second!.attempt).toBe(1)
    await client.retry(second!.receipt, { delayMs: 0, error: 'again' })
    const [third] = await client.receive('mail')
    expect(third!.attempt).toBe(2)
    await client.deadLetter(third!.receipt, 'hopeless')
    const [dead] = await client.receive('mail-dlq', { waitMs: 5_000 })
    expect(dead).toMatchObject({ id: first!.id, lineage: { queue: 'mail', attempts: 2, error: 'hopeless' } })
  })
})

describe('queues', () => {
  it('are created, changed, paused, purged, listed and deleted', async () => {
    const { client } = await start()
    expect(await client.queues.create('a')).toEqual({ created: true })
    await client.queues.create('b')
    await client.queues.update('a', { retriesMax: 7, deadLetter: 'a-dlq' })
    expect((await client.queues.describe('a')).config).toMatchObject({
      retriesMax: 7,
      deadLetter: { name: 'a-dlq' },
    })
    await client.queues.pause('a')
    await client.send('a', 'x')
    expect(await client.receive('a')).toEqual([])
    await client.queues.resume('a')
    expect(await client.queues.purge('a')).toEqual({ purged: 1 })
    await client.queues.delete('b')
    expect((await client.queues.list()).map((queue) => queue.name)).toEqual(['a', 'a-dlq'])
    expect(await failure(client.queues.describe('b'))).toBe('UnknownQueue')
    expect(await client.partitions()).toHaveLength(2)
  })
})

describe('a change of a queue that is refused', () => {
  const started = async () => {
    const { client } = await start()
    await client.queues.create('mail', { deadLetter: 'first' })
    await client.queues.update('first', { deadLetter: 'second' })
    return client
  }
  const refused: [string, (client: Client) => Promise<unknown>, RegExp][] = [
    ['a circle of one', (c) => c.queues.create('new', { deadLetter: 'new' }), /circle: new → new/],
    [
      'a circle of three',
      (c) => c.queues.update('second', { deadLetter: 'mail' }),
      /circle: second → mail → first → second/,
    ],
    [
      'a setting out of its range',
      (c) => c.queues.create('new', { leaseMs: -1, deadLetter: 'other' }),
      /leaseMs/,
    ],
    [
      'a contradiction',
      (c) => c.queues.update('mail', { deliveryDelayMs: 5 * 86_400_000, deadLetter: 'other' }),
      /deliveryDelayMs of .* outlasts/,
    ],
    [
      'a circle by a subscription',
      (c) => c.queues.subscriptions.create('second', 'eu', { deadLetter: 'mail' }),
      /circle: second → mail → first → second/,
    ],
    [
      'a subscription with a setting out of its range',
      (c) => c.queues.subscriptions.create('mail', 'eu', { leaseMs: -1, deadLetter: 'other' }),
      /leaseMs/,
    ],
    ['an existing queue', (c) => c.queues.create('second', { deadLetter: 'other' }), /there already/],
    ['a missing queue', (c) => c.queues.update('new', { deadLetter: 'other' }), /new/],
  ]
  it.each(refused)('leaves every queue as it was: %s', async (_, change, message) => {
    const client = await started()
    const before = await client.queues.list()
    await expect(change(client)).rejects.toThrow(message)
    expect(await client.queues.list()).toEqual(before)
  })
  it('finds circles through the dead-letter queue of a subscription', async () => {
    const { client } = await start()
    await client.queues.create('a', { deadLetter: 'b' })
    await client.queues.subscriptions.create('b', 'eu', { deadLetter: 'c' })
    await expect(client.queues.update('c', { deadLetter: 'a' })).rejects.toThrow(/circle: c → a → b → c/)
  })
  it('stops at a circle among other queues', async () => {
    const { client, engine } = await start()
    const by = { name: 'other', origin: 'test' }
    for (const [queue, name] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const config = { deadLetter: { name, partition: 0, queue: 99 } }
      await engine.node().request(0, [{ type: 'CreateQueue', queue, config, by }])
    }
    await client.queues.create('new', { deadLetter: 'a' })
    expect((await client.queues.describe('new')).config.deadLetter).toMatchObject({ name: 'a' })
  })
})

it('refuses everything after close', async () => {
  const { client } = await start()
  await client.queues.create('mail')
  await client.close()
  expect(await failure(client.send('mail', 'x'))).toBe('Stopped')
  expect(await failure(client.receive('mail'))).toBe('Stopped')
  expect(() => client.consume('mail', () => {})).toThrow('closed')
})
