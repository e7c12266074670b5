import { describe, expect, it } from 'vitest'
import { failure, start } from './testing/startClient.ts'
import { type Client, defineQueue, type RetryOptions } from './index.ts'

/** What went wrong, as its caller reads it. */
const said = (attempt: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => 'nothing',
      (error: Error) => error.message,
    )

/** The client as a JavaScript program sees it, whose mistakes no compiler finds. */
// oxlint-disable-next-line typescript/no-explicit-any
const unchecked = (client: Client): any => client

const notMessages = 'sendBatch takes messages as [{ body }, …], not '

describe('a mistake of a JavaScript caller is refused, with what was meant', () => {
  it.each<[call: (client: ReturnType<typeof unchecked>) => unknown, message: string]>([
    [(c) => c.consume('q'), 'consume needs a function that handles what arrives, not undefined'],
    [(c) => c.consumeEach('q', {}), 'consumeEach needs a function that handles what arrives, not an object'],
    [
      (c) => c.consumeEach('q', () => {}, { concurrency: '4' }),
      'concurrency must be a whole number from 1 on, not "4"',
    ],
    [
      (c) => c.consume('q', () => {}, { concurrency: 0 }),
      'concurrency must be a whole number from 1 on, not 0',
    ],
    [(c) => c.consume('q', () => {}, { renew: 'no' }), 'renew must be true or false, not "no"'],
    [(c) => c.receive('q', 10), 'receive takes its options as an object, not 10'],
    [(c) => c.receive('q', { waitMs: '5' }), 'waitMs must be a number of milliseconds, 0 or more, not "5"'],
    [(c) => c.send(undefined, 1), 'Name a queue as text, or by what defineQueue returned, not by undefined'],
    [
      (c) => c.send({ name: 'q' }, 1),
      'Name a queue as text, or by what defineQueue returned, not by an object',
    ],
    [
      (c) => c.send('q', Promise.resolve(1)),
      'The body is a Promise, of which JSON holds nothing: await it first',
    ],
    [(c) => c.send('q', new Map([[1, 2]])), 'The body is a Map, of which JSON holds nothing'],
    [(c) => c.send('q', new ArrayBuffer(8)), 'The body is an ArrayBuffer, of which JSON holds nothing'],
    [
      (c) => c.send('q', 1, { attributes: new Map([['a', 'b']]) }),
      'Attributes are an object of texts by name, not a Map',
    ],
    [(c) => c.sendBatch('q', { body: 1 }), `${notMessages}an object`],
    [(c) => c.sendBatch('q', ['one', 'two']), `${notMessages}"one"`],
    [(c) => c.requester({ timeout: 5 }), 'requester has no option "timeout". Did you mean "timeoutMs"?'],
    [
      (c) => c.requester().request('q', 1, { timeoutMs: '5s' }),
      'timeoutMs must be a number of milliseconds, 0 or more, not "5s"',
    ],
    [(c) => c.retry('a', { delay: 5 }), 'retry has no option "delay". Did you mean "delayMs"?'],
    [
      (c) => c.release('a', { delayMs: Number.NaN }),
      'delayMs must be a number of milliseconds, 0 or more, not NaN',
    ],
    [(c) => c.queues.delete('q', { forced: true }), 'delete has no option "forced". Did you mean "force"?'],
    [(c) => c.queues.list({ prefix: 'a' }), 'list has no option "prefix"'],
    [(c) => c.queues.redrive('q', { rate: 5 }), 'redrive has no option "rate". Did you mean "rateMax"?'],
    [
      (c) => c.queues.redrive('q', { filter: { tags: 'a' } }),
      'The filter of a redrive has no option "tags". Did you mean "tag"?',
    ],
    [
      (c) => c.queues.apply({}, { source: 'file', dryrun: true }),
      'apply has no option "dryrun". Did you mean "dryRun"?',
    ],
    [(c) => c.queues.apply({}, 'file'), 'apply takes its options as an object, not "file"'],
    [(c) => c.reschedule('m', { delay: 5 }), 'reschedule has no option "delay". Did you mean "delayMs"?'],
    [(c) => c.reschedule('m', { at: '2026-12-01' }), 'at must be a Date, or ms since 1970, not "2026-12-01"'],
    [
      (c) => c.confirmClock('node', { partitions: 1 }),
      'confirmClock has no option "partitions". Did you mean "partition"?',
    ],
  ])('%s', async (call, message) => {
    const { client } = await start()
    expect(await said(() => call(unchecked(client)))).toBe(message)
  })
})

it('a queue is defined with a schema', () => {
  expect(() => defineQueue('q', { type: 'object' } as never)).toThrow(
    'defineQueue needs a schema of zod, valibot, arktype or another library of Standard Schema, not an object',
  )
})

describe('the reason of a verdict', () => {
  it('may be an error, whose message goes on record', async () => {
    const { client } = await start()
    await client.queues.create('dead')
    await client.queues.create('q', { deadLetter: 'dead', retriesMax: 1, batchWaitMs: 0 })
    await client.send('q', 'x')
    const [first] = await client.receive('q')
    await first!.retry({ delayMs: 0, error: new Error('no route') })
    const [second] = await client.receive('q', { waitMs: 5_000 })
    await second!.deadLetter(new Error('no route at all'))
    const filter = { error: 'no route at all' }
    expect(await client.queues.redrive('dead', { dryRun: true, filter })).toMatchObject({ moved: 1 })
  })

  it('leaves a message of which nothing is known where it is', async () => {
    const { client } = await start()
    await client.queues.create('q', { batchWaitMs: 0 })
    await client.send('q', 'x')
    const [message] = await client.receive('q')
    expect(await failure(message!.retry({ delay: 5 } as RetryOptions))).toBe('InvalidArgument')
    expect(await failure(message!.ack())).toBe('none')
  })
})
