import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld, refusal } from './SqsWorld.ts'

let world: SqsWorld
let sqs: SqsWorld['sqs']
beforeAll(async () => {
  world = await createSqsWorld()
  ;({ sqs } = world)
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

it('a queue is found for every account that its owner is said to have', async () => {
  const QueueUrl = await world.create('mail')
  const found = await sqs.send(
    new GetQueueUrlCommand({ QueueName: 'mail', QueueOwnerAWSAccountId: '111122223333' }),
  )
  expect(found.QueueUrl).toBe(QueueUrl)
})

it('the digest of system attributes is that of their names, types and values', async () => {
  const QueueUrl = await world.create('traced')
  const MessageSystemAttributes = {
    AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' },
  } as const
  const one = { MessageBody: 'x', MessageSystemAttributes }
  const { MD5OfMessageSystemAttributes } = await sqs.send(new SendMessageCommand({ QueueUrl, ...one }))
  // As attributes of the sender's own they have the same digest.
  const { MD5OfMessageAttributes } = await sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes: MessageSystemAttributes }),
  )
  expect(MD5OfMessageSystemAttributes).toBe(MD5OfMessageAttributes)
  const batch = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a', ...one }] }))
  expect(batch.Successful).toMatchObject([{ MD5OfMessageSystemAttributes }])
})

it('[ENG-13] a receive that is repeated by its ReceiveRequestAttemptId gets the same messages, of a FIFO queue alone', async () => {
  const QueueUrl = await world.create('orders.fifo', {
    FifoQueue: 'true',
    DeduplicationScope: 'messageGroup',
  })
  const send = (MessageGroupId: string) =>
    sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: MessageGroupId,
        MessageGroupId,
        MessageDeduplicationId: 'd',
      }),
    )
  await send('a')
  // The same id in another group is another message.
  await send('b')
  const receive = async (ReceiveRequestAttemptId: string) =>
    (
      await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          ReceiveRequestAttemptId,
          MessageSystemAttributeNames: ['MessageDeduplicationId', 'MessageGroupId'],
        }),
      )
    ).Messages
  const first = await receive('one')
  expect(first!.map(({ Attributes }) => Attributes)).toEqual([
    { MessageDeduplicationId: 'd', MessageGroupId: 'a' },
    { MessageDeduplicationId: 'd', MessageGroupId: 'b' },
  ])
  expect((await receive('one'))!.map(({ MessageId }) => MessageId)).toEqual(
    first!.map(({ MessageId }) => MessageId),
  )
  expect(await receive('two')).toBeUndefined()
  const standard = await world.create('standard')
  expect(
    await refusal(sqs.send(new ReceiveMessageCommand({ QueueUrl: standard, ReceiveRequestAttemptId: 'x' }))),
  ).toMatch(/^InvalidParameterValue: Value x for parameter ReceiveRequestAttemptId is invalid/)
})

it('attributes that SQS does not have, or not in this kind of queue, are an InvalidAttributeName', async () => {
  const QueueUrl = await world.create('plain')
  const unknown = (name: string) => `InvalidAttributeName: Unknown Attribute ${name}.`
  for (const Attributes of [{ Colour: 'red' }, { DeduplicationScope: 'queue' }]) {
    const [name] = Object.keys(Attributes) as [string]
    expect(
      await refusal(sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: Attributes as object }))),
    ).toBe(unknown(name))
    expect(
      await refusal(
        sqs.send(new CreateQueueCommand({ QueueName: 'never', Attributes: Attributes as object })),
      ),
    ).toBe(unknown(name))
  }
  const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Colour' as 'All'] })
  expect(await refusal(sqs.send(ask))).toBe(unknown('Colour'))
})

it('a FIFO queue keeps its FifoThroughputLimit, for each group only where its groups know repeats alone', async () => {
  const QueueUrl = await world.create('fast.fifo', {
    FifoQueue: 'true',
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
  })
  const set = (Attributes: Record<string, string>) =>
    refusal(sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes })))
  const limit = async () =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['FifoThroughputLimit'] })))
      .Attributes!['FifoThroughputLimit']
  expect(await limit()).toBe('perMessageGroupId')
  const refused =
    'InvalidAttributeValue: The perMessageGroupId value of FifoThroughputLimit is allowed only when the value for DeduplicationScope is messageGroup.'
  expect(await set({ DeduplicationScope: 'queue' })).toBe(refused)
  expect(await set({ FifoThroughputLimit: 'perQueue' })).toBeUndefined()
  expect(await limit()).toBe('perQueue')
  expect(await set({ DeduplicationScope: 'queue' })).toBeUndefined()
  expect(await set({ FifoThroughputLimit: 'perMessageGroupId' })).toBe(refused)
  expect(await set({ FifoThroughputLimit: 'fast' })).toMatch(/^InvalidAttributeValue/)
  const Attributes = { FifoQueue: 'true', FifoThroughputLimit: 'perMessageGroupId' }
  expect(await refusal(world.create('slow.fifo', Attributes))).toBe(refused)
})

it('a request beyond all that it may hold is a RequestEntityTooLarge', async () => {
  const answer = await fetch(world.url, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQS.SendMessage' },
    body: 'x'.repeat(8 * 1024 * 1024 + 1),
  })
  expect([answer.status, answer.headers.get('x-amzn-query-error')]).toEqual([
    413,
    'RequestEntityTooLarge;Sender',
  ])
})
