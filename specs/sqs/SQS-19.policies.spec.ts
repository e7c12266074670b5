import {
  AddPermissionCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  RemovePermissionCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

const secret = 'a-secret-of-some-length'
const partner = '111122223333'
const stranger = '444455556666'
const keys = `
ada:admin:ADMIN1:${secret}
olga:operator:OPER1:${secret}:000000000000
pat:operator:PART1:${secret}:${partner}
vic:viewer:PART2:${secret}:${partner}
sam:admin:STRA1:${secret}:${stranger}
`

let world: SqsWorld
const clients: SQSClient[] = []
const client = (accessKeyId: string): SQSClient => {
  const made = new SQSClient({
    endpoint: world.url,
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey: secret },
    maxAttempts: 1,
  })
  clients.push(made)
  return made
}
let ada: SQSClient
let olga: SQSClient
let pat: SQSClient
let vic: SQSClient
let sam: SQSClient
beforeAll(async () => {
  world = await createSqsWorld(keys)
  ;[ada, olga, pat, vic, sam] = ['ADMIN1', 'OPER1', 'PART1', 'PART2', 'STRA1'].map(client) as [
    SQSClient,
    SQSClient,
    SQSClient,
    SQSClient,
    SQSClient,
  ]
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  for (const each of clients) each.destroy()
  await world[Symbol.asyncDispose]()
})

const arn = (queue: string): string => `arn:aws:sqs:eu-central-1:000000000000:${queue}`
const url = (queue: string): string => `${world.url}/000000000000/${queue}`

type Statement = Readonly<Record<string, unknown>>
const policy = (...statements: readonly Statement[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: statements })
const allow = (more: Statement): Statement => ({
  Effect: 'Allow',
  Principal: '*',
  Action: 'SQS:*',
  Resource: '*',
  ...more,
})
const deny = (more: Statement): Statement => ({ ...allow(more), Effect: 'Deny' })

const create = async (QueueName: string, Policy?: string): Promise<string> => {
  await ada.send(new CreateQueueCommand({ QueueName, Attributes: Policy === undefined ? {} : { Policy } }))
  return url(QueueName)
}
const setPolicy = (QueueUrl: string, Policy: string) =>
  ada.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
const policyOf = async (QueueUrl: string) =>
  (await ada.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }))).Attributes?.[
    'Policy'
  ]
/** ok, or the name of the error. */
const outcome = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'ok',
    ({ name }: Error) => name,
  )
const told = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'ok',
    ({ name, message }: Error) => `${name}: ${message}`,
  )
const send = (by: SQSClient, QueueUrl: string) =>
  outcome(by.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })))
const receive = (by: SQSClient, QueueUrl: string) => outcome(by.send(new ReceiveMessageCommand({ QueueUrl })))
/** By nobody: status and error of a request without a signature. */
const unsigned = async (QueueUrl: string, action: string, more = ''): Promise<string> => {
  const answer = await fetch(`${QueueUrl}?Action=${action}${more}`)
  return answer.ok ? 'ok' : (/<Code>(.*?)<\/Code>/.exec(await answer.text())?.[1] ?? String(answer.status))
}

it('[SQS-19] a caller of another account does what a policy allows it, and no more than its role', async () => {
  const orders = await create('orders')
  expect([await send(pat, orders), await send(sam, orders)]).toEqual(['AccessDenied', 'AccessDenied'])

  await setPolicy(
    orders,
    policy(
      allow({ Principal: { AWS: `arn:aws:iam::${partner}:root` }, Action: ['sqs:SendMessage', 'sqs:Get*'] }),
    ),
  )
  expect(await send(pat, orders)).toBe('ok')
  // A batch is what it is made of.
  const batch = new SendMessageBatchCommand({ QueueUrl: orders, Entries: [{ Id: 'a', MessageBody: 'x' }] })
  expect(await outcome(pat.send(batch))).toBe('ok')
  expect(await outcome(pat.send(new GetQueueUrlCommand({ QueueName: 'orders' })))).toBe('ok')
  expect(await receive(pat, orders)).toBe('AccessDenied')
  expect(await send(sam, orders)).toBe('AccessDenied')
  // What a viewer may not do anywhere, no policy lets it do.
  expect(await send(vic, orders)).toBe('AccessDenied')
  // The door's own account goes by its roles.
  expect([await send(olga, orders), await receive(olga, orders)]).toEqual(['ok', 'ok'])
})

it('[SQS-19] some acts are the owner’s alone, whatever a policy says, and other queues are not to be found', async () => {
  const shared = await create('shared', policy(allow({})))
  await create('dead')
  expect([await send(sam, shared), await receive(sam, shared)]).toEqual(['ok', 'ok'])
  for (const command of [
    new ListQueuesCommand({}),
    new DeleteQueueCommand({ QueueUrl: shared }),
    new SetQueueAttributesCommand({ QueueUrl: shared, Attributes: { DelaySeconds: '1' } }),
    new AddPermissionCommand({
      QueueUrl: shared,
      Label: 'own',
      AWSAccountIds: [stranger],
      Actions: ['SendMessage'],
    }),
    new CreateQueueCommand({ QueueName: 'another' }),
    new StartMessageMoveTaskCommand({ SourceArn: arn('shared') }),
  ])
    expect(await outcome(sam.send(command as ListQueuesCommand))).toBe('AccessDenied')
  const ask = (QueueName: string) => told(sam.send(new GetQueueUrlCommand({ QueueName })))
  expect((await ask('dead')).replace('dead', 'NAME')).toEqual(
    (await ask('nowhere')).replace('nowhere', 'NAME'),
  )
})

it('[SQS-19] without a signature only what everyone is allowed is done, and nothing is told', async () => {
  const inbox = await create('inbox', policy(allow({ Action: 'SQS:SendMessage', Resource: arn('inbox') })))
  const closed = await create('closed', policy(allow({ Principal: { AWS: [stranger, partner] } })))
  const body = '&MessageBody=x'
  expect(await unsigned(inbox, 'SendMessage', body)).toBe('ok')
  for (const refused of [
    unsigned(inbox, 'ReceiveMessage'),
    unsigned(closed, 'SendMessage', body),
    unsigned(url('nowhere'), 'SendMessage', body),
    unsigned(inbox, 'ListQueues'),
    unsigned(inbox, 'DeleteQueue'),
  ])
    expect(await refused).toBe('MissingAuthenticationToken')
  expect(await send(sam, closed)).toBe('ok')
  // A signature that is wrong does not count as none.
  const wrong = new SQSClient({
    endpoint: world.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'STRA1', secretAccessKey: 'another-secret-of-length' },
    maxAttempts: 1,
  })
  clients.push(wrong)
  expect(await send(wrong, inbox)).toBe('SignatureDoesNotMatch')
})

it('[SQS-19] a denial goes before all that is allowed, also for the door’s own account', async () => {
  const vault = await create('vault', policy(allow({}), deny({ Action: 'sqs:ReceiveMessage' })))
  expect(await Promise.all([olga, pat, sam].map((by) => send(by, vault)))).toEqual(['ok', 'ok', 'ok'])
  expect(await Promise.all([ada, olga, pat, sam].map((by) => receive(by, vault)))).toEqual(
    Array.from({ length: 4 }, () => 'AccessDenied'),
  )
  await setPolicy(vault, policy(deny({ Principal: { AWS: 'arn:aws:iam::000000000000:user/olga' } })))
  expect([await send(olga, vault), await send(ada, vault)]).toEqual(['AccessDenied', 'ok'])
  await setPolicy(
    vault,
    policy(deny({ NotAction: ['sqs:SendMessage', 'sqs:*Attributes'], Action: undefined })),
  )
  expect([await send(ada, vault), await receive(ada, vault)]).toEqual(['ok', 'AccessDenied'])
  // Messages are not moved to where they may not be sent.
  await create('vault-source')
  await ada.send(
    new CreateQueueCommand({
      QueueName: 'vault-user',
      Attributes: {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn('vault-source'), maxReceiveCount: 1 }),
      },
    }),
  )
  await setPolicy(vault, policy(deny({ Action: 'sqs:SendMessage' })))
  const move = new StartMessageMoveTaskCommand({
    SourceArn: arn('vault-source'),
    DestinationArn: arn('vault'),
  })
  expect(await outcome(olga.send(move))).toBe('AccessDenied')
  // An act of an admin on another door takes a policy away that denies all.
  await setPolicy(vault, policy(deny({})))
  expect(await outcome(setPolicy(vault, ''))).toBe('AccessDenied')
  await world.client.queues.update('vault', { notes: { 'sqs.Policy': null } })
  await waitUntil(async () => (await receive(olga, vault)) === 'ok')
})

it.each<readonly [name: string, condition: unknown, allowed: boolean, denied: boolean]>([
  ['an address of the network', { IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } }, true, true],
  ['an address of another network', { IpAddress: { 'AWS:sourceip': ['10.0.0.0/8', '::/0'] } }, false, false],
  ['none of these addresses', { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, true, true],
  ['a network that is none', { IpAddress: { 'aws:SourceIp': '127.0.0.0/x' } }, false, true],
  ['a transport that is secure', { Bool: { 'aws:SecureTransport': 'true' } }, true, true],
  ['a transport that is not', { Bool: { 'aws:SecureTransport': false } }, false, false],
  ['the account', { StringEquals: { 'aws:PrincipalAccount': [partner, '1'] } }, true, true],
  ['another account', { StringNotEquals: { 'aws:PrincipalAccount': partner } }, false, false],
  ['a name', { StringLike: { 'aws:username': 'p?t*' } }, true, true],
  ['an ARN', { ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${partner}:user/*` } }, true, true],
  ['an ARN that reaches too far', { ArnLike: { 'aws:PrincipalArn': 'arn:aws:*:user/pat' } }, false, false],
  ['a time to come', { DateLessThan: { 'aws:CurrentTime': '2100-01-01T00:00:00Z' } }, true, true],
  ['a time that is past', { DateLessThan: { 'aws:CurrentTime': '2000-01-01T00:00:00Z' } }, false, false],
  ['seconds', { NumericGreaterThan: { 'aws:EpochTime': '1000' } }, true, true],
  ['what no request has', { StringEquals: { 'aws:SourceVpce': 'vpce-1' } }, false, false],
  ['what no request has, if it has it', { StringEqualsIfExists: { 'aws:SourceVpce': 'v' } }, true, true],
  ['none of what no request has', { ArnNotEquals: { 'aws:SourceArn': 'arn:a:b:c:d:e' } }, true, true],
  ['that something is not there', { Null: { 'aws:SourceArn': 'true' } }, true, true],
  ['a key that is not known', { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } }, false, true],
  ['a key that is not known, negated', { StringNotEquals: { 'my:Key': 'x' } }, false, true],
  ['an operator that is not known', { 'ForAnyValue:StringLike': { 'aws:username': '*' } }, false, true],
  ['a variable', { StringLike: { 'aws:username': '${aws:username}' } }, false, true],
  [
    'two of which one is not known and one does not hold',
    { StringEquals: { 'my:Key': 'x', 'aws:username': 'y' } },
    false,
    false,
  ],
])('[SQS-19] a statement with %s', async (_, Condition, allowed, denied) => {
  const queue = await create('conditions')
  const verdict = (holds: boolean) => (holds ? 'ok' : 'AccessDenied')
  await setPolicy(queue, policy(allow({ Condition })))
  expect(await send(pat, queue)).toBe(verdict(allowed))
  await setPolicy(queue, policy(allow({}), deny({ Condition, Action: 'sqs:SendMessage' })))
  expect(await send(pat, queue)).toBe(verdict(!denied))
})

it('[SQS-19] a statement is about its queues in every region, and about no others', async () => {
  const [one, other] = [await create('places-one'), await create('places-two')]
  const about = async (Resource: string | undefined, more: Statement = {}) => {
    for (const queue of [one, other]) await setPolicy(queue, policy(allow({ Resource, ...more })))
    return [await send(pat, one), await send(pat, other)]
  }
  expect(await about('arn:aws:sqs:us-west-2:000000000000:places-one')).toEqual(['ok', 'AccessDenied'])
  expect(await about('arn:aws:sqs:*:*:places-*')).toEqual(['ok', 'ok'])
  expect(await about(`arn:aws:sqs:*:${partner}:places-*`)).toEqual(['AccessDenied', 'AccessDenied'])
  expect(await about(undefined, { NotResource: arn('places-one') })).toEqual(['AccessDenied', 'ok'])
})

const own = { Effect: 'Allow', Principal: '*', Action: 'sqs:*', Resource: '*' }
it.each<readonly [what: string, text: string]>([
  ['no JSON', 'x'],
  ['no object', '[]'],
  ['no statement', '{"Statement":[]}'],
  ['another version', JSON.stringify({ Version: '2020-01-01', Statement: own })],
  ['another member', JSON.stringify({ Statement: own, Extra: 1 })],
  ['a statement with another member', policy({ ...own, NotPrincipal: '*' })],
  ['another effect', policy({ ...own, Effect: 'allow' })],
  ['no principal', policy({ ...own, Principal: undefined })],
  ['a principal that is none', policy({ ...own, Principal: { AWS: 'ada' } })],
  ['an action of another service', policy({ ...own, Action: 's3:GetObject' })],
  ['no action', policy({ ...own, Action: [] })],
  ['actions twice', policy({ ...own, NotAction: 'sqs:*' })],
  ['a resource of another service', policy({ ...own, Resource: 'arn:aws:s3:::bucket' })],
  ['a condition that is none', policy({ ...own, Condition: { Bool: 'true' } })],
  ['one Sid twice', policy({ ...own, Sid: 'a' }, { ...own, Sid: 'a' })],
  ['too many bytes', policy({ ...own, Sid: 'x'.repeat(8_192) })],
])('[SQS-19] a policy with %s is refused', async (_, Policy) => {
  const refused = new RegExp('^InvalidAttributeValue: Invalid value for the parameter Policy\\. Reason: ')
  expect(
    await told(ada.send(new CreateQueueCommand({ QueueName: 'malformed', Attributes: { Policy } }))),
  ).toMatch(refused)
})

it('[SQS-19] permissions are added to a policy and removed by their labels', async () => {
  const queue = await create('permitted')
  const add = (Label: string, Actions = ['SendMessage'], AWSAccountIds = [partner]) =>
    told(ada.send(new AddPermissionCommand({ QueueUrl: queue, Label, Actions, AWSAccountIds })))
  const remove = (Label: string) => told(ada.send(new RemovePermissionCommand({ QueueUrl: queue, Label })))
  expect(await add('one')).toBe('ok')
  expect(JSON.parse((await policyOf(queue))!)).toEqual({
    Version: '2008-10-17',
    Id: `${arn('permitted')}/SQSDefaultPolicy`,
    Statement: [
      {
        Sid: 'one',
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${partner}:root` },
        Action: 'SQS:SendMessage',
        Resource: arn('permitted'),
      },
    ],
  })
  expect([await send(pat, queue), await receive(pat, queue), await send(sam, queue)]).toEqual([
    'ok',
    'AccessDenied',
    'AccessDenied',
  ])
  // Several at once are all there.
  await Promise.all(['two', 'three'].map((label) => add(label, ['*'], [stranger])))
  expect(await receive(sam, queue)).toBe('ok')

  const value = 'InvalidParameterValue: Value'
  expect(await add('one')).toBe(`${value} one for parameter Label is invalid. Reason: Already exists.`)
  expect(await remove('none')).toBe(`${value} none for parameter Label is invalid. Reason: can't find label.`)
  expect(await add('x', ['DeleteQueue'])).toBe(
    `${value} SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.`,
  )
  expect(await add('x', ['SendMessage'], ['42'])).toBe(
    `${value} [42] for parameter PrincipalId is invalid. Reason: Unable to verify.`,
  )
  expect(
    await add(
      'x',
      Array.from({ length: 8 }, () => 'SendMessage'),
    ),
  ).toBe('OverLimit: 8 Actions were found, maximum allowed is 7.')
  expect(await add('a b')).toContain(`${value} a b for parameter Label is invalid.`)
  expect(await add('x', [])).toBe('MissingParameter: The request must contain the parameter Actions.')
  for (let n = 4; n <= 20; n++) expect(await add(`n${n}`)).toBe('ok')
  expect(await add('n21')).toBe('OverLimit: A policy can have 20 statements.')
  const statements = Array.from({ length: 21 }, () => own)
  expect(await told(setPolicy(queue, policy(...statements)))).toMatch(/^OverLimit: /)

  for (let n = 4; n <= 20; n++) await remove(`n${n}`)
  for (const label of ['two', 'three', 'one']) expect(await remove(label)).toBe('ok')
  expect(await policyOf(queue)).toBeUndefined()
  expect(await send(pat, queue)).toBe('AccessDenied')
})

it('[SQS-19] a queue that is there already is the same only with the policy that is named', async () => {
  const one = policy(allow({ Action: 'sqs:SendMessage' }))
  await create('again', one)
  const spaced = JSON.stringify(JSON.parse(one), undefined, 2)
  await create('again', spaced)
  expect(await outcome(create('again', policy(allow({}))))).toBe('QueueNameExists')
  expect(await policyOf(url('again'))).toBe(one)
})

it('[SQS-19] a receipt works only on the queue that its caller was let name', async () => {
  const [mine, other] = [await create('receipts', policy(allow({}))), await create('receipts-other')]
  await create('receipts-spread')
  await world.client.queues.spread('receipts-spread', 2)
  await setPolicy(url('receipts-spread'), policy(allow({})))
  await send(ada, other)
  const { Messages = [] } = await ada.send(new ReceiveMessageCommand({ QueueUrl: other }))
  const { ReceiptHandle } = Messages[0]!
  for (const QueueUrl of [mine, url('receipts-spread')]) {
    expect(await outcome(pat.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })))).toBe(
      'ReceiptHandleIsInvalid',
    )
    const change = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })
    expect(await outcome(pat.send(change))).toBe('ReceiptHandleIsInvalid')
  }
  expect(await outcome(pat.send(new DeleteMessageCommand({ QueueUrl: other, ReceiptHandle })))).toBe(
    'AccessDenied',
  )
  // What a part of a spread queue handed out is taken back.
  await send(pat, url('receipts-spread'))
  const got = await pat.send(
    new ReceiveMessageCommand({ QueueUrl: url('receipts-spread'), WaitTimeSeconds: 5 }),
  )
  const settle = new DeleteMessageCommand({
    QueueUrl: url('receipts-spread'),
    ReceiptHandle: got.Messages![0]!.ReceiptHandle,
  })
  expect(await outcome(pat.send(settle))).toBe('ok')
})

it('[SQS-19] a policy that cannot be read denies everything', async () => {
  const queue = await create('unreadable')
  await world.client.queues.update('unreadable', { notes: { 'sqs.Policy': '{' } })
  await waitUntil(async () => (await send(ada, queue)) === 'AccessDenied')
})
