import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'
import { createSqsWorld } from './SqsWorld.ts'

it('[SQS-15] of an ordered group, what comes before the first message in flight may go out again, and nothing behind it', async () => {
  await using world = await createWorld()
  await world.queue('jobs.fifo', {
    groups: 'ordered',
    leaseMs: 10_000,
    retriesMax: 'unlimited',
    exhaustion: 'onNextReceive',
  })
  for (const body of ['1', '2', '3']) await world.send('jobs.fifo', body, { group: 'g' })
  const receive = () => world.receive('jobs.fifo', { max: 10 })
  const texts = async () => (await receive()).map((message) => message.text())
  const [one, two, three] = await receive()
  expect([one, two, three].map((message) => message!.text())).toEqual(['1', '2', '3'])
  await world.client.extend(two!.receipt, 60_000)
  await world.advance('11 seconds')
  expect(await texts()).toEqual(['1'])
  expect(await texts()).toEqual([])

  // Not even when what comes before it is final, or after a crash
  await world.advance('11 seconds')
  const [again] = await receive()
  expect(again).toMatchObject({ attempt: 3 })
  await world.client.ack(again!.receipt)
  await world.engine.stop('crash')
  await world.engine.start()
  expect(await texts()).toEqual([])

  await world.client.ack(two!.receipt)
  expect(await receive()).toMatchObject([{ attempt: 2 }])
  expect(await texts()).toEqual([])
})

it('[SQS-15] through the door of SQS as well, where a visibility timeout of 0 ends a lease', async () => {
  await using world = await createSqsWorld()
  const { sqs } = world
  const Attributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true' }
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'jobs.fifo', Attributes }))
  for (const MessageBody of ['1', '2', '3'])
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'g' }))
  const receive = async () =>
    (await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))).Messages ?? []
  const bodies = async () => (await receive()).map(({ Body }) => Body)
  const [one, two, three] = await receive()
  for (const { ReceiptHandle } of [one!, three!])
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
  const [again, ...others] = await receive()
  expect([again!.Body, others]).toEqual(['1', []])
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again!.ReceiptHandle }))
  expect(await bodies()).toEqual([])
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: two!.ReceiptHandle }))
  await waitUntil(async () => (await bodies()).join() === '3')
})
