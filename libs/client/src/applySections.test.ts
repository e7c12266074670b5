import { startMemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient, inProcess, type Client, type QueueSection } from './index.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const start = async (): Promise<Client> => {
  const engine = await startMemoryEngine()
  closers.push(() => engine.close())
  const client = createClient(inProcess(engine.node()))
  closers.push(() => client.close())
  return client
}

const source = 'kiroku.jsonc'
const outcomes = async (client: Client, sections: Record<string, QueueSection>) =>
  (await client.queues.apply(sections, { source })).map(({ queue, outcome }) => `${queue} ${outcome}`)
const names = async (client: Client) => (await client.queues.list()).map(({ name }) => name)

describe('a section of a file', () => {
  it('creates the queue, changes what differs, and leaves the rest', async () => {
    const client = await start()
    await client.queues.create('old', { leaseMs: 5_000, retriesMax: 1 })
    const sections = { old: { retriesMax: 9 }, new: { leaseMs: 7_000, deadLetter: 'dlq' } }
    expect(await client.queues.apply(sections, { source })).toEqual([
      {
        queue: 'old',
        outcome: 'updated',
        changes: [{ setting: 'retriesMax', from: 1, to: 9 }],
        subscriptions: [],
      },
      {
        queue: 'new',
        outcome: 'created',
        changes: [
          { setting: 'leaseMs', from: 30_000, to: 7_000 },
          { setting: 'deadLetter', from: null, to: 'dlq' },
        ],
        subscriptions: [],
      },
    ])
    expect((await client.queues.describe('old')).config).toMatchObject({ leaseMs: 5_000, retriesMax: 9 })
    expect(await outcomes(client, sections)).toEqual(['old unchanged', 'new unchanged'])
  })

  it('has a source, and an error that says so', async () => {
    const client = await start()
    await expect(client.queues.apply({ mail: {} }, {} as never)).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: 'apply needs a source: the name of the file or the Worker',
    })
  })

  it('does not undo a later change, until its content changes', async () => {
    const client = await start()
    await outcomes(client, { mail: { leaseMs: 1_000, retry: { kind: 'fixed', delayMs: 5 } } })
    await client.queues.update('mail', { leaseMs: 2_000 })
    const again = await client.queues.apply(
      { mail: { retry: { delayMs: 5, kind: 'fixed' }, leaseMs: 1_000 } },
      { source },
    )
    expect(again).toMatchObject([
      { outcome: 'kept', changes: [{ setting: 'leaseMs', from: 2_000, to: 1_000 }] },
    ])
    expect((await client.queues.describe('mail')).config.leaseMs).toBe(2_000)
    expect(await outcomes(client, { mail: { leaseMs: 1_000 } })).toEqual(['mail updated'])
    expect((await client.queues.describe('mail')).config.leaseMs).toBe(1_000)
  })

  it('is remembered even if the queue already matched', async () => {
    const client = await start()
    await client.queues.create('mail', { leaseMs: 1_000 })
    expect(await outcomes(client, { mail: { leaseMs: 1_000 } })).toEqual(['mail unchanged'])
    await client.queues.update('mail', { leaseMs: 2_000 })
    expect(await outcomes(client, { mail: { leaseMs: 1_000 } })).toEqual(['mail kept'])
  })

  it('that is empty creates the queue and leaves no trace in an existing one', async () => {
    const client = await start()
    expect(await outcomes(client, { mail: {} })).toEqual(['mail created'])
    await client.queues.create('other')
    expect(await outcomes(client, { other: {} })).toEqual(['other unchanged'])
    expect((await client.queues.describe('other')).applied).toEqual({})
  })

  it('names subscriptions, with their own settings', async () => {
    const client = await start()
    await client.queues.create('events')
    await client.queues.subscriptions.create('events', 'old', { leaseMs: 1_000 })
    const events: QueueSection = {
      leaseCapMs: 7_200_000,
      subscriptions: {
        old: { retriesMax: 1 },
        new: { leaseMs: 7_200_000, tags: ['paid'], deadLetter: 'new-dlq' },
      },
    }
    const [change] = await client.queues.apply({ events }, { source })
    expect(change).toMatchObject({
      outcome: 'updated',
      subscriptions: [
        {
          subscription: 'old',
          outcome: 'updated',
          changes: [{ setting: 'retriesMax', from: 3, to: 1 }],
        },
        { subscription: 'new', outcome: 'created' },
      ],
    })
    const { subscriptions } = await client.queues.describe('events')
    expect(subscriptions.map(({ name, settings }) => ({ name, settings }))).toMatchObject([
      { name: 'main', settings: {} },
      { name: 'old', settings: { leaseMs: 1_000, retriesMax: 1 } },
      { name: 'new', settings: { leaseMs: 7_200_000, tags: ['paid'], deadLetter: { name: 'new-dlq' } } },
    ])
    expect(await outcomes(client, { events })).toEqual(['events unchanged'])
    await client.queues.subscriptions.update('events', 'new', { tags: null })
    expect(await outcomes(client, { events })).toEqual(['events kept'])
  })

  it('of a queue that others use for dead letters configures it', async () => {
    const client = await start()
    await outcomes(client, { mail: { deadLetter: 'dlq' }, dlq: { groups: 'ordered' } })
    expect((await client.queues.describe('dlq')).config.groups).toBe('ordered')
  })
})

describe('the sections of a file', () => {
  const day = 86_400_000
  const wrong: [string, Record<string, QueueSection>, RegExp][] = [
    ['a circle', { a: { deadLetter: 'b' }, b: { deadLetter: 'a' } }, /queue "a": .*circle: a → b → a/],
    [
      'a circle through a subscription',
      { a: { deadLetter: 'b' }, b: { subscriptions: { s: { deadLetter: 'a' } } } },
      /circle: a → b → a/,
    ],
    ['a contradiction', { a: {}, b: { deliveryDelayMs: 5 * day } }, /queue "b": a deliveryDelayMs/],
    [
      'a subscription that contradicts its queue',
      { a: {}, b: { leaseCapMs: 60_000, subscriptions: { s: { leaseMs: 60_001 } } } },
      /queue "b": a leaseCapMs of 60000 is shorter/,
    ],
    ['a subscription without a name', { a: {}, b: { subscriptions: { 'x y': {} } } }, /x y/],
  ]
  it.each(wrong)('change nothing at all if one is refused: %s', async (_, sections, message) => {
    const client = await start()
    await expect(client.queues.apply(sections, { source })).rejects.toThrow(message)
    expect(await names(client)).toEqual([])
  })

  it('may break an existing circle', async () => {
    const client = await start()
    await client.queues.create('b', { deadLetter: 'a' })
    await outcomes(client, { a: { deadLetter: 'b' }, b: { deadLetter: null } })
    expect((await client.queues.describe('a')).config.deadLetter?.name).toBe('b')
  })

  it('change nothing in a dry run, which reports the same', async () => {
    const client = await start()
    const sections = { mail: { deadLetter: 'dlq', subscriptions: { audit: {} } } }
    const dry = await client.queues.apply(sections, { source, dryRun: true })
    expect(await names(client)).toEqual([])
    expect(await client.queues.apply(sections, { source })).toEqual(dry)
    expect(await names(client)).toEqual(['dlq', 'mail'])
  })

  it('belong to their source: two files that name one queue do not undo each other', async () => {
    const client = await start()
    await client.queues.apply({ mail: { leaseMs: 1_000 } }, { source: 'a' })
    await client.queues.apply({ mail: { leaseMs: 2_000 } }, { source: 'b' })
    await client.queues.apply({ mail: { leaseMs: 1_000 } }, { source: 'a' })
    expect((await client.queues.describe('mail')).config.leaseMs).toBe(2_000)
  })

  it('may be applied concurrently', async () => {
    const client = await start()
    const sections = {
      mail: { leaseMs: 1_000, deadLetter: 'dlq', subscriptions: { audit: { retriesMax: 1 } } },
    }
    await Promise.all([outcomes(client, sections), outcomes(client, sections), outcomes(client, sections)])
    expect(await outcomes(client, sections)).toEqual(['mail unchanged'])
  })
})
