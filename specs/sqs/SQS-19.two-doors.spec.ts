import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

const secret = 'a-secret-of-some-length'
const partner = '111122223333'
const queue = 'shared'

let world: SqsWorld
let ada: SQSClient
/** Those who use the other door. */
let olga: SQSClient
let pat: SQSClient
beforeAll(async () => {
  world = await createSqsWorld(
    `ada:admin:ADMIN1:${secret}\nolga:operator:OPER1:${secret}\npat:operator:PART1:${secret}:${partner}`,
  )
  const client = (endpoint: string, accessKeyId: string): SQSClient =>
    new SQSClient({
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId, secretAccessKey: secret },
      maxAttempts: 1,
    })
  ada = client(world.url, 'ADMIN1')
  olga = client(world.otherUrl, 'OPER1')
  pat = client(world.otherUrl, 'PART1')
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  for (const each of [ada, olga, pat]) each.destroy()
  await world[Symbol.asyncDispose]()
})

const urlOf = (door: string): string => `${door}/000000000000/${queue}`

const policy = (Effect: 'Allow' | 'Deny'): string => {
  const Statement = [{ Effect, Principal: { AWS: partner }, Action: 'SQS:*', Resource: '*' }]
  return JSON.stringify({ Version: '2012-10-17', Statement })
}

const set = (Attributes: Record<string, string>) =>
  ada.send(new SetQueueAttributesCommand({ QueueUrl: urlOf(world.url), Attributes }))

/** Sends at the other door; ok, or the name of the error. */
const send = (by: SQSClient): Promise<string> =>
  by.send(new SendMessageCommand({ QueueUrl: urlOf(world.otherUrl), MessageBody: 'x' })).then(
    () => 'ok',
    ({ name }: Error) => name,
  )

/** Asks until it is so: what was asked a second or more after the change must know of it. */
const becomes = async (wanted: string, ask: () => Promise<string>): Promise<void> => {
  const changedAt = performance.now()
  let askedAt: number
  let got: string
  do {
    askedAt = performance.now()
    got = await ask()
  } while (got !== wanted && askedAt - changedAt < 1_000)
  expect(got).toBe(wanted)
}

it('[SQS-19] a policy that is changed at one door counts within a second at another, which knew the one before', async () => {
  await ada.send(new CreateQueueCommand({ QueueName: queue, Attributes: { Policy: policy('Allow') } }))
  expect(await send(pat)).toBe('ok')
  await set({ Policy: policy('Deny') })
  await becomes('AccessDenied', () => send(pat))
  await set({ Policy: policy('Allow') })
  await becomes('ok', () => send(pat))

  await ada.send(new DeleteQueueCommand({ QueueUrl: urlOf(world.url) }))
  await becomes('QueueDoesNotExist', () => send(olga))
  await ada.send(new CreateQueueCommand({ QueueName: queue }))
  await becomes('ok', () => send(olga))
  await becomes('AccessDenied', () => send(pat))
})

it('[SQS-19] so does a visibility timeout, which receives have at once', async () => {
  const visibility = async () => {
    const asked = { QueueUrl: urlOf(world.otherUrl), AttributeNames: ['VisibilityTimeout' as const] }
    return (await olga.send(new GetQueueAttributesCommand(asked))).Attributes!['VisibilityTimeout']!
  }
  const attempts = async () => {
    const names = { MessageSystemAttributeNames: ['ApproximateReceiveCount' as const] }
    const command = new ReceiveMessageCommand({ QueueUrl: urlOf(world.otherUrl), ...names })
    const { Messages = [] } = await olga.send(command)
    return Messages.map((message) => message.Attributes?.ApproximateReceiveCount)
  }
  expect(await visibility()).toBe('30')
  await set({ VisibilityTimeout: '0' })
  expect([await attempts(), await attempts()]).toEqual([['1'], ['2']])
  await becomes('0', visibility)
})
