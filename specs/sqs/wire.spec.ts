import { connect } from 'node:net'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

let world: SqsWorld
beforeAll(async () => {
  world = await createSqsWorld()
  await world.client.queues.create('q', { leaseMinMs: 0 })
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const json = async (action: string, body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(world.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${action}`,
      ...headers,
    },
    body,
  })
  return { status: answer.status, query: answer.headers.get('x-amzn-query-error'), body: await answer.text() }
}
const query = async (where: string, form: string, method = 'POST') => {
  const url = method === 'GET' ? `${world.url}${where}?${form}` : `${world.url}${where}`
  const answer = await fetch(url, {
    method,
    ...(method === 'GET' ? {} : { body: new URLSearchParams(form) }),
  })
  return { status: answer.status, body: await answer.text() }
}

it('the URL of a queue has the address that was asked, or that of the proxy on this machine', async () => {
  const urlWith = async (headers: Record<string, string>): Promise<unknown> =>
    (JSON.parse((await json('GetQueueUrl', '{"QueueName":"q"}', headers)).body) as { QueueUrl: unknown })
      .QueueUrl
  expect(await urlWith({})).toBe(`${world.url}/000000000000/q`)
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'queues.example.org' }
  expect(await urlWith(proxied)).toBe('https://queues.example.org/000000000000/q')
})

it('Query takes the queue of the path, by POST and by GET, and answers an empty receive with an empty result', async () => {
  const sent = await query('/000000000000/q', 'Action=SendMessage&MessageBody=hello&Version=2012-11-05')
  expect(sent.body).toMatch(
    /^<\?xml version="1.0"\?><SendMessageResponse xmlns="[^"]+"><SendMessageResult><MessageId>[^<]+<\/MessageId><MD5OfMessageBody>5d41402abc4b2a76b9719d911017c592<\/MD5OfMessageBody><\/SendMessageResult><ResponseMetadata><RequestId>[^<]+<\/RequestId><\/ResponseMetadata><\/SendMessageResponse>$/,
  )
  const form = 'Action=ReceiveMessage&AttributeName.1=ApproximateReceiveCount&VisibilityTimeout=60'
  const got = await query('/123456789012/q', form, 'GET')
  expect(got.body).toContain('<Message><MessageId>')
  expect(got.body).toContain('<Attribute><Name>ApproximateReceiveCount</Name><Value>1</Value></Attribute>')
  expect((await query('/123456789012/q', form)).body).toContain(
    '<ReceiveMessageResult></ReceiveMessageResult>',
  )
})

it('a form is a Query request, also of a client that names a target of its own beside it', async () => {
  const answer = await fetch(world.url, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQSv20121105.GetQueueUrl' },
    body: new URLSearchParams('Action=GetQueueUrl&QueueName=q&Version=2012-11-05'),
  })
  expect(await answer.text()).toContain('<GetQueueUrlResult><QueueUrl>')
})

it.each([
  ['no JSON', 'SendMessage', '{"QueueUrl":', 400, 'MalformedInput;Sender'],
  ['a list', 'SendMessage', '[]', 400, 'MalformedInput;Sender'],
  ['a number for a text', 'SendMessage', '{"QueueUrl":"q","MessageBody":5}', 400, 'MalformedInput;Sender'],
  ['an unknown action', 'Explode', '{}', 400, 'InvalidAction;Sender'],
  ['a name of every object', 'constructor', '{}', 400, 'InvalidAction;Sender'],
  ['no queue', 'SendMessage', '{"MessageBody":"x"}', 400, 'MissingParameter;Sender'],
  [
    'a strange queue',
    'SendMessage',
    '{"QueueUrl":"http://x/0/../etc","MessageBody":"x"}',
    400,
    'AWS.SimpleQueueService.NonExistentQueue;Sender',
  ],
  [
    'a lone surrogate',
    'SendMessage',
    '{"QueueUrl":"q","MessageBody":"\\ud800"}',
    400,
    'InvalidMessageContents;Sender',
  ],
  [
    'half a second',
    'ReceiveMessage',
    '{"QueueUrl":"q","VisibilityTimeout":0.5}',
    400,
    'MalformedInput;Sender',
  ],
  [
    'a forged receipt',
    'DeleteMessage',
    '{"QueueUrl":"q","ReceiptHandle":"zzzz-9-9-9-9-9"}',
    404,
    'ReceiptHandleIsInvalid;Sender',
  ],
  [
    'a forged handle of a task',
    'CancelMessageMoveTask',
    '{"TaskHandle":"bm90IG9uZQ=="}',
    400,
    'InvalidParameterValue;Sender',
  ],
  ['a strange ARN', 'StartMessageMoveTask', '{"SourceArn":"arn:x"}', 400, 'InvalidParameterValue;Sender'],
])('%s is refused, and is no defect', async (_, action, body, status, error) => {
  const answer = await json(action, body)
  expect([answer.status, answer.query]).toEqual([status, error])
  expect(JSON.parse(answer.body)).toMatchObject({ __type: expect.any(String), message: expect.any(String) })
})

it('a queue that another door made is served, with its own bounds', async () => {
  await world.client.queues.create('native', { retriesMax: 100 })
  await world.client.queues.create('patient', { leaseMinMs: 10_000 })
  for (const queue of ['native', 'patient']) await world.client.send(queue, 'x')
  const receive = async (queue: string, visibility: number) => {
    const answer = await json('ReceiveMessage', `{"QueueUrl":"${queue}","VisibilityTimeout":${visibility}}`)
    const { Messages = [] } = JSON.parse(answer.body) as {
      readonly Messages?: readonly { ReceiptHandle: string }[]
    }
    return { ...answer, messages: Messages }
  }
  expect((await receive('native', 0)).messages).toHaveLength(1)
  await waitUntil(async () => (await world.client.queues.describe('native')).counts.available === 1)
  const [message] = (await receive('native', 60)).messages
  const change = await json(
    'ChangeMessageVisibility',
    `{"QueueUrl":"native","VisibilityTimeout":0,"ReceiptHandle":"${message!.ReceiptHandle}"}`,
  )
  expect(change.status).toBe(200)
  expect((await receive('native', 60)).messages).toHaveLength(1)
  expect(await receive('patient', 5)).toMatchObject({ status: 400, query: 'InvalidParameterValue;Sender' })
  expect((await receive('patient', 10)).messages).toHaveLength(1)
})

it('Query errors are XML, whatever they quote', async () => {
  const { status, body } = await query(
    '/000000000000/q',
    `Action=ReceiveMessage&MaxNumberOfMessages=${encodeURIComponent('<&>')}`,
  )
  expect(status).toBe(400)
  expect(body).toContain('<Code>InvalidParameterValue</Code>')
  expect(body).toContain('Value &lt;&amp;&gt; for parameter MaxNumberOfMessages')
  const control = await query('/', 'Action=CreateQueue&QueueName=%00')
  expect(control.body).toContain('Value \uFFFD for parameter QueueName is invalid. Reason: Can only include')
})

it('a body that is no UTF-8, one that is too large, and a page of another site are refused', async () => {
  const bytes = await fetch(world.url, { method: 'POST', body: Uint8Array.of(0x41, 0xff) })
  expect([bytes.status, await bytes.text()]).toEqual([400, expect.stringContaining('MalformedInput')])
  const large = await json('SendMessage', JSON.stringify({ MessageBody: 'x'.repeat(9 * 1024 * 1024) }))
  expect(large.status).toBe(413)
  const page = await json('ListQueues', '{}', { origin: 'https://elsewhere.example' })
  expect([page.status, page.query]).toEqual([403, 'AccessDenied;Sender'])
})

it('what is no HTTP gets an answer and no hang', async () => {
  const { port } = new URL(world.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('garbage\r\n\r\n')
  const [answer] = (await Array.fromAsync(socket)) as Buffer[]
  expect(answer!.toString()).toMatch(/^HTTP\/1.1 400/)
})
