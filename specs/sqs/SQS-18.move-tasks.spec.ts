import {
  CancelMessageMoveTaskCommand,
  DeleteQueueCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arn, createSqsWorld, type SqsWorld } from './SqsWorld.ts'

let world: SqsWorld
let create: SqsWorld['create']
beforeAll(async () => {
  world = await createSqsWorld()
  ;({ create } = world)
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const receive = async (QueueUrl: string) =>
  (await world.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))).Messages ?? []

/** A source of five messages, all of which are in its dead-letter queue. */
const withLetters = async (name: string): Promise<{ source: string; dead: string; DeadArn: string }> => {
  const dead = await create(`${name}-dead`)
  const DeadArn = arn(`${name}-dead`)
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: DeadArn, maxReceiveCount: 1 })
  const source = await create(name, { VisibilityTimeout: '0', RedrivePolicy })
  const Entries = ['1', '2', '3', '4', '5'].map((Id) => ({ Id, MessageBody: Id }))
  await world.sqs.send(new SendMessageBatchCommand({ QueueUrl: source, Entries }))
  await receive(source)
  expect(await receive(source)).toEqual([])
  await waitUntil(async () => {
    const { counts } = await world.client.queues.describe(`${name}-dead`)
    return counts.available === 5
  })
  return { source, dead, DeadArn }
}

const tasks = async (SourceArn: string) =>
  (await world.sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 10 }))).Results!

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    ({ name, message }: Error) => ({ name, message }),
  )

it('[SQS-18] a move task keeps to its rate, says how far it is, is alone, and can be cancelled', async () => {
  const { source, DeadArn: SourceArn } = await withLetters('slow')
  const { TaskHandle } = await world.sqs.send(
    new StartMessageMoveTaskCommand({ SourceArn, MaxNumberOfMessagesPerSecond: 1 }),
  )
  expect(await tasks(SourceArn)).toMatchObject([
    {
      TaskHandle,
      Status: 'RUNNING',
      SourceArn,
      MaxNumberOfMessagesPerSecond: 1,
      ApproximateNumberOfMessagesToMove: 5,
    },
  ])
  expect(await refusal(world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn })))).toEqual({
    name: 'InvalidParameterValue',
    message:
      'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
  })
  await waitUntil(async () => (await tasks(SourceArn))[0]!.ApproximateNumberOfMessagesMoved! > 0)
  const { ApproximateNumberOfMessagesMoved: moved } = await world.sqs.send(
    new CancelMessageMoveTaskCommand({ TaskHandle }),
  )
  expect(moved).toBeGreaterThan(0)
  expect(moved).toBeLessThan(5)
  const [cancelled] = await tasks(SourceArn)
  expect(cancelled).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesMoved: moved })
  expect(cancelled!.TaskHandle).toBeUndefined()

  // The rest goes where it came from by another task
  await world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status === 'COMPLETED')
  await waitUntil(async () => (await world.client.queues.describe('slow')).counts.available === 5)
  expect((await receive(source)).map(({ Body }) => Body).toSorted()).toEqual(['1', '2', '3', '4', '5'])
})

it('[SQS-18] a move task may have a destination of its own', async () => {
  const { DeadArn: SourceArn } = await withLetters('elsewhere')
  const other = await create('other')
  await world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: arn('other') }))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status === 'COMPLETED')
  expect(await tasks(SourceArn)).toMatchObject([
    { DestinationArn: arn('other'), ApproximateNumberOfMessagesMoved: 5 },
  ])
  await waitUntil(async () => (await world.client.queues.describe('other')).counts.available === 5)
  expect(await receive(other)).toHaveLength(5)
})

it('[SQS-18] a task whose messages have no source fails, and says why', async () => {
  const { dead, DeadArn: SourceArn } = await withLetters('strange')
  await world.client.send('strange-dead', 'sent here')
  await world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status !== 'RUNNING')
  expect(await tasks(SourceArn)).toMatchObject([
    {
      Status: 'FAILED',
      FailureReason: 'CouldNotDetermineMessageSource',
      ApproximateNumberOfMessagesMoved: 5,
    },
  ])
  expect(await receive(dead)).toMatchObject([{ Body: 'sent here' }])
})

it('[SQS-18] a task whose destination is deleted meanwhile fails, says why, and leaves the rest where it was', async () => {
  const { dead, DeadArn: SourceArn } = await withLetters('short')
  const QueueUrl = await create('short-lived')
  const DestinationArn = arn('short-lived')
  const asked = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 1 }
  await world.sqs.send(new StartMessageMoveTaskCommand(asked))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.ApproximateNumberOfMessagesMoved! > 0)
  await world.sqs.send(new DeleteQueueCommand({ QueueUrl }))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status !== 'RUNNING')
  expect(await tasks(SourceArn)).toMatchObject([
    { DestinationArn, Status: 'FAILED', FailureReason: 'AWS.SimpleQueueService.NonExistentQueue' },
  ])
  expect((await receive(dead)).length).toBeGreaterThan(0)
})

it('[SQS-18] tasks that cannot be are refused', async () => {
  await create('no-dead-letters')
  const start = (SourceArn: string, more: object = {}) =>
    refusal(world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, ...more })))
  expect(await start(arn('no-dead-letters'))).toEqual({
    name: 'InvalidParameterValue',
    message: 'Source queue must be configured as a Dead Letter Queue.',
  })
  expect(await start(arn('nowhere'))).toMatchObject({ name: 'ResourceNotFoundException' })
  const { DeadArn } = await withLetters('bounded')
  expect(await start(DeadArn, { MaxNumberOfMessagesPerSecond: 501 })).toMatchObject({
    name: 'InvalidParameterValue',
  })
  expect(await start(DeadArn, { DestinationArn: arn('nowhere') })).toEqual({
    name: 'ResourceNotFoundException',
    message: "The resource that you specified for the DestinationArn parameter doesn't exist.",
  })
  expect(await tasks(DeadArn)).toEqual([])
})

it('[SQS-18] only a task that runs can be cancelled', async () => {
  const { DeadArn: SourceArn } = await withLetters('ended')
  const cancel = (TaskHandle: string) =>
    refusal(world.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle })))
  const handle = (taskId: unknown, sourceArn: string) =>
    Buffer.from(JSON.stringify({ taskId, sourceArn })).toString('base64')
  const wrong = { name: 'InvalidParameterValue', message: 'Value for parameter TaskHandle is invalid.' }
  expect([await cancel('nonsense'), await cancel(handle(1, 'a:b'))]).toEqual([wrong, wrong])
  expect(await cancel(handle(1, arn('nowhere')))).toEqual({
    name: 'ResourceNotFoundException',
    message: "The resource that you specified for the SourceArn parameter doesn't exist.",
  })
  const { TaskHandle } = await world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }))
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status === 'COMPLETED')
  const none = { name: 'ResourceNotFoundException', message: 'Task does not exist.' }
  for (const each of [TaskHandle!, handle(7, SourceArn), handle('10f57157', SourceArn)])
    expect(await cancel(each)).toEqual(none)
  expect(await tasks(SourceArn)).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 5 }])
})

it('[SQS-18] a task moves the messages of a queue that is spread, to another that is, as of any other', async () => {
  const { client } = world
  const { source, DeadArn: SourceArn } = await withLetters('wide')
  const DestinationArn = arn('wide-other')
  const other = await create('wide-other')
  for (const queue of ['wide-dead', 'wide-other']) await client.queues.spread(queue, 2)
  for (let i = 0; i < 200; i++) await client.send('wide-dead', 'sent here')
  const { spread } = await client.queues.describe('wide-dead')
  expect(spread!.parts.map(({ counts }) => counts!.available).toSorted((a, b) => a - b)).toEqual([100, 105])

  const start = (rate: number) => {
    const asked = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate }
    return world.sqs.send(new StartMessageMoveTaskCommand(asked))
  }
  expect(await refusal(start(1))).toMatchObject({ name: 'InvalidParameterValue' })
  const { TaskHandle } = await start(2)
  expect(await tasks(SourceArn)).toMatchObject([
    { Status: 'RUNNING', MaxNumberOfMessagesPerSecond: 2, ApproximateNumberOfMessagesToMove: 205 },
  ])
  expect(await refusal(start(2))).toMatchObject({
    message: expect.stringMatching(/^There is already a task/),
  })
  await waitUntil(async () => (await tasks(SourceArn))[0]!.ApproximateNumberOfMessagesMoved! > 1)
  const cancelled = await world.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }))
  await waitUntil(async () => {
    const { counts } = await client.queues.describe('wide-dead')
    return counts.available === 205 - (await tasks(SourceArn))[0]!.ApproximateNumberOfMessagesMoved!
  })
  expect(await tasks(SourceArn)).toMatchObject([{ Status: 'CANCELLED', DestinationArn }])
  expect(cancelled.ApproximateNumberOfMessagesMoved).toBeGreaterThan(1)

  await start(500)
  await waitUntil(async () => (await tasks(SourceArn))[0]!.Status === 'COMPLETED')
  const moved = (await tasks(SourceArn)).map((task) => task.ApproximateNumberOfMessagesMoved!)
  expect(moved[0]! + moved[1]!).toBe(205)
  await waitUntil(async () => (await client.queues.describe('wide-other')).counts.available === 205)
  expect(await receive(other)).toHaveLength(10)
  expect(await receive(source)).toEqual([])
})
