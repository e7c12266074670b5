import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
  SQSClient,
  TagQueueCommand,
} from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import { arn, type Attributes, type SqsWorld, refusal } from './SqsWorld.ts'
import { withSqsWorld } from './withSqsWorld.ts'

let world: SqsWorld
withSqsWorld((begun) => (world = begun))

/** An official client that asks for extensions with each request, as its middleware lets a program do. */
const asking = (extensions: string): SQSClient => {
  const sqs = new SQSClient({
    endpoint: world.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
  })
  sqs.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, { 'x-kiroku-extensions': extensions })
      return next(args)
    },
    { step: 'build' },
  )
  return sqs
}
const attribute = async (QueueUrl: string, name: keyof Attributes) =>
  (await world.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }))).Attributes?.[
    name
  ]
const set = (sqs: SQSClient, QueueUrl: string, Attributes: Attributes) =>
  sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))
const send = (sqs: SQSClient, input: Partial<SendMessageCommandInput> & { QueueUrl: string }) =>
  sqs.send(new SendMessageCommand({ MessageBody: 'x', ...input }))
const receive = async (sqs: SQSClient, QueueUrl: string): Promise<Message> =>
  (
    await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], WaitTimeSeconds: 5 }),
    )
  ).Messages![0]!

const days = 86_400
const asAws = 'DelaySeconds must be >= 0 and <= 900.'

it('a message may be delayed for days where its request asks for it, and no longer than the queue keeps it', async () => {
  const sqs = asking('history, delays')
  const QueueUrl = await world.create('later')
  expect(await refusal(send(world.sqs, { QueueUrl, DelaySeconds: 901 }))).toContain(asAws)
  await send(sqs, { QueueUrl, DelaySeconds: 3 * days })
  expect(await attribute(QueueUrl, 'ApproximateNumberOfMessagesDelayed')).toBe('1')
  expect(await refusal(send(sqs, { QueueUrl, DelaySeconds: 5 * days }))).toMatch(
    /^InvalidParameterValue: .*outlasts the queue's retention/,
  )
  expect(await refusal(send(sqs, { QueueUrl, DelaySeconds: 15 * days }))).toMatch(
    /DelaySeconds must be >= 0 and <= 1209600\.$/,
  )
  expect(await refusal(set(world.sqs, QueueUrl, { DelaySeconds: '901' }))).toContain('InvalidAttributeValue')
  await set(sqs, QueueUrl, { DelaySeconds: String(days) })
  expect(await attribute(QueueUrl, 'DelaySeconds')).toBe(String(days))
})

it('single messages of a FIFO queue may be delayed where the queue has the tag, and take their place when they are due', async () => {
  const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true' }
  const QueueUrl = await world.create('later.fifo', fifo)
  const delayed = { QueueUrl, MessageBody: 'later', MessageGroupId: 'g', DelaySeconds: 1 }
  expect(await refusal(send(world.sqs, delayed))).toContain('not valid for this queue type')
  await world.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { 'kiroku:extensions': 'delays history' } }))
  await send(world.sqs, delayed)
  await send(world.sqs, { QueueUrl, MessageBody: 'other', MessageGroupId: 'other' })
  await send(world.sqs, { QueueUrl, MessageBody: 'behind', MessageGroupId: 'g' })
  const bodies: string[] = []
  while (bodies.length < 3) {
    const { Body, Attributes, ReceiptHandle } = await receive(world.sqs, QueueUrl)
    expect(Attributes).toHaveProperty('KirokuHistory')
    bodies.push(Body!)
    await world.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  }
  expect(bodies).toEqual(['other', 'behind', 'later'])
})

it('messages may be as large as the engine takes where the queue was made so, alone and in batches', async () => {
  const large = String(4 * 1024 * 1024)
  expect(await refusal(world.create('large', { MaximumMessageSize: large }))).toContain(
    'InvalidAttributeValue',
  )
  const QueueUrl = await world.create(
    'large',
    { MaximumMessageSize: large },
    { 'kiroku:extensions': 'bodies' },
  )
  const MessageBody = 'x'.repeat(2 * 1024 * 1024)
  await send(world.sqs, { QueueUrl, MessageBody })
  expect((await receive(world.sqs, QueueUrl)).Body).toBe(MessageBody)
  const batch = (count: number) =>
    world.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: Array.from({ length: count }, (_, i) => ({ Id: `${i}`, MessageBody })),
      }),
    )
  expect((await batch(2)).Successful).toHaveLength(2)
  expect(await refusal(batch(3))).toContain(
    'Batch requests cannot be longer than 4194304 bytes. You have sent 6291456 bytes.',
  )
})

it('a message tells its history where it is asked for, over queues too', async () => {
  const QueueUrl = await world.create('told')
  const dead = await world.create('told-dead')
  await set(world.sqs, QueueUrl, {
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: arn('told-dead'),
      maxReceiveCount: 2,
    }),
    VisibilityTimeout: '0',
  })
  const sqs = asking('history')
  const { MessageId } = await send(sqs, { QueueUrl })
  const first = await receive(sqs, QueueUrl)
  expect(first.MessageId).toBe(MessageId)
  expect(JSON.parse((first.Attributes as Record<string, string>)['KirokuHistory']!)).toMatchObject({
    queue: 'told',
    attempt: 1,
    enqueuedAt: expect.any(Number) as number,
  })
  expect((await receive(world.sqs, QueueUrl)).Attributes).not.toHaveProperty('KirokuHistory')
  await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
  const { Attributes } = await receive(sqs, dead)
  expect(JSON.parse((Attributes as Record<string, string>)['KirokuHistory']!)).toMatchObject({
    queue: 'told-dead',
    attempt: 1,
    before: { queue: 'told', attempts: 2, cause: 'nextReceive' },
  })
})

it('an extension that there is none is refused, in a header and in a tag', async () => {
  const QueueUrl = await world.create('misspelt')
  expect(await refusal(send(asking('delay'), { QueueUrl }))).toBe(
    'InvalidParameterValue: x-kiroku-extensions: "delay" is none of bodies, delays, history.',
  )
  expect(
    await refusal(world.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { 'kiroku:extensions': 'delay' } }))),
  ).toBe('InvalidParameterValue: The tag kiroku:extensions: "delay" is none of bodies, delays, history.')
})
