import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import {
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { bodyRows } from '@kiroku/doors'
import { isKirokuError, messageUuid, parseMessageId } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { runWorker, type Message, type QueueBinding, type WorkerModule } from '@kiroku/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine } from '../security/CommandLine.ts'
import { receiveByQuery, type QueryMessage } from './queryMessages.ts'

type Row = keyof typeof bodyRows

/** Something that one of the doors was given. */
interface Sent {
  readonly by: string
  readonly row: Row
  readonly bytes: Uint8Array
  /** What it means to those who are told a value. */
  readonly value?: unknown
  readonly attributes?: Readonly<Record<string, string>>
  readonly attributeTypes?: Readonly<Record<string, string>>
}

const text = 'Grüße, 世界 🌍 & <b> "x"\r\n\t]]>'
const marked = '\uFEFFbegins with a byte order mark'
const controls = 'a\u0000b\u001B[0m\uFFFE'
const value = { n: [1, 'ä'], deep: { none: null } }
const bytes = Uint8Array.of(0, 1, 255, 0xc3)
/** Not the JSON that its type promises: an error to a Worker that asks for its value, and text to others. */
const broken = '{oops'
const attributes = { plain: 'ä', size: '17', seal: 'AP8H' }
const attributeTypes = { size: 'Number', seal: 'Binary.png' }
const when = { when: new Date(0), seen: new Set([1]) }

const typed = {
  plain: { DataType: 'String', StringValue: 'ä' },
  size: { DataType: 'Number', StringValue: '17' },
  seal: { DataType: 'Binary.png', BinaryValue: Uint8Array.of(0, 255, 7) },
}

const of = (by: string, row: Row, body: string | Uint8Array, means?: unknown): Sent => ({
  by,
  row,
  bytes: typeof body === 'string' ? Buffer.from(body) : body,
  value: means,
})

/** Through the doors that a program of `kiroku up` finds. */
let client: Client
let sqs: SQSClient
let queueUrl: string
const sent: Sent[] = []

/** What came out, in the order in which it was sent. */
interface Received {
  readonly ids: readonly string[]
  readonly client: readonly Uint8Array[]
  readonly texts: readonly string[]
  readonly http: readonly HttpMessage[]
  readonly command: readonly HttpMessage[]
  readonly worker: readonly { readonly id: string; readonly body: unknown }[]
  readonly json: ReadonlyMap<string, JsonMessage>
  readonly query: ReadonlyMap<string, QueryMessage>
}
interface HttpMessage {
  readonly id: string
  readonly body?: unknown
  readonly bodyBase64?: string
  readonly attributes: Readonly<Record<string, string>>
  readonly attributeTypes?: Readonly<Record<string, string>>
}
type JsonMessage = NonNullable<ReceiveMessageCommandOutput['Messages']>[number]
let received: Received

const queue = 'between'
const subscriptions = ['client', 'http', 'command', 'worker']

const building = new AsyncDisposableStack()
beforeAll(async () => {
  const cli = building.use(await CommandLine.open())
  const { api, nats, sqs: endpoint } = await cli.engine(['up', '--sqs', '127.0.0.1:0'])
  client = await connect({ servers: nats })
  building.defer(() => client.close())
  sqs = new SQSClient({
    endpoint: endpoint!,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  })
  building.defer(() => sqs.destroy())
  queueUrl = `${endpoint}/000000000000/${queue}`
  await client.queues.create(queue, { leaseMinMs: 0 })
  for (const name of subscriptions) await client.queues.subscriptions.create(queue, name)

  await sendByClient()
  await sendByHttp(api)
  await sendByCommand(cli)
  await sendByWorker()
  await sendBySqs()

  const own = await client.receive(queue, { subscription: 'client', max: 100 })
  const inHttp = await fetch(`${api}/v1/queues/${queue}/receive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subscription: 'http', max: 100 }),
  })
  const inCommand = cli.output('receive', queue, '--subscription', 'command', '--max', '100', '--json')
  received = {
    ids: own.map(({ id }) => id),
    client: own.map(({ body }) => body),
    texts: own.map((message) => message.text()),
    http: ((await inHttp.json()) as { readonly messages: readonly HttpMessage[] }).messages,
    command: (JSON.parse(await inCommand) as { readonly messages: readonly HttpMessage[] }).messages,
    worker: await receiveByWorker(),
    ...(await receiveBySqs()),
  }
}, 120_000)
afterAll(() => building.disposeAsync())

const sendByClient = async (): Promise<void> => {
  const samples: readonly (readonly [Sent, unknown])[] = [
    [of('client', 'text', text), text],
    [of('client', 'text', marked), marked],
    [of('client', 'text', 'half a pair: \uFFFD'), 'half a pair: \uD83C'],
    [of('client', 'json', JSON.stringify(value), value), value],
    [of('client', 'controls', controls), controls],
    [of('client', 'untyped', '{"a":1}', { a: 1 }), Buffer.from('{"a":1}')],
    [of('client', 'untyped', text), Buffer.from(text)],
    [of('client', 'bytes', bytes), bytes],
    [of('client', 'empty', ''), ''],
    [of('client', 'empty', ''), new Uint8Array()],
  ]
  for (const [sample, body] of samples) {
    await client.send(queue, body as string)
    sent.push(sample)
  }
  await client.send(queue, broken, { contentType: 'application/json' })
  sent.push(of('client', 'text', broken))
}

const sendByHttp = async (api: string): Promise<void> => {
  const samples: readonly (readonly [Sent, object])[] = [
    [of('http', 'text', text), { body: text }],
    [
      { ...of('http', 'text', 'typed'), attributes, attributeTypes },
      { body: 'typed', attributes, attributeTypes },
    ],
    [of('http', 'json', JSON.stringify(value), value), { body: value }],
    [of('http', 'controls', controls), { body: controls }],
    [of('http', 'bytes', bytes), { bodyBase64: Buffer.from(bytes).toString('base64') }],
    [of('http', 'empty', ''), { body: '' }],
  ]
  for (const [sample, message] of samples) {
    const answer = await fetch(`${api}/v1/queues/${queue}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    expect(answer.status).toBe(200)
    sent.push(sample)
  }
}

const sendByCommand = async (cli: CommandLine): Promise<void> => {
  const samples: readonly Sent[] = [
    of('command', 'text', text),
    of('command', 'json', JSON.stringify(value), value),
    of('command', 'controls', controls),
    of('command', 'bytes', bytes),
  ]
  const stored = await Promise.all(
    samples.map(async (sample) => {
      const file = join(cli.folder, sample.row)
      writeFileSync(file, sample.bytes)
      const { messageId } = JSON.parse(await cli.output('send', queue, '--file', file, '--json')) as {
        readonly messageId: string
      }
      return { sample, number: parseMessageId(messageId).number }
    }),
  )
  sent.push(...stored.sort((a, b) => a.number - b.number).map(({ sample }) => sample))
}

const sendByWorker = async (): Promise<void> => {
  const samples = [
    [of('worker', 'text', text), text, 'text'],
    [of('worker', 'controls', controls), controls, 'text'],
    [of('worker', 'json', JSON.stringify(value), value), value, 'json'],
    [of('worker', 'bytes', bytes), bytes, 'bytes'],
    [of('worker', 'v8', serialize(when), when), when, 'v8'],
  ] as const
  await client.queues.create('start')
  await client.send('start', 'now')
  const done = Promise.withResolvers<void>()
  const module: WorkerModule = {
    queue: async (_, env) => {
      for (const [sample, body, contentType] of samples) {
        await (env as { readonly OUT: QueueBinding }).OUT.send(body, { contentType })
        sent.push(sample)
      }
      done.resolve()
    },
  }
  const worker = await runWorker({
    client,
    module,
    config: { consumers: [{ queue: 'start', batchWaitMs: 0 }], producers: [{ binding: 'OUT', queue }] },
  })
  await done.promise
  await worker.stop()
}

const sendBySqs = async (): Promise<void> => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: 'typed',
      MessageAttributes: typed,
    }),
  )
  sent.push({ ...of('sqs json', 'text', 'typed'), attributes, attributeTypes })
  for (const body of [text, marked, JSON.stringify(value)]) {
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }))
    sent.push(of('sqs json', 'text', body))
    const form = new URLSearchParams({ Action: 'SendMessage', MessageBody: body })
    expect((await fetch(queueUrl, { method: 'POST', body: form })).status).toBe(200)
    sent.push(of('sqs query', 'text', body))
  }
}

const receiveByWorker = async (): Promise<Received['worker']> => {
  const got: { readonly id: string; readonly body: unknown }[] = []
  const worker = await runWorker({
    client,
    module: {
      queue: ({ messages }: { readonly messages: readonly Message[] }) => {
        for (const message of messages) got.push({ id: message.id, body: valueOf(message) })
      },
    } as never,
    config: { consumers: [{ queue, subscription: 'worker', batchWaitMs: 0 }] },
  })
  await waitUntil(() => got.length >= sent.length)
  await worker.stop()
  return got
}

const valueOf = (message: Message): unknown => {
  try {
    return message.body
  } catch (error) {
    return isKirokuError(error) ? error.id : error
  }
}

/** Both protocols see every message: the first one asks for a lease of 0. */
const receiveBySqs = async (): Promise<Pick<Received, 'json' | 'query'>> => {
  const json = new Map<string, JsonMessage>()
  const query = new Map<string, QueryMessage>()
  for (;;) {
    const { Messages: found = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        MessageAttributeNames: ['All'],
      }),
    )
    for (const message of found) json.set(message.MessageId!, message)
    const again = await receiveByQuery(queueUrl, 'VisibilityTimeout=300')
    for (const message of again) query.set(message.MessageId, message)
    if (again.length === 0) return { json, query }
  }
}

const base64 = (body: Uint8Array): string => Buffer.from(body).toString('base64')

/** How the HTTP API and the command line tell it, by the table. */
const toldOverHttp = ({ row, bytes: body, value: means }: Sent): Pick<HttpMessage, 'body' | 'bodyBase64'> => {
  const told = { text: { body: Buffer.from(body).toString() }, value: { body: means } }
  const { http } = bodyRows[row]
  return http === 'base64' ? { bodyBase64: base64(body) } : told[http]
}

/** What a Worker is given, by the table. */
const toldToWorkers = ({ row, bytes: body, value: means }: Sent): unknown => {
  if (means !== undefined) return means
  if (Buffer.from(body).toString() === broken) return 'MalformedJson'
  return row === 'text' || row === 'controls' ? Buffer.from(body).toString() : new Uint8Array(body)
}

describe('[SQS-21] bodies between doors', () => {
  it('every door receives everything that every door sent', () => {
    const ids = received.ids
    expect(ids).toHaveLength(sent.length)
    for (const door of ['http', 'command', 'worker'] as const)
      expect(received[door].map(({ id }) => id).sort(), door).toEqual([...ids].sort())
    const uuids = ids.map((id) => messageUuid(parseMessageId(id))!)
    expect([...received.json.keys()].sort()).toEqual([...uuids].sort())
    expect([...received.query.keys()].sort()).toEqual([...uuids].sort())
    // Nobody is missing from the table.
    expect([...new Set(sent.map(({ row }) => row))].sort()).toEqual(Object.keys(bodyRows).sort())
  })

  it('what is received is what the table of bodies says', () => {
    for (const [i, each] of sent.entries()) {
      const id = received.ids[i]!
      const what = `${each.row} by ${each.by}`
      const body = Buffer.from(each.bytes).toString()
      expect(Buffer.from(received.client[i]!), `${what}, to the client`).toEqual(Buffer.from(each.bytes))
      if (each.row !== 'bytes' && each.row !== 'v8')
        expect(received.texts[i], `${what}, to the client`).toBe(body)
      for (const door of ['http', 'command'] as const) {
        const { body: told, bodyBase64, ...more } = received[door].find((message) => message.id === id)!
        expect([more.attributes, more.attributeTypes], `${what}, to ${door}`).toEqual([
          each.attributes ?? {},
          each.attributeTypes,
        ])
        const all = { ...(told === undefined ? {} : { body: told }), ...(bodyBase64 && { bodyBase64 }) }
        expect(all, `${what}, to ${door}`).toEqual(toldOverHttp(each))
      }
      const { body: handled } = received.worker.find((message) => message.id === id)!
      if (each.row === 'empty') expect((handled as string | Uint8Array).length).toBe(0)
      else if (typeof handled === 'object' && handled instanceof Uint8Array)
        expect(new Uint8Array(handled), `${what}, to a Worker`).toEqual(toldToWorkers(each))
      else expect(handled, `${what}, to a Worker`).toEqual(toldToWorkers(each))

      const uuid = messageUuid(parseMessageId(id))!
      const isBase64 = bodyRows[each.row].sqs === 'base64'
      const { Body, MessageAttributes } = received.json.get(uuid)!
      if (each.attributes !== undefined) expect(MessageAttributes, what).toEqual(typed)
      expect(Body ?? '', `${what}, to SQS in JSON`).toBe(isBase64 ? base64(each.bytes) : body)
      expect(MessageAttributes?.['kiroku.encoding']?.StringValue, what).toBe(isBase64 ? 'base64' : undefined)
      const query = received.query.get(uuid)!
      expect(query.Body, `${what}, to SQS in Query`).toBe(isBase64 ? base64(each.bytes) : body)
      const marks = (query.MessageAttribute ?? []).map(({ Name }) => Name)
      expect(marks.includes('kiroku.encoding'), what).toBe(isBase64)
    }
  })
})
