import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arn, createSqsWorld, type SqsWorld } from './SqsWorld.ts'

let world: SqsWorld
let sqs: SQSClient
let create: SqsWorld['create']
beforeAll(async () => {
  world = await createSqsWorld()
  ;({ sqs, create } = world)
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const receive = async (QueueUrl: string, MaxNumberOfMessages = 10, WaitTimeSeconds = 0) =>
  (
    await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages,
        WaitTimeSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    )
  ).Messages ?? []

const refusal = async (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: { name: string; message: string; $metadata: { httpStatusCode: number } }) => ({
      name: error.name,
      message: error.message,
      status: error.$metadata.httpStatusCode,
    }),
  )

it('the AWS SDK sends, receives and deletes, with the digests that it checks', async () => {
  const QueueUrl = await create('mail')
  expect(QueueUrl).toBe(`${world.url}/000000000000/mail`)
  const sent = await sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'Grüße, 世界 🌍 & <b>',
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x' },
        size: { DataType: 'Number.int', StringValue: '17' },
        seal: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
      },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988' } },
    }),
  )
  expect(sent.MessageId).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$|^memory-/,
  )
  const [message] = await receive(QueueUrl)
  expect(message).toMatchObject({
    MessageId: sent.MessageId,
    Body: 'Grüße, 世界 🌍 & <b>',
    MD5OfBody: sent.MD5OfMessageBody,
    MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
    Attributes: { ApproximateReceiveCount: '1', AWSTraceHeader: 'Root=1-5759e988' },
    MessageAttributes: {
      text: { DataType: 'String', StringValue: 'x' },
      size: { DataType: 'Number.int', StringValue: '17' },
      seal: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
    },
  })
  const { ReceiptHandle } = message!
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  // Once more is no error.
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  expect(await receive(QueueUrl)).toEqual([])
})

it('[SQS-01] through this door a message is hidden for its visibility timeout, and 0 shows it again', async () => {
  const QueueUrl = await create('hidden', { VisibilityTimeout: '30' })
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
  const [first] = await receive(QueueUrl)
  expect(await receive(QueueUrl)).toEqual([])
  const { ReceiptHandle } = first!
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
  const [second] = await receive(QueueUrl)
  expect(second!.Attributes).toMatchObject({ ApproximateReceiveCount: '2' })
  // The old handle is late: it changes nothing, and deletes.
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 10 }))
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  expect(
    (await refusal(
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 10 })),
    ))!,
  ).toMatchObject({
    name: 'InvalidParameterValue',
    message: expect.stringContaining(
      'Message does not exist or is not available for visibility timeout change.',
    ),
  })
})

it('[SQS-04] [ENG-12] through this door a long poll returns as soon as a message is there, and one that is given up gets none', async () => {
  const QueueUrl = await create('polled')
  const giveUp = new AbortController()
  const poll = (abortSignal?: AbortSignal) =>
    sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, MessageSystemAttributeNames: ['All'] }),
      {
        ...(abortSignal && { abortSignal }),
      },
    )
  const waiting = async () => (await world.client.queues.describe('polled')).waitingPolls
  const given = poll(giveUp.signal).catch((error: Error) => error.name)
  await waitUntil(async () => (await waiting()) === 1)
  giveUp.abort()
  expect(await given).toBe('AbortError')
  await waitUntil(async () => (await waiting()) === 0)
  const next = poll()
  await waitUntil(async () => (await waiting()) === 1)
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'now' }))
  expect((await next).Messages).toMatchObject([{ Body: 'now', Attributes: { ApproximateReceiveCount: '1' } }])
})

it('[SQS-07] [ENG-10] through this door a redrive policy moves a message, with its id, and a move task brings it back', async () => {
  const dead = await create('dead')
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
  )
  const arn = Attributes!.QueueArn!
  expect(arn).toBe('arn:aws:sqs:eu-central-1:000000000000:dead')
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: 2 })
  const QueueUrl = await create('poisoned', { VisibilityTimeout: '0', RedrivePolicy })
  const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison' }))
  for (const count of ['1', '2'])
    expect((await receive(QueueUrl))[0]!.Attributes).toMatchObject({ ApproximateReceiveCount: count })
  expect(await receive(QueueUrl)).toEqual([])
  const [letter] = await receive(dead)
  expect(letter).toMatchObject({
    MessageId,
    Body: 'poison',
    Attributes: { DeadLetterQueueSourceArn: arn.replace(/dead$/, 'poisoned'), ApproximateReceiveCount: '3' },
  })
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: dead,
      ReceiptHandle: letter!.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  )
  expect((await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }))).queueUrls).toEqual([
    QueueUrl,
  ])

  const { TaskHandle } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arn }))
  expect(TaskHandle).not.toBe('')
  await waitUntil(async () => {
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: arn }))
    return Results![0]!.Status === 'COMPLETED' && Results![0]!.ApproximateNumberOfMessagesMoved === 1
  })
  expect(await receive(QueueUrl)).toMatchObject([{ MessageId, Body: 'poison' }])
})

it('[SQS-07] through this door receives are counted, and the first send is told, over any number of queues', async () => {
  const to = (queue: string) => ({
    VisibilityTimeout: '0',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(queue), maxReceiveCount: 2 }),
  })
  const last = await create('hop-last', { VisibilityTimeout: '0' })
  const middle = await create('hop-middle', to('hop-last'))
  const first = await create('hop-first', to('hop-middle'))
  await sqs.send(new SendMessageCommand({ QueueUrl: first, MessageBody: 'poison' }))
  const sent = new Set<string | undefined>()
  const firstReceived = new Set<string | undefined>()
  let received = 0
  const expectNext = async (QueueUrl: string, from?: string) => {
    const { Attributes = {} } = (await receive(QueueUrl, 1, 5))[0]!
    received++
    expect([Attributes.ApproximateReceiveCount, Attributes.DeadLetterQueueSourceArn]).toEqual([
      String(received),
      from === undefined ? undefined : arn(from),
    ])
    sent.add(Attributes.SentTimestamp)
    firstReceived.add(Attributes.ApproximateFirstReceiveTimestamp)
  }
  await expectNext(first)
  await expectNext(first)
  expect(await receive(first)).toEqual([])
  await expectNext(middle, 'hop-first')
  await expectNext(middle, 'hop-first')
  expect(await receive(middle)).toEqual([])
  await expectNext(last, 'hop-middle')
  await sqs.send(
    new StartMessageMoveTaskCommand({ SourceArn: arn('hop-last'), DestinationArn: arn('hop-first') }),
  )
  await expectNext(first)
  expect(sent.size).toBe(1)
  expect([...firstReceived]).toEqual([expect.stringMatching(/^\d+$/)])
})

it('[ENG-01] through this door a FIFO queue keeps the order of a group, knows repeats, and wants its ids', async () => {
  const QueueUrl = await create('orders.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' })
  const send = (MessageBody: string, more: object = { MessageGroupId: 'g' }) =>
    sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }))
  const first = await send('1')
  const again = await send('1')
  expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber])
  await send('2')
  const got = await receive(QueueUrl)
  expect(got.map(({ Body }) => Body)).toEqual(['1', '2'])
  expect(got[0]!.Attributes).toMatchObject({ MessageGroupId: 'g', SequenceNumber: first.SequenceNumber })
  expect(await receive(QueueUrl)).toEqual([])
  expect(await refusal(send('3', {}))).toMatchObject({
    name: 'MissingParameter',
    message: 'The request must contain the parameter MessageGroupId.',
  })
  const plain = await create('plain.fifo', { FifoQueue: 'true' })
  expect(
    await refusal(
      sqs.send(new SendMessageCommand({ QueueUrl: plain, MessageBody: 'x', MessageGroupId: 'g' })),
    ),
  ).toMatchObject({ name: 'InvalidParameterValue', message: /ContentBasedDeduplication enabled/ })
})

it('batches say of each entry what became of it, and what is wrong with all', async () => {
  const QueueUrl = await create('batched')
  const Entries = [
    { Id: 'a', MessageBody: 'one' },
    { Id: 'b', MessageBody: 'two', DelaySeconds: 901 },
    { Id: 'c', MessageBody: 'three\u0000' },
    { Id: 'd', MessageBody: 'four' },
  ]
  const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  expect(sent.Successful!.map(({ Id }) => Id)).toEqual(['a', 'd'])
  expect(sent.Failed).toMatchObject([
    { Id: 'b', SenderFault: true, Code: 'InvalidParameterValue' },
    { Id: 'c', SenderFault: true, Code: 'InvalidMessageContents' },
  ])
  const messages = await receive(QueueUrl)
  expect(messages.map(({ Body }) => Body)).toEqual(['one', 'four'])
  const receipts = messages.map(({ ReceiptHandle }, i) => ({ Id: `${i}`, ReceiptHandle }))
  const changed = await sqs.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl,
      Entries: receipts.map((entry) => ({ ...entry, VisibilityTimeout: 60 })),
    }),
  )
  expect(changed.Successful).toHaveLength(2)
  const deleted = await sqs.send(
    new DeleteMessageBatchCommand({ QueueUrl, Entries: [...receipts, { Id: 'x', ReceiptHandle: 'junk' }] }),
  )
  expect(deleted.Successful).toHaveLength(2)
  expect(deleted.Failed).toMatchObject([{ Id: 'x', Code: 'ReceiptHandleIsInvalid' }])

  const batch = (entries: object[]) =>
    refusal(sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries as typeof Entries })))
  expect(await batch([])).toMatchObject({ name: 'EmptyBatchRequest' })
  expect(await batch(Array.from({ length: 11 }, (_, i) => ({ Id: `${i}`, MessageBody: 'x' })))).toMatchObject(
    {
      name: 'TooManyEntriesInBatchRequest',
      message: 'Maximum number of entries per request are 10. You have sent 11.',
    },
  )
  expect(
    await batch([
      { Id: 'a', MessageBody: 'x' },
      { Id: 'a', MessageBody: 'y' },
    ]),
  ).toMatchObject({
    name: 'BatchEntryIdsNotDistinct',
  })
  expect(await batch([{ Id: 'a b', MessageBody: 'x' }])).toMatchObject({ name: 'InvalidBatchEntryId' })
})

it('queues are made once, found, listed, changed, counted, purged and deleted', async () => {
  const QueueUrl = await create('made', { VisibilityTimeout: '60' })
  expect(await create('made', { VisibilityTimeout: '60' })).toBe(QueueUrl)
  expect(await create('made')).toBe(QueueUrl)
  expect(await refusal(create('made', { DelaySeconds: '5' }))).toMatchObject({
    name: 'QueueNameExists',
    message: 'A queue already exists with the same name and a different value for attribute DelaySeconds',
  })
  expect(await refusal(create('two words'))).toMatchObject({ name: 'InvalidParameterValue' })
  expect(await refusal(create('made2', { VisibilityTimeout: '43201' }))).toMatchObject({
    name: 'InvalidAttributeValue',
  })
  expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'made' }))).QueueUrl).toBe(QueueUrl)
  const page = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'm', MaxResults: 1 }))
  expect(page).toMatchObject({ QueueUrls: [QueueUrl], NextToken: expect.any(String) })
  const rest = await sqs.send(
    new ListQueuesCommand({ QueueNamePrefix: 'm', MaxResults: 1, NextToken: page.NextToken }),
  )
  expect(rest.QueueUrls).toEqual([`${world.url}/000000000000/mail`])

  await sqs.send(
    new SetQueueAttributesCommand({ QueueUrl, Attributes: { MessageRetentionPeriod: '1209600' } }),
  )
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }))
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))
  expect(Attributes).toMatchObject({
    VisibilityTimeout: '60',
    MessageRetentionPeriod: '1209600',
    MaximumMessageSize: '1048576',
    DelaySeconds: '0',
    ReceiveMessageWaitTimeSeconds: '0',
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesDelayed: '1',
    ApproximateNumberOfMessagesNotVisible: '0',
  })
  await sqs.send(new PurgeQueueCommand({ QueueUrl }))
  expect(await receive(QueueUrl)).toEqual([])
  await sqs.send(new DeleteQueueCommand({ QueueUrl }))
  expect(await refusal(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })))).toEqual({
    name: 'QueueDoesNotExist',
    message: 'The specified queue does not exist.',
    status: 400,
  })
})

it('what is out of range, missing or malformed is refused in the words of SQS', async () => {
  const QueueUrl = await create('strict')
  const ask = (more: object) => refusal(sqs.send(new ReceiveMessageCommand({ QueueUrl, ...more })))
  expect(await ask({ MaxNumberOfMessages: 11 })).toMatchObject({
    name: 'InvalidParameterValue',
    message:
      'Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.',
  })
  expect(await ask({ WaitTimeSeconds: 21 })).toMatchObject({
    message:
      'Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.',
  })
  expect(
    await refusal(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(1_048_577) }))),
  ).toMatchObject({
    message: 'One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
  })
  expect(await refusal(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '' })))).toMatchObject({
    name: 'MissingParameter',
    message: 'The request must contain the parameter MessageBody.',
  })
  const Attributes = { Policy: '{"Statement":[]}' }
  for (const policy of [
    new SetQueueAttributesCommand({ QueueUrl, Attributes }),
    new CreateQueueCommand({ QueueName: 'guarded', Attributes }),
  ])
    expect(await refusal(sqs.send(policy as CreateQueueCommand))).toMatchObject({
      name: 'InvalidAttributeValue',
    })
  expect(await refusal(sqs.send(new GetQueueUrlCommand({ QueueName: 'guarded' })))).toMatchObject({
    name: 'QueueDoesNotExist',
  })
})

it('what other doors sent arrives, also where it is no text', async () => {
  const QueueUrl = await create('shared')
  await world.client.send('shared', { json: [1, 'ä'] })
  await world.client.send('shared', Uint8Array.of(0, 1, 255))
  const [json, bytes] = await receive(QueueUrl)
  expect(json!.Body).toBe('{"json":[1,"ä"]}')
  expect(bytes).toMatchObject({
    Body: 'AAH/',
    MessageAttributes: { 'kiroku.encoding': { StringValue: 'base64', DataType: 'String' } },
  })
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"from":"sqs"}' }))
  const [native] = await world.client.receive('shared')
  expect(native!.json()).toEqual({ from: 'sqs' })
})
