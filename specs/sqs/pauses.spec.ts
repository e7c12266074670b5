import {
  DeleteQueueCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

let world: SqsWorld
beforeAll(async () => {
  world = await createSqsWorld(undefined, {}, 60_000)
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const told = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'ok',
    ({ name, message }: Error) => `${name}: ${message}`,
  )
const send = (QueueUrl: string) => world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))

it('[SQS-14] with pauses a queue is purged once every 60 s', async () => {
  const QueueUrl = await world.create('purged')
  const purge = () => told(world.sqs.send(new PurgeQueueCommand({ QueueUrl })))
  await send(QueueUrl)
  expect(await purge()).toBe('ok')
  await send(QueueUrl)
  expect(await purge()).toBe(
    'PurgeQueueInProgress: Only one PurgeQueue operation on purged is allowed every 60 seconds.',
  )
  const { Messages } = await world.sqs.send(new ReceiveMessageCommand({ QueueUrl }))
  expect(Messages).toHaveLength(1)
  // Other clients purge as they like.
  expect(await world.client.queues.purge('purged')).toEqual({ purged: 1 })
})

it('[SQS-14] with pauses a name is free 60 s after its queue was deleted', async () => {
  const QueueUrl = await world.create('deleted')
  await world.create('deleted')
  await world.sqs.send(new DeleteQueueCommand({ QueueUrl }))
  expect(await told(world.create('deleted'))).toBe(
    'QueueDeletedRecently: You must wait 60 seconds after deleting a queue before you can create another with the same name.',
  )
  await world.create('another')
  // Also where another door deleted it; and other clients create as they like.
  await world.client.queues.delete('another')
  expect(await told(world.create('another'))).toMatch(/^QueueDeletedRecently: /)
  expect(await world.client.queues.create('deleted')).toEqual({ created: true })
})

it('without pauses a queue is purged and created again at once', async () => {
  await using open = await createSqsWorld()
  const QueueUrl = await open.create('mail')
  for (let i = 0; i < 2; i++) {
    await open.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))
    await open.sqs.send(new PurgeQueueCommand({ QueueUrl }))
  }
  await open.sqs.send(new DeleteQueueCommand({ QueueUrl }))
  await open.create('mail')
})
