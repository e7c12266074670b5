import * as sdk from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { arn, type SqsWorld } from './SqsWorld.ts'
import { withSqsWorld } from './withSqsWorld.ts'

let world: SqsWorld
withSqsWorld((begun) => (world = begun))

it('[SQS-13] the AWS SDK gets an answer to every action that it has', async () => {
  const { sqs, create } = world
  const answered = new Set<string>()
  sqs.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args)
        answered.add(commandName)
        return result
      },
    { step: 'initialize' },
  )
  const dead = await create('dead')
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn('dead'), maxReceiveCount: 1 })
  const QueueUrl = await create('all', { VisibilityTimeout: '0' }, { team: 'shop' })
  await sqs.send(new sdk.SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }))
  const { Attributes } = await sqs.send(
    new sdk.GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  )
  expect(JSON.parse(Attributes!['RedrivePolicy']!)).toEqual(JSON.parse(RedrivePolicy))
  expect((await sqs.send(new sdk.GetQueueUrlCommand({ QueueName: 'all' }))).QueueUrl).toBe(QueueUrl)
  expect((await sqs.send(new sdk.ListQueuesCommand())).QueueUrls).toEqual([QueueUrl, dead])
  const sources = await sqs.send(new sdk.ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }))
  expect(sources.queueUrls).toEqual([QueueUrl])

  await sqs.send(new sdk.TagQueueCommand({ QueueUrl, Tags: { stage: 'test' } }))
  await sqs.send(new sdk.UntagQueueCommand({ QueueUrl, TagKeys: ['team'] }))
  expect((await sqs.send(new sdk.ListQueueTagsCommand({ QueueUrl }))).Tags).toEqual({ stage: 'test' })
  const Label = 'partner'
  await sqs.send(
    new sdk.AddPermissionCommand({
      QueueUrl,
      Label,
      AWSAccountIds: ['111122223333'],
      Actions: ['SendMessage'],
    }),
  )
  await sqs.send(new sdk.RemovePermissionCommand({ QueueUrl, Label }))

  await sqs.send(new sdk.SendMessageCommand({ QueueUrl, MessageBody: '1' }))
  await sqs.send(new sdk.SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a', MessageBody: '2' }] }))
  const receive = async (url: string, VisibilityTimeout = 600) =>
    (
      await sqs.send(
        new sdk.ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout }),
      )
    ).Messages ?? []
  const [first, second] = await receive(QueueUrl)
  const Entries = [{ Id: 'a', ReceiptHandle: first!.ReceiptHandle, VisibilityTimeout: 60 }]
  const { Successful } = await sqs.send(new sdk.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }))
  expect(Successful).toEqual([{ Id: 'a' }])
  const { ReceiptHandle } = first!
  await sqs.send(new sdk.DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  await sqs.send(
    new sdk.ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: second!.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  )
  // Once more would be one too many.
  expect(await receive(QueueUrl)).toEqual([])
  const [letter] = await receive(dead, 0)
  expect(letter).toMatchObject({ MessageId: second!.MessageId, Body: '2' })

  // At its rate it is not done for minutes.
  await world.client.sendBatch(
    'dead',
    Array.from({ length: 500 }, () => ({ body: 'more' })),
  )
  const { TaskHandle } = await sqs.send(
    new sdk.StartMessageMoveTaskCommand({
      SourceArn: arn('dead'),
      DestinationArn: arn('all'),
      MaxNumberOfMessagesPerSecond: 1,
    }),
  )
  await waitUntil(async () => {
    const { Results } = await sqs.send(new sdk.ListMessageMoveTasksCommand({ SourceArn: arn('dead') }))
    return Results![0]!.ApproximateNumberOfMessagesMoved! > 0
  })
  const cancelled = await sqs.send(new sdk.CancelMessageMoveTaskCommand({ TaskHandle }))
  expect(cancelled.ApproximateNumberOfMessagesMoved).toBeGreaterThan(0)
  const [back] = await receive(QueueUrl)
  const deleted = await sqs.send(
    new sdk.DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [{ Id: 'a', ReceiptHandle: back!.ReceiptHandle }],
    }),
  )
  expect(deleted.Successful).toEqual([{ Id: 'a' }])
  await sqs.send(new sdk.PurgeQueueCommand({ QueueUrl }))
  await sqs.send(new sdk.DeleteQueueCommand({ QueueUrl }))
  await expect(receive(QueueUrl)).rejects.toBeInstanceOf(sdk.QueueDoesNotExist)

  const all = Object.keys(sdk).filter((name) => /^[A-Z].*[a-z]Command$/.test(name))
  expect([...answered].sort()).toEqual(all.sort())
  expect(all).toHaveLength(23)
})
