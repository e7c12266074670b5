import {
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueueTagsCommand,
  type QueueAttributeName,
  SetQueueAttributesCommand,
  type SQSClient,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arn, type Attributes, createSqsWorld, type SqsWorld, refusal } from './SqsWorld.ts'

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

const set = (QueueUrl: string, Attributes: Attributes) =>
  sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))
const attributes = async (QueueUrl: string, ...AttributeNames: QueueAttributeName[]) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes
const tag = (QueueUrl: string, Tags: Record<string, string>) =>
  sqs.send(new TagQueueCommand({ QueueUrl, Tags }))
const tags = async (QueueUrl: string) => (await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags
const untag = (QueueUrl: string, ...TagKeys: string[]) =>
  sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys }))
const notes = async (queue: string) => (await world.client.queues.describe(queue)).notes
const redriveTo = (queue: string): Attributes => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(queue), maxReceiveCount: 3 }),
})

it('[SQS-17] tags come with a queue, are changed by key, and are notes to other clients', async () => {
  const url = await create('tagged', {}, { team: 'shop', 'cost center': '4711' })
  expect(await tags(url)).toEqual({ team: 'shop', 'cost center': '4711' })
  await Promise.all([tag(url, { team: 'mail' }), tag(url, { stage: '' }), tag(url, { größe: 'ä/+@' })])
  await untag(url, 'cost center', 'never there')
  const now = { team: 'mail', stage: '', größe: 'ä/+@' }
  expect(await tags(url)).toEqual(now)
  expect(await notes('tagged')).toEqual({
    'sqs.tag.team': 'mail',
    'sqs.tag.stage': '',
    'sqs.tag.größe': 'ä/+@',
  })

  await world.client.queues.update('tagged', { notes: { owner: 'ada', 'sqs.tag.team': 'native' } })
  expect(await tags(url)).toEqual({ ...now, team: 'native' })
  await untag(url, ...Object.keys(now))
  expect(await tags(url)).toBeUndefined()
  expect(await notes('tagged')).toEqual({ owner: 'ada' })
})

it('[SQS-17] the same tags go through the Query protocol', async () => {
  const ask = async (query: string) => {
    const answer = await fetch(`${world.url}/000000000000/queried`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: query,
    })
    return [answer.status, await answer.text()]
  }
  const made = await fetch(
    `${world.url}/?Action=CreateQueue&QueueName=queried&Tag.1.Key=team&Tag.1.Value=a%2Bb`,
  )
  expect([made.status, await made.text()]).toEqual([200, expect.stringContaining('/queried')])
  expect(await ask('Action=TagQueue&Tag.1.Key=x&Tag.1.Value=1&Tag.2.Key=y&Tag.2.Value=2')).toEqual([
    200,
    expect.stringContaining('TagQueueResponse'),
  ])
  expect(await ask('Action=UntagQueue&TagKey.1=x')).toEqual([
    200,
    expect.stringContaining('UntagQueueResponse'),
  ])
  expect(await ask('Action=ListQueueTags')).toEqual([
    200,
    expect.stringMatching(
      /<Tag><Key>team<\/Key><Value>a\+b<\/Value><\/Tag><Tag><Key>y<\/Key><Value>2<\/Value><\/Tag>/,
    ),
  ])
})

it('[SQS-17] a queue has up to 50 tags, of keys and values as long as AWS lets them be', async () => {
  const url = await create('limited')
  const many = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`k${i}`.padEnd(128, 'x'), 'v'.repeat(256)]),
  )
  await tag(url, many)
  expect(await tags(url)).toEqual(many)
  expect(await refusal(tag(url, { one: 'more' }))).toBe(
    'InvalidParameterValue: Too many tags added for queue limited.',
  )
  await tag(url, { [Object.keys(many)[0]!]: 'changed' })

  const refused = async (Tags: Record<string, string>) => [
    (await refusal(tag(url, Tags)))?.split(':')[0],
    (await refusal(create('never', {}, Tags)))?.split(':')[0],
  ]
  const wrong = ['InvalidParameterValue', 'InvalidParameterValue']
  for (const bad of [
    { '': 'x' },
    { ['k'.repeat(129)]: 'x' },
    { k: 'v'.repeat(257) },
    { 'aws:k': 'x' },
    { 'k<': 'x' },
    { k: '\u0000' },
  ])
    expect(await refused(bad)).toEqual(wrong)
  expect(await refusal(tag(url, {}))).toBe('MissingParameter: The request must contain the parameter Tags.')
  expect(await refusal(untag(url))).toBe('MissingParameter: The request must contain the parameter TagKeys.')
  expect(await refusal(tag(`${world.url}/000000000000/never`, { k: 'v' }))).toMatch(/^QueueDoesNotExist/)
})

it('[SQS-17] a queue that is there already is the same only with the tags that are named', async () => {
  const url = await create('again', { VisibilityTimeout: '5' }, { team: 'shop', stage: 'test' })
  expect(await create('again', { VisibilityTimeout: '5' }, { team: 'shop' })).toBe(url)
  expect(await create('again')).toBe(url)
  expect(await refusal(create('again', {}, { team: 'mail' }))).toBe(
    'QueueNameExists: A queue already exists with the same name and a different value for tag team',
  )
  expect(await tags(url)).toEqual({ team: 'shop', stage: 'test' })
})

it('[SQS-17] a redrive allow policy says which queues may name a queue as their dead-letter queue', async () => {
  const byQueue = JSON.stringify({
    redrivePermission: 'byQueue',
    sourceQueueArns: [arn('orders'), arn('mails')],
  })
  const dead = await create('dead', { RedriveAllowPolicy: byQueue })
  expect(await attributes(dead, 'RedriveAllowPolicy')).toEqual({ RedriveAllowPolicy: byQueue })
  // Written in other words it is the same policy.
  const reordered = JSON.stringify({
    sourceQueueArns: [arn('orders'), arn('mails')],
    redrivePermission: 'byQueue',
  })
  expect(await create('dead', { RedriveAllowPolicy: reordered })).toBe(dead)

  const orders = await create('orders', redriveTo('dead'))
  const others = await create('others')
  const denied = expect.stringMatching(/^InvalidParameterValue: .*does not allow this source queue/)
  expect(await refusal(create('third', redriveTo('dead')))).toEqual(denied)
  expect(await refusal(set(others, redriveTo('dead')))).toEqual(denied)
  const sources = async () =>
    (await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }))).queueUrls
  expect(await sources()).toEqual([orders])

  // A changed policy counts at once, and takes nothing from those that name the queue already.
  await set(dead, { RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' })
  expect(await refusal(create('mails', redriveTo('dead')))).toEqual(denied)
  expect(await sources()).toEqual([orders])
  await set(dead, { RedriveAllowPolicy: '{"redrivePermission":"allowAll"}' })
  await set(others, redriveTo('dead'))
  await set(dead, { RedriveAllowPolicy: '' })
  expect(await attributes(dead, 'All')).not.toHaveProperty('RedriveAllowPolicy')
  const mails = await create('mails', redriveTo('dead'))
  expect(await sources()).toEqual([mails, orders, others])
})

it.each([
  'x',
  'null',
  '{}',
  '{"redrivePermission":"some"}',
  '{"redrivePermission":"byQueue"}',
  '{"redrivePermission":"byQueue","sourceQueueArns":["orders"]}',
  JSON.stringify({
    redrivePermission: 'byQueue',
    sourceQueueArns: Array.from({ length: 11 }, (_, i) => arn(`q${i}`)),
  }),
  JSON.stringify({ redrivePermission: 'denyAll', sourceQueueArns: [arn('orders')] }),
])('[SQS-17] the redrive allow policy %s is refused', async (RedriveAllowPolicy) => {
  expect(await refusal(create('malformed', { RedriveAllowPolicy }))).toMatch(
    /^InvalidParameterValue: Value .* for parameter RedriveAllowPolicy is invalid/,
  )
})

it('[SQS-17] attributes of encryption are kept and returned, one kind of it at a time', async () => {
  const url = await create('sealed', { KmsMasterKeyId: 'alias/aws/sqs' })
  const names = ['KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled'] as const
  const sealed = { KmsMasterKeyId: 'alias/aws/sqs', SqsManagedSseEnabled: 'false' }
  expect(await attributes(url, ...names)).toEqual({ ...sealed, KmsDataKeyReusePeriodSeconds: '300' })
  await set(url, { KmsDataKeyReusePeriodSeconds: '600' })
  expect(await attributes(url, ...names)).toEqual({ ...sealed, KmsDataKeyReusePeriodSeconds: '600' })
  await set(url, { SqsManagedSseEnabled: 'TRUE' })
  expect(await attributes(url, ...names)).toEqual({ SqsManagedSseEnabled: 'true' })
  await set(url, { KmsMasterKeyId: 'mine' })
  expect(await attributes(url, ...names)).toMatchObject({
    KmsMasterKeyId: 'mine',
    SqsManagedSseEnabled: 'false',
  })
  await set(url, { KmsMasterKeyId: '' })
  expect(await attributes(url, ...names)).toEqual({ SqsManagedSseEnabled: 'false' })

  for (const bad of [
    { KmsMasterKeyId: 'mine', SqsManagedSseEnabled: 'true' },
    { KmsMasterKeyId: 'm<' },
    { KmsDataKeyReusePeriodSeconds: '59' },
    { SqsManagedSseEnabled: 'yes' },
  ])
    expect(await refusal(set(url, bad))).toMatch(/^InvalidAttributeValue/)
})

it('[SQS-17] a queue says when it was created and last changed', async () => {
  const seconds = () => Math.floor(Date.now() / 1_000)
  const before = seconds()
  const url = await create('timed')
  const { CreatedTimestamp, LastModifiedTimestamp } = (await attributes(url, 'All'))!
  expect(LastModifiedTimestamp).toBe(CreatedTimestamp)
  expect(Number(CreatedTimestamp)).toBeGreaterThanOrEqual(before)
  expect(Number(CreatedTimestamp)).toBeLessThanOrEqual(seconds())
  await waitUntil(() => seconds() > Number(CreatedTimestamp))
  await set(url, { VisibilityTimeout: '7' })
  const { createdAt, configuredAt } = await world.client.queues.describe('timed')
  expect(configuredAt).toBeGreaterThan(createdAt!)
  expect(await attributes(url, 'CreatedTimestamp', 'LastModifiedTimestamp')).toEqual({
    CreatedTimestamp,
    LastModifiedTimestamp: String(Math.floor(configuredAt! / 1_000)),
  })
})
