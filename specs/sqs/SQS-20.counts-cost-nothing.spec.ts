import {
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arn, createSqsWorld, type SqsWorld } from './SqsWorld.ts'

const inFlight = 5_000

let world: SqsWorld
beforeAll(async () => {
  world = await createSqsWorld()
  await world.create('busy', { VisibilityTimeout: '3600' })
  // A neighbour on the same partition and one on the other, both empty.
  for (const name of ['empty-1', 'empty-2', 'empty-3', 'empty-4']) await world.create(name)
  await world.client.sendBatch(
    'busy',
    Array.from({ length: inFlight }, (_, i) => ({ body: 'x', group: `tenant-${i % 100}` })),
  )
  for (let got = 0; got < inFlight;)
    got += (await world.client.receive('busy', { max: 1_000, mode: 'simple' })).length
}, 60_000)
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

type Column = Uint8Array | Uint32Array | Int32Array | Float64Array

const isColumn = (value: unknown): value is Column => ArrayBuffer.isView(value)

/** How often columns of messages are read while something is done. */
const readsDuring = async (run: () => Promise<unknown>): Promise<number> => {
  let reads = 0
  const counting = (column: Column): Column =>
    new Proxy(column, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        // Whatever it is, it may look at all of them.
        reads += target.length
        return (...args: readonly unknown[]): unknown => Reflect.apply(value, target, args)
      },
    })
  const restore: (() => void)[] = []
  for (const { state } of world.engine.node().actors.values()) {
    const live = state.live as unknown as Record<string, unknown>
    for (const [name, column] of Object.entries(live)) {
      if (!isColumn(column)) continue
      live[name] = counting(column)
      restore.push(() => (live[name] = column))
    }
  }
  try {
    await run()
  } finally {
    for (const each of restore) each()
  }
  return reads
}

/** More than one request may read of messages, and far fewer than there are. */
const fewReads = 20

const urlOf = (queue: string): string => `${world.url}/000000000000/${queue}`

const countsOf = async (queue: string) =>
  (await world.sqs.send(new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: ['All'] })))
    .Attributes!

describe('[SQS-20] counts cost nothing', () => {
  it('attributes of queues are told without a look at the messages, however many are in flight', async () => {
    const reads = await readsDuring(async () => {
      for (const queue of ['busy', 'empty-1', 'empty-2', 'empty-3', 'empty-4']) {
        const { ApproximateNumberOfMessagesNotVisible: count } = await countsOf(queue)
        expect(count, queue).toBe(queue === 'busy' ? `${inFlight}` : '0')
      }
    })
    expect(reads).toBeLessThan(5 * fewReads)
  })

  it('lists of queues are told without a look at the messages, with their counts as well', async () => {
    const names = await readsDuring(async () => {
      const { QueueUrls } = await world.sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'e' }))
      expect(QueueUrls).toHaveLength(4)
    })
    expect(names).toBeLessThan(fewReads)
    const described = await readsDuring(async () => {
      const busy = (await world.client.queues.list()).find(({ name }) => name === 'busy')
      expect(busy!.counts.inflight).toBe(inFlight)
    })
    expect(described).toBeLessThan(fewReads)
  })

  it('a receive is seen to read messages, by the same count', async () => {
    await world.client.send('empty-1', 'x')
    const reads = await readsDuring(() =>
      world.sqs.send(new ReceiveMessageCommand({ QueueUrl: urlOf('empty-1'), VisibilityTimeout: 0 })),
    )
    expect(reads).toBeGreaterThan(0)
    // What comes and goes is counted at once.
    expect(await countsOf('empty-1')).toMatchObject({
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '0',
    })
  })

  it('queues are listed by prefix in pages, in order, also while some come and go', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `${i % 2 === 0 ? 'page' : 'other'}-${i}`)
    await Promise.all(names.map((name) => world.client.queues.create(name)))
    const wanted = names.filter((name) => name.startsWith('page')).sort()
    const found: string[] = []
    let NextToken: string | undefined
    do {
      const page = await world.sqs.send(
        new ListQueuesCommand({ QueueNamePrefix: 'page-', MaxResults: 7, NextToken }),
      )
      if (NextToken === undefined) {
        await world.client.queues.delete('page-0')
        await world.client.queues.create('page-00')
      }
      expect(page.QueueUrls!.length).toBeLessThanOrEqual(7)
      found.push(...page.QueueUrls!.map((url) => url.split('/').at(-1)!))
      ;({ NextToken } = page)
    } while (NextToken !== undefined)
    expect(found).toEqual(wanted)
    // All at once, where no page is asked for.
    const { QueueUrls, NextToken: none } = await world.sqs.send(
      new ListQueuesCommand({ QueueNamePrefix: 'other-' }),
    )
    expect([QueueUrls!.length, none]).toEqual([30, undefined])
    expect(await world.sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'nothing' }))).not.toHaveProperty(
      'QueueUrls',
    )
  })

  it('the sources of a dead-letter queue are listed in pages as well', async () => {
    const dead = await world.create('dead')
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn('dead'), maxReceiveCount: 3 })
    for (const name of ['source-1', 'source-2', 'source-3']) await world.create(name, { RedrivePolicy })
    const first = await world.sqs.send(
      new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead, MaxResults: 2 }),
    )
    const { NextToken } = first
    const second = await world.sqs.send(
      new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead, MaxResults: 2, NextToken }),
    )
    expect([...first.queueUrls!, ...second.queueUrls!]).toEqual(
      ['source-1', 'source-2', 'source-3'].map(urlOf),
    )
    expect(second.NextToken).toBeUndefined()
  })
})
