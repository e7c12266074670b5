import { createHash } from 'node:crypto'
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { parseKeys } from '@kiroku/gateway-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

const secret = 'a-secret-of-some-length'
const keys = `
# who         role                       key id     secret
ada:admin:ADMIN1:${secret}
olga:operator@orders-*:OPER1:${secret}
vic:viewer:VIEW1:${secret}
`

let world: SqsWorld
beforeAll(async () => {
  world = await createSqsWorld(keys)
  for (const name of ['orders-eu', 'mail'])
    await as('ADMIN1').send(new CreateQueueCommand({ QueueName: name }))
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const as = (accessKeyId: string, secretAccessKey = secret, more: object = {}): SQSClient =>
  new SQSClient({
    endpoint: world.url,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    ...more,
  })
const url = (queue: string): string => `${world.url}/000000000000/${queue}`
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: { name: string; $metadata: { httpStatusCode: number } }) => [
      error.name,
      error.$metadata.httpStatusCode,
    ],
  )

describe('signatures decide who may', () => {
  it('[SQS-19] the URL of a queue names the account of the door, at whatever host', async () => {
    const send = (QueueUrl: string) =>
      refusal(as('ADMIN1').send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })))
    expect(await send('https://sqs.eu-central-1.amazonaws.com/000000000000/mail')).toBeUndefined()
    expect(await send(`${world.url}/111122223333/mail`)).toEqual(['QueueDoesNotExist', 400])
  })

  it('[SQS-19] each key does what its role on a queue includes, and its name is on record', async () => {
    const send = (client: SQSClient, queue: string) =>
      client.send(new SendMessageCommand({ QueueUrl: url(queue), MessageBody: 'x' }))
    await send(as('OPER1'), 'orders-eu')
    expect(await refusal(send(as('OPER1'), 'mail'))).toEqual(['AccessDenied', 403])
    expect(await refusal(send(as('VIEW1'), 'mail'))).toEqual(['AccessDenied', 403])
    expect(await refusal(as('OPER1').send(new DeleteQueueCommand({ QueueUrl: url('orders-eu') })))).toEqual([
      'AccessDenied',
      403,
    ])
    expect((await as('VIEW1').send(new GetQueueUrlCommand({ QueueName: 'mail' }))).QueueUrl).toBe(url('mail'))
    const { Messages } = await as('OPER1').send(new ReceiveMessageCommand({ QueueUrl: url('orders-eu') }))
    expect(Messages).toHaveLength(1)
  })

  it('[SQS-19] a key that has a role on some queues hears of no others, whether they are there or not', async () => {
    expect((await as('OPER1').send(new ListQueuesCommand({}))).QueueUrls).toEqual([url('orders-eu')])
    const ask = (QueueName: string) => refusal(as('OPER1').send(new GetQueueUrlCommand({ QueueName })))
    expect(await ask('mail')).toEqual(await ask('no-such-queue'))
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:mail',
      maxReceiveCount: 1,
    })
    const admin = await createSqsWorld(`olga:admin@orders-*:OPER1:${secret}\nada:admin:ADMIN1:${secret}`)
    try {
      const own = as('OPER1', secret, { endpoint: admin.url })
      await as('ADMIN1', secret, { endpoint: admin.url }).send(new CreateQueueCommand({ QueueName: 'mail' }))
      const create = new CreateQueueCommand({ QueueName: 'orders-us', Attributes: { RedrivePolicy } })
      expect(await refusal(own.send(create))).toEqual(['AccessDenied', 403])
    } finally {
      await admin[Symbol.asyncDispose]()
    }
  })

  it('[SQS-19] a wrong secret and a key that is not known are refused alike, and so is a clock that is wrong', async () => {
    const list = new ListQueuesCommand({})
    const refused = ['SignatureDoesNotMatch', 403]
    const names = (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        (error: { Error?: { Code?: string }; $metadata: { httpStatusCode: number } }) => [
          error.Error?.Code,
          error.$metadata.httpStatusCode,
        ],
      )
    expect(await names(as('ADMIN1', 'another-secret-of-length').send(list))).toEqual(refused)
    expect(await names(as('NOBODY').send(list))).toEqual(refused)
    const late = as('ADMIN1', secret, { systemClockOffset: -16 * 60_000 })
    late.middlewareStack.add(
      (next) => (args) => {
        late.config.systemClockOffset = -16 * 60_000
        return next(args)
      },
      { step: 'initialize' },
    )
    expect(await names(late.send(list))).toEqual(refused)
  })

  it.each([
    [
      'the action',
      (headers: Record<string, string>) => ({ ...headers, 'x-amz-target': 'AmazonSQS.PurgeQueue' }),
      undefined,
    ],
    ['the body', (headers: Record<string, string>) => headers, '{"QueueUrl":"mail","MessageBody":"other"}'],
    ['no signature at all', () => ({ 'x-amz-target': 'AmazonSQS.ListQueues' }), undefined],
    [
      'a header that counts and was not signed',
      (headers: Record<string, string>) => ({
        ...headers,
        authorization: headers['authorization']!.replace('x-amz-target', 'content-type'),
      }),
      undefined,
    ],
  ] as const)('[SQS-19] a request that was signed is not taken with %s changed', async (_, change, body) => {
    let signed: { headers: Record<string, string>; body: string } | undefined
    const client = as('ADMIN1')
    client.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { headers: Record<string, string>; body: string }
        signed = { headers: { ...request.headers }, body: request.body }
        return next(args)
      },
      { step: 'finalizeRequest', priority: 'low' },
    )
    await client.send(new SendMessageCommand({ QueueUrl: url('mail'), MessageBody: 'x' }))
    const { headers, body: sent } = signed!
    const again = (with_: Record<string, string>, text: string) =>
      fetch(world.url, {
        method: 'POST',
        headers: Object.fromEntries(
          Object.entries(with_).filter(([name]) => name !== 'host' && name !== 'content-length'),
        ),
        body: text,
      })
    // As it was sent it is taken: within its minutes a signature holds.
    expect((await again(headers, sent)).status).toBe(200)
    const answer = await again(change(headers), body ?? sent)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('x-amzn-query-error')).toMatch(
      /^(SignatureDoesNotMatch|MissingAuthenticationToken|IncompleteSignature);Sender$/,
    )
  })

  it('[SQS-19] keys are read strictly, and no secret is told', () => {
    const hidden = createHash('sha256').update('x').digest('hex')
    for (const text of [
      '',
      `ada:admin:K:${hidden}\nolga:viewer:K:${hidden}`,
      'ada:king:K:' + hidden,
      'ada:admin:K:short',
    ])
      expect(() => parseKeys(text)).toThrow(expect.objectContaining({ id: 'InvalidConfig' }))
    expect(() => parseKeys(`ada:admin:K K:${hidden}`)).toThrow(expect.not.stringContaining(hidden))
    const account = '111122223333'
    expect(parseKeys(`pat:viewer:K:${hidden}:${account}`)[0]).toMatchObject({ secret: hidden, account })
    const own = parseKeys(`pat:viewer:K:${hidden}:11112222333`)[0]
    expect(own).toEqual(expect.objectContaining({ secret: `${hidden}:11112222333` }))
    expect(own).not.toHaveProperty('account')
  })
})
