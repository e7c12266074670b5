import { DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import type { OutgoingMessage } from '@kiroku/client'
import { isXmlText } from '@kiroku/doors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { receiveByQuery } from './queryMessages.ts'
import { type SqsWorld } from './SqsWorld.ts'
import { withSqsWorld } from './withSqsWorld.ts'

let world: SqsWorld
withSqsWorld((begun) => (world = begun))

const receive = async (QueueUrl: string) =>
  (
    await world.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    )
  ).Messages ?? []

/** Any text: control characters, halves of surrogate pairs, what XML and SQS set apart. */
const anyText = (maxLength = 20) =>
  fc.string({
    maxLength,
    unit: fc.oneof(
      fc.constantFrom('\u0000', '\uD800', '\uDC00', '\uFFFE', '\r', '<', '&', ']]>', '\uFEFF', '.'),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('🌍', 'ä', 'x'),
    ),
  })

const anyType = fc.oneof(
  fc.constantFrom('Binary', 'Binary.x', 'BinaryX', 'Number', 'String.y', 'Object', ''),
  anyText(8),
)

const anyMessage: fc.Arbitrary<OutgoingMessage> = fc.record(
  {
    body: fc.oneof(fc.uint8Array({ maxLength: 40 }), anyText(), fc.jsonValue() as fc.Arbitrary<never>),
    attributes: fc.dictionary(anyText(6), anyText(), { maxKeys: 12 }),
    attributeTypes: fc.dictionary(anyText(6), anyType, { maxKeys: 12 }),
    contentType: fc.oneof(fc.constantFrom('application/json', 'application/x-v8', ''), anyText()),
    group: anyText(),
    traceHeader: anyText(),
    traceparent: anyText(),
  },
  { requiredKeys: ['body'] },
)

describe('[SQS-21] nothing that a producer may send makes a receive fail', () => {
  it('whatever another door takes, both protocols hand out, so that it is read back', async () => {
    const QueueUrl = await world.create('any')
    const run = async (messages: readonly OutgoingMessage[]): Promise<void> => {
      // Types belong to attributes, and the same names come rarely by chance.
      const typed = messages.map(({ attributes = {}, attributeTypes = {}, ...more }) => {
        const types = Object.values(attributeTypes)
        const names = Object.keys(attributes).slice(0, types.length)
        const paired = Object.fromEntries(names.map((name, i) => [name, types[i]!]))
        return { ...more, attributes, attributeTypes: paired }
      })
      await world.client.sendBatch('any', typed as readonly OutgoingMessage[])
      const byJson = await receive(QueueUrl)
      const byQuery = await receiveByQuery(QueueUrl)
      expect(byJson).toHaveLength(messages.length)
      const known = new Map(byQuery.map((message) => [message.MessageId, message]))
      for (const { MessageId, Body = '', Attributes = {}, MessageAttributes = {} } of byJson) {
        const told = known.get(MessageId!)!
        expect(told.Body).toBe(Body)
        const names = (told.MessageAttribute ?? []).map(({ Name }) => Name)
        expect(names.sort()).toEqual(Object.keys(MessageAttributes).sort())
        const texts = [
          Body,
          ...Object.entries(Attributes).flat(),
          ...Object.entries(MessageAttributes).flatMap(([name, { DataType = '', StringValue = '' }]) => [
            name,
            DataType,
            StringValue,
          ]),
        ]
        expect(texts.filter((each) => !isXmlText(each))).toEqual([])
        for (const { DataType } of Object.values(MessageAttributes))
          expect(DataType).toMatch(/^(String|Number|Binary)(\.|$)/)
      }
      const Entries = byQuery.map(({ ReceiptHandle }, i) => ({ Id: `${i}`, ReceiptHandle }))
      const { Failed = [] } = await world.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
      expect(Failed).toEqual([])
    }
    await fc.assert(fc.asyncProperty(fc.array(anyMessage, { minLength: 10, maxLength: 10 }), run), {
      numRuns: 60,
      seed: 21,
      endOnFailure: true,
    })
  })

  it('attributes are told as the table says: text, types, bytes, and text that SQS cannot hold', async () => {
    const QueueUrl = await world.create('attributes')
    await world.client.send('attributes', 'a\u0000', {
      attributes: {
        plain: 'ä',
        none: '',
        'two words': '1',
        control: 'a\u0000ä',
        seal: 'AP8H',
        odd: 'no base64!',
      },
      attributeTypes: { seal: 'Binary.png', odd: 'Binary', plain: 'Text' },
      group: 'tenant\u0001',
      traceHeader: 'Root=1\u0000',
    })
    const expected = {
      plain: { DataType: 'String', StringValue: 'ä' },
      none: { DataType: 'String', StringValue: '' },
      'two words': { DataType: 'String', StringValue: '1' },
      control: { DataType: 'Binary.text', BinaryValue: new Uint8Array(Buffer.from('a\u0000ä')) },
      seal: { DataType: 'Binary.png', BinaryValue: Uint8Array.of(0, 255, 7) },
      odd: { DataType: 'String', StringValue: 'no base64!' },
    }
    const told = {
      'kiroku.encoding': { DataType: 'String', StringValue: 'base64' },
      'kiroku.contentType': { DataType: 'String', StringValue: 'text/plain' },
    }
    const [message] = await receive(QueueUrl)
    expect(message).toMatchObject({
      Body: 'YQA=',
      MessageAttributes: { ...expected, ...told },
      Attributes: { MessageGroupId: 'tenant\uFFFD', AWSTraceHeader: 'Root=1\uFFFD' },
    })
    const [again] = await receiveByQuery(QueueUrl)
    const inXml = Object.fromEntries(again!.MessageAttribute!.map(({ Name, Value }) => [Name, Value]))
    expect(inXml).toEqual(
      Object.fromEntries(
        Object.entries({ ...expected, ...told }).map(([name, { DataType, ...value }]) => [
          name,
          'BinaryValue' in value
            ? { DataType, BinaryValue: Buffer.from(value.BinaryValue).toString('base64') }
            : { DataType, ...value },
        ]),
      ),
    )
  })

  it('no attribute hides another one whose name differs in what XML cannot hold', async () => {
    const QueueUrl = await world.create('names')
    const attributes = { 'a\u0000': '1', 'a\u0001': '2', 'a\uFFFD': '3', b: '4', 'a\uFFFD.2': '5' }
    await world.client.send('names', 'x', { attributes })
    const told = { 'a\uFFFD.3': '1', 'a\uFFFD.4': '2', 'a\uFFFD': '3', b: '4', 'a\uFFFD.2': '5' }
    const [message] = await receive(QueueUrl)
    const values = Object.entries(message!.MessageAttributes!).map(([name, value]) => [
      name,
      value.StringValue,
    ])
    expect(Object.fromEntries(values)).toEqual(told)
    const [again] = await receiveByQuery(QueueUrl)
    const inXml = again!.MessageAttribute!.map(({ Name, Value }) => [Name, Value.StringValue])
    expect(Object.fromEntries(inXml)).toEqual(told)
  })

  it('attributes of SQS arrive elsewhere with their types, bytes in base64', async () => {
    const QueueUrl = await world.create('typed')
    await world.sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: '\uFEFFx',
        MessageGroupId: 'tenant',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'ä' },
          size: { DataType: 'Number.int', StringValue: '17' },
          seal: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
        },
        MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1' } },
      }),
    )
    const [message] = await world.client.receive('typed')
    expect(message!.text()).toBe('\uFEFFx')
    expect(message).toMatchObject({
      attributes: { text: 'ä', size: '17', seal: 'AP8H' },
      attributeTypes: { size: 'Number.int', seal: 'Binary' },
      contentType: 'text/plain',
      group: 'tenant',
      traceHeader: 'Root=1',
    })
  })

  it('what XML cannot hold is refused in what clients of SQS send, in attributes as in bodies', async () => {
    const QueueUrl = await world.create('strict')
    const value = { DataType: 'String', StringValue: 'a\u0000' }
    const refused = async (more: object) =>
      world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', ...more })).then(
        () => 'taken',
        (error: Error) => error.name,
      )
    expect(await refused({ MessageBody: '\uD800' })).toBe('InvalidMessageContents')
    expect(await refused({ MessageAttributes: { a: value } })).toBe('InvalidMessageContents')
    expect(await refused({ MessageSystemAttributes: { AWSTraceHeader: value } })).toBe(
      'InvalidMessageContents',
    )
  })
})
