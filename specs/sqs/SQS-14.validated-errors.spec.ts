import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

let world: SqsWorld
let plain: string
let fifo: string
beforeAll(async () => {
  world = await createSqsWorld()
  plain = await made('mail', { DelaySeconds: '0' })
  fifo = await made('orders.fifo', { FifoQueue: 'true' })
  await made('no-dead-letters', {})
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const inflightMax = 5

/** Has as much in flight as a queue may, which is less than it was made with, and one message more. */
const crowd = async (queue: string) => {
  const { config } = await world.client.queues.describe(queue)
  expect(config.inflightMax).toBe(120_000)
  await world.client.queues.update(queue, { inflightMax })
  await world.client.sendBatch(
    queue,
    Array.from({ length: inflightMax + 1 }, (_, i) => ({
      body: 'x',
      ...(queue.endsWith('.fifo') ? { group: `g-${i}`, dedupId: `d-${i}` } : {}),
    })),
  )
  const taken = await world.client.receive(queue, { max: 10, mode: 'simple' })
  expect(taken).toHaveLength(inflightMax)
  // The door goes by what it knew up to a second ago.
  const QueueUrl = `${world.url}/000000000000/${queue}`
  const { text } = await json('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] })
  expect(text).toContain(`"ApproximateNumberOfMessagesNotVisible":"${inflightMax}"`)
  return taken
}

type Input = Readonly<Record<string, unknown>>

const post = async (headers: Record<string, string>, body: string) => {
  const answer = await fetch(world.url, { method: 'POST', headers, body })
  return { status: answer.status, text: await answer.text(), query: answer.headers.get('x-amzn-query-error') }
}

const json = (action: string, input: Input) =>
  post(
    { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    JSON.stringify(input),
  )

const made = async (QueueName: string, Attributes: Input): Promise<string> => {
  const { text } = await json('CreateQueue', { QueueName, Attributes })
  return (JSON.parse(text) as { QueueUrl: string }).QueueUrl
}

/** Names of lists in the Query protocol. */
const listNames: Readonly<Record<string, string>> = {
  Entries: 'SendMessageBatchRequestEntry',
  Attributes: 'Attribute',
}

const flat = (input: Input, before = ''): [string, string][] =>
  Object.entries(input).flatMap(([key, value]) => {
    const list = Array.isArray(value)
      ? (value as Input[])
      : typeof value === 'object'
        ? Object.entries(value as Input).map(([Name, Value]) => ({ Name, Value }))
        : undefined
    if (list === undefined) return [[`${before}${key}`, String(value)]]
    return list.flatMap((each, i) => flat(each, `${before}${listNames[key]}.${i + 1}.`))
  })

const query = (action: string, input: Input) =>
  post(
    { 'content-type': 'application/x-www-form-urlencoded' },
    new URLSearchParams([['Action', action], ...flat(input)]).toString(),
  )

const unescaped = (xml: string): string =>
  xml.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const arn = (queue: string): string => `arn:aws:sqs:us-east-1:000000000000:${queue}`
const entries = (count: number, body = 'x') =>
  Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: body }))
const limit = 1_048_576

/** Expects an error of SQS, in its words, in both protocols. */
const expectRefusal = async (
  action: string,
  input: Input,
  status: number,
  name: string,
  code: string,
  text: string,
): Promise<void> => {
  const told = await json(action, input)
  expect(told.status).toBe(status)
  expect(told.query).toBe(`${code};Sender`)
  expect(JSON.parse(told.text)).toEqual({
    __type: expect.stringMatching(new RegExp(`#${name}$`)),
    message: text,
  })
  const xml = await query(action, input)
  expect(xml.status).toBe(status)
  expect(unescaped(xml.text)).toContain(
    `<Error><Type>Sender</Type><Code>${code}</Code><Message>${text}</Message>`,
  )
}

it.each<
  readonly [action: string, input: () => Input, status: number, name: string, code: string, text: string]
>([
  [
    'ReceiveMessage',
    () => ({ QueueUrl: plain, MaxNumberOfMessages: 11 }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.',
  ],
  [
    'ReceiveMessage',
    () => ({ QueueUrl: plain, WaitTimeSeconds: 21 }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.',
  ],
  [
    'SendMessage',
    () => ({ QueueUrl: plain, MessageBody: 'x'.repeat(limit + 1) }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
  ],
  [
    'SendMessage',
    () => ({ QueueUrl: plain }),
    400,
    'MissingRequiredParameterException',
    'MissingParameter',
    'The request must contain the parameter MessageBody.',
  ],
  [
    'SendMessage',
    () => ({ QueueUrl: fifo, MessageBody: 'x' }),
    400,
    'MissingRequiredParameterException',
    'MissingParameter',
    'The request must contain the parameter MessageGroupId.',
  ],
  [
    'SendMessage',
    () => ({ QueueUrl: fifo, MessageBody: 'x', MessageGroupId: 'g' }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
  ],
  [
    'SendMessage',
    () => ({
      QueueUrl: fifo,
      MessageBody: 'x',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
      DelaySeconds: 2,
    }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.',
  ],
  [
    'SendMessageBatch',
    () => ({ QueueUrl: plain, Entries: entries(20) }),
    400,
    'TooManyEntriesInBatchRequest',
    'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
    'Maximum number of entries per request are 10. You have sent 20.',
  ],
  [
    'SendMessageBatch',
    () => ({ QueueUrl: plain, Entries: [{ Id: 'a b', MessageBody: 'x' }] }),
    400,
    'InvalidBatchEntryId',
    'AWS.SimpleQueueService.InvalidBatchEntryId',
    'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
  ],
  [
    'SendMessageBatch',
    () => ({ QueueUrl: plain, Entries: [...entries(1, 'x'.repeat(limit)), { Id: 'b', MessageBody: 'x' }] }),
    400,
    'BatchRequestTooLong',
    'AWS.SimpleQueueService.BatchRequestTooLong',
    'Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.',
  ],
  [
    'CreateQueue',
    () => ({ QueueName: 'mail', Attributes: { DelaySeconds: '7' } }),
    400,
    'QueueNameExists',
    'QueueAlreadyExists',
    'A queue already exists with the same name and a different value for attribute DelaySeconds',
  ],
  [
    'GetQueueUrl',
    () => ({ QueueName: 'nowhere' }),
    400,
    'QueueDoesNotExist',
    'AWS.SimpleQueueService.NonExistentQueue',
    'The specified queue does not exist.',
  ],
  [
    'StartMessageMoveTask',
    () => ({ SourceArn: arn('no-dead-letters') }),
    400,
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'Source queue must be configured as a Dead Letter Queue.',
  ],
])('[SQS-14] %s is refused in the words of SQS, in both protocols', (action, input, ...refusal) =>
  expectRefusal(action, input(), ...refusal),
)

it('[SQS-14] as much in flight as may be is an error of short polls of standard queues alone, until some is deleted', async () => {
  const limited = await made('limited', {})
  const [taken] = await crowd('limited')
  const receive = async (more: Input = {}) => {
    const { status, text } = await json('ReceiveMessage', { QueueUrl: limited, ...more })
    return [status, (JSON.parse(text) as { Messages?: readonly unknown[] }).Messages?.length ?? 0]
  }
  await expectRefusal(
    'ReceiveMessage',
    { QueueUrl: limited },
    403,
    'OverLimit',
    'OverLimit',
    'Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.',
  )
  expect(await receive({ WaitTimeSeconds: 1 })).toEqual([200, 0])
  await world.client.ack(taken!.receipt)
  expect(await receive()).toEqual([200, 1])
  // The queue is empty now, and still over its limit.
  expect(await receive()).toEqual([403, 0])
  await world.client.queues.update('limited', { inflightMax: inflightMax + 1 })
  expect(await receive()).toEqual([200, 0])

  const QueueUrl = await made('limited.fifo', { FifoQueue: 'true' })
  await crowd('limited.fifo')
  expect(await json('ReceiveMessage', { QueueUrl })).toMatchObject({ status: 200, text: '{}' })
})
