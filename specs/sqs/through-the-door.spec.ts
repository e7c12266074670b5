import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { HttpLimits } from '@kiroku/doors'
import { waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'
import { arn, type Attributes, openDoor, refusal } from './SqsWorld.ts'

/** An engine whose time only the test moves, and the official client at its door. */
const startDoor = async (limits: Partial<HttpLimits> = {}, maxAttempts = 1) => {
  const world: World = await createWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const door = await openDoor(world.client, { limits })
  onTestFinished(async () => {
    await door.close()
    expect(door.defects).toEqual([])
  })
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' }
  const sqs = new SQSClient({ endpoint: door.url, region: 'eu-central-1', credentials, maxAttempts })
  onTestFinished(() => sqs.destroy())
  return {
    world,
    sqs,
    create: async (QueueName: string, of: Attributes = {}) =>
      (await sqs.send(new CreateQueueCommand({ QueueName, Attributes: of }))).QueueUrl!,
    send: (QueueUrl: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more })),
    receive: async (QueueUrl: string, more: object = {}): Promise<Message[]> => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['All'],
          ...more,
        }),
      )
      return Messages
    },
    remove: (QueueUrl: string, { ReceiptHandle }: Message) =>
      sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
    extend: (QueueUrl: string, { ReceiptHandle }: Message, VisibilityTimeout: number) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout })),
    /** How many requests were answered with this code. */
    refused: (code: string) => {
      const { type, samples } = door.requests.family()
      if (type !== 'histogram') return 0
      const counts = samples.flatMap((each) => (each.labels['code'] === code ? each.counts : []))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    /** Receives that wait at the engine. */
    waiting: async (queue: string) => (await world.client.queues.describe(queue)).waitingPolls,
  }
}

const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body)
const attempts = (messages: readonly Message[]) =>
  messages.map(({ Attributes: of }) => of?.ApproximateReceiveCount)
const deadLettersTo = (queue: string, maxReceiveCount: number): Attributes => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(queue), maxReceiveCount }),
})

it('[SQS-02] through this door a heartbeat keeps a message hidden, and for 12 hours from its receive at most', async () => {
  const { world, create, send, receive, extend } = await startDoor()
  const url = await create('jobs', { VisibilityTimeout: '3600' })
  await send(url, 'long')
  const [message] = await receive(url)
  for (let hours = 0; hours < 11; hours++) {
    await world.advance('50 minutes')
    await extend(url, message!, 3_600)
    expect(await receive(url)).toEqual([])
  }
  expect(await refusal(extend(url, message!, 43_200))).toMatch(
    /^InvalidParameterValue: .*Total VisibilityTimeout for the message is beyond the limit \[43200 seconds\]/,
  )
})

it("[SQS-03] through this door the first consumer's late delete deletes, and the second's does no harm", async () => {
  const { world, create, send, receive, remove } = await startDoor()
  const url = await create('jobs', { VisibilityTimeout: '30' })
  await send(url, 'slow')
  const [first] = await receive(url)
  await world.advance('31 seconds')
  const [second] = await receive(url)
  expect(attempts([second!])).toEqual(['2'])
  await remove(url, first!)
  await remove(url, second!)
  await world.advance('31 seconds')
  expect(await receive(url)).toEqual([])
})

it('[SQS-05] through this door a message in any of 30 queues comes to its poll at once, and the others wait on', async () => {
  const { create, send, receive, waiting } = await startDoor()
  const names = Array.from({ length: 30 }, (_, i) => `queue-${i}`)
  const urls = await Promise.all(names.map((name) => create(name)))
  const polls = urls.map((url) => receive(url, { WaitTimeSeconds: 20 }))
  for (const name of names) await waitUntil(async () => (await waiting(name)) === 1)
  await send(urls[17]!, 'for one')
  expect(bodies(await polls[17]!)).toEqual(['for one'])
  const others = await Promise.all(names.filter((_, i) => i !== 17).map(waiting))
  expect(new Set(others)).toEqual(new Set([1]))
  await Promise.all(urls.filter((_, i) => i !== 17).map((url) => send(url, 'the rest')))
  await Promise.all(polls)
})

it('[SQS-06] through this door a client that is throttled asks again by itself, after pauses, until it is let in', async () => {
  const { world, refused, create, send, receive, waiting } = await startDoor({ requestsMax: 1 }, 10)
  const url = await create('busy')
  const poll = receive(url, { WaitTimeSeconds: 20 })
  await waitUntil(async () => (await waiting('busy')) === 1)
  const sending = send(url, 'refused at first')
  await waitUntil(() => refused('RequestThrottled') >= 3)
  await world.client.send('busy', 'ends the poll')
  expect(bodies(await poll)).toEqual(['ends the poll'])
  const { attempts: tries, totalRetryDelay } = (await sending).$metadata
  expect(tries).toBeGreaterThan(3)
  expect(totalRetryDelay).toBeGreaterThan(0)
})

it('[SQS-08] through this door the age of the oldest message is that since its send, whatever was received of the queue', async () => {
  const { world, create, send, receive, remove } = await startDoor()
  const url = await create('jobs', { VisibilityTimeout: '60' })
  await send(url, 'poison')
  await world.advance('1 hour')
  await send(url, 'young')
  for (const message of await receive(url)) if (message.Body === 'young') await remove(url, message)
  const ageMs = async () => (await world.client.queues.describe('jobs')).oldestAgeMs
  expect(await ageMs()).toBeGreaterThanOrEqual(3_600_000)
  await world.advance('2 minutes')
  await remove(url, (await receive(url))[0]!)
  expect(await ageMs()).toBe(0)
})

it('[SQS-09] through this door, after a day in the source, a DLQ of four days deletes a message after three more', async () => {
  const { world, create, send, receive } = await startDoor()
  const days4 = { MessageRetentionPeriod: '345600', VisibilityTimeout: '30' }
  const dlq = await create('dlq', days4)
  const url = await create('jobs', { ...days4, ...deadLettersTo('dlq', 1) })
  await send(url, 'x')
  await world.advance('24 hours')
  await receive(url)
  await world.advance('31 seconds')
  expect(await receive(url)).toEqual([])
  await waitUntil(async () => (await receive(dlq, { VisibilityTimeout: 0 })).length === 1)
  await world.advance('71 hours')
  expect(await receive(dlq, { VisibilityTimeout: 0 })).toHaveLength(1)
  await world.advance('1 hour')
  expect(await receive(dlq)).toEqual([])
})

it('[SQS-10] through this door a threshold of 1 moves a message after its only receive', async () => {
  const { world, create, send, receive } = await startDoor()
  const dlq = await create('dlq')
  const url = await create('jobs', { VisibilityTimeout: '30', ...deadLettersTo('dlq', 1) })
  await send(url, 'once')
  expect(attempts(await receive(url))).toEqual(['1'])
  await world.advance('31 seconds')
  expect(await receive(url)).toEqual([])
  await waitUntil(async () => bodies(await receive(dlq, { VisibilityTimeout: 0 })).includes('once'))
})

it('[SQS-11] through this door each request gets its own reply, in whatever order they come', async () => {
  const { create, send, receive } = await startDoor()
  const [requests, replies] = [await create('requests'), await create('replies')]
  const text = (StringValue: string) => ({ DataType: 'String', StringValue })
  for (const id of ['a', 'b'])
    await send(requests, `question ${id}`, {
      MessageAttributes: { ReplyTo: text(replies), CorrelationId: text(id) },
    })
  const asked = await receive(requests, { MessageAttributeNames: ['All'] })
  for (const { MessageAttributes: of, Body } of asked.toReversed())
    await send(of!['ReplyTo']!.StringValue!, `answer to ${Body}`, {
      MessageAttributes: { CorrelationId: of!['CorrelationId']! },
    })
  const answers = await receive(replies, { MessageAttributeNames: ['CorrelationId'] })
  expect(
    Object.fromEntries(
      answers.map(({ MessageAttributes: of, Body }) => [of!['CorrelationId']!.StringValue, Body]),
    ),
  ).toEqual({ a: 'answer to question a', b: 'answer to question b' })
})

it('[SQS-12] through this door the answer of a poll is not cut off, however short requests may take', async () => {
  const { world, create, send, receive, waiting } = await startDoor({
    headerMs: 100,
    requestMs: 200,
    idleMs: 100,
  })
  const url = await create('slow', { ReceiveMessageWaitTimeSeconds: '20' })
  const began = performance.now()
  const poll = receive(url)
  await waitUntil(async () => (await waiting('slow')) === 1)
  await waitUntil(() => performance.now() - began > 1_000)
  await world.advance('19 seconds')
  await send(url, 'just in time')
  expect(bodies(await poll)).toEqual(['just in time'])
})

it('[ENG-02] through this door a message that waits blocks its group only', async () => {
  const { world, create, send, receive, remove } = await startDoor()
  const url = await create('jobs.fifo', { FifoQueue: 'true', VisibilityTimeout: '30' })
  for (const [MessageGroupId, body] of [
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
  ] as const)
    await send(url, body, { MessageGroupId, MessageDeduplicationId: body })
  const [failing] = await receive(url, { MaxNumberOfMessages: 1 })
  expect(bodies([failing!])).toEqual(['a1'])
  const others = await receive(url)
  expect(bodies(others)).toEqual(['b1'])
  expect(await receive(url)).toEqual([])
  await world.advance('31 seconds')
  const [again] = await receive(url, { MaxNumberOfMessages: 1 })
  expect(bodies([again!])).toEqual(['a1'])
  await remove(url, again!)
  expect(bodies(await receive(url))).toContain('a2')
})

it('[ENG-03] through this door a repeat within 5 minutes gets the answer of the first, also after a crash', async () => {
  const { world, create, send, receive } = await startDoor()
  const url = await create('jobs.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' })
  const once = () => send(url, 'same', { MessageGroupId: 'g' })
  const { MessageId, SequenceNumber } = await once()
  await world.advance('4 minutes')
  await world.engine.stop('crash')
  await world.engine.start()
  expect(await once()).toMatchObject({ MessageId, SequenceNumber })
  await world.advance('61 seconds')
  expect((await once()).MessageId).not.toBe(MessageId)
  expect(bodies(await receive(url))).toEqual(['same', 'same'])
})

it('[ENG-14] through this door a quiet tenant of a standard queue does not wait behind a noisy one', async () => {
  const { sqs, create, send, receive } = await startDoor()
  const url = await create('jobs')
  for (let i = 0; i < 60; i++) await send(url, 'noisy', { MessageGroupId: 'noisy' })
  for (let i = 0; i < 4; i++) await receive(url)
  await send(url, 'quiet', { MessageGroupId: 'quiet' })
  expect(bodies(await receive(url, { MaxNumberOfMessages: 1 }))).toEqual(['quiet'])
  const { Attributes: of } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] }),
  )
  expect(of).toEqual({ ApproximateNumberOfMessages: '20' })
})
