import {
  CreateQueueCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arn, createSqsWorld, type SqsWorld, refusal } from './SqsWorld.ts'

const secret = 'a-secret-of-some-length'
let world: SqsWorld
let sqs: SQSClient
beforeAll(async () => {
  world = await createSqsWorld(`ada:admin:ADMIN1:${secret}`)
  sqs = new SQSClient({
    endpoint: world.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'ADMIN1', secretAccessKey: secret },
    maxAttempts: 1,
  })
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  sqs.destroy()
  await world[Symbol.asyncDispose]()
})

const create = async (QueueName: string, Attributes: Record<string, string> = {}) =>
  (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl!
const receive = async (QueueUrl: string): Promise<Message | undefined> =>
  (
    await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
        WaitTimeSeconds: 5,
      }),
    )
  ).Messages?.[0]

const limit = 1_048_576
/** Attributes of every type that count, with the body `x`, as many bytes. */
const filling = (bytes: number): Record<string, MessageAttributeValue> => {
  const small = {
    text: { DataType: 'String', StringValue: '"\n<&>ä' },
    amount: { DataType: 'Number.int', StringValue: '-1.5e3' },
  }
  const image = { DataType: 'Binary.png', BinaryValue: Uint8Array.of(0, 255, 7) }
  const json = { DataType: 'String.json', StringValue: '' }
  const used =
    1 +
    Object.entries({ ...small, image, json }).reduce(
      (sum, [name, { DataType }]) => sum + name.length + DataType.length,
      0,
    ) +
    Buffer.byteLength(small.text.StringValue) +
    small.amount.StringValue.length
  const half = Math.floor((bytes - used) / 2)
  return {
    ...small,
    image: { ...image, BinaryValue: new Uint8Array(half).map((_, i) => i % 251) },
    json: { ...json, StringValue: `{"key":"ab"}\n`.repeat(half).slice(0, bytes - used - half) },
  }
}

it('attributes of all types have the room of the message, counted as SQS counts, also in a batch', async () => {
  const QueueUrl = await create('wide')
  const MessageAttributes = filling(limit)
  const one = { QueueUrl, MessageBody: 'x', MessageAttributes }
  // The SDK checks the digest of the body; that of the attributes covers names, types and values.
  const { MD5OfMessageAttributes } = await sqs.send(new SendMessageCommand(one))
  const got = await receive(QueueUrl)
  expect(got!.MD5OfMessageAttributes).toBe(MD5OfMessageAttributes)
  expect(got!.MessageAttributes).toEqual(MessageAttributes)

  const batch = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'a', MessageBody: 'x', MessageAttributes: filling(limit / 2) },
        { Id: 'b', MessageBody: 'x', MessageAttributes: filling(limit / 2) },
      ],
    }),
  )
  expect(batch.Failed ?? []).toEqual([])
  expect((await receive(QueueUrl))!.MessageAttributes).toEqual(filling(limit / 2))

  expect(
    await refusal(sqs.send(new SendMessageCommand({ ...one, MessageAttributes: filling(limit + 1) }))),
  ).toBe(
    'InvalidParameterValue: One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
  )
})

it('a queue with a smaller limit counts attributes too', async () => {
  const QueueUrl = await create('narrow', { MaximumMessageSize: '1024' })
  const send = (bytes: number) =>
    refusal(
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes: filling(bytes) })),
    )
  expect(await send(1_024)).toBeUndefined()
  expect(await send(1_025)).toMatch(/^InvalidParameterValue: .*Message must be shorter than 1024 bytes/)
})

it('attributes, trace header and sender go with a message to its dead-letter queue, and to other clients', async () => {
  const dead = await create('wide-dead')
  const QueueUrl = await create('wide-poisoned', {
    VisibilityTimeout: '0',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn('wide-dead'), maxReceiveCount: 1 }),
  })
  const header = 'Root=1-5759e988-bd862e3fe1be46a994272793'
  const MessageAttributes = filling(limit)
  await sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'x',
      MessageAttributes,
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
    }),
  )
  const first = await receive(QueueUrl)
  expect(first!.Attributes).toMatchObject({ SenderId: 'ada', AWSTraceHeader: header })
  await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
  const letter = await receive(dead)
  expect(letter).toMatchObject({
    MessageId: first!.MessageId,
    Attributes: { SenderId: 'ada', AWSTraceHeader: header },
  })
  expect(letter!.MessageAttributes).toEqual(MessageAttributes)

  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes }))
  const [native] = await world.client.receive('wide-poisoned', { waitMs: 5_000 })
  expect(native).toMatchObject({
    sender: 'ada',
    attributeTypes: { amount: 'Number.int', image: 'Binary.png', json: 'String.json' },
  })
  expect(native!.attributes['json']).toBe(MessageAttributes['json']!.StringValue)
})
