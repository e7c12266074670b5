import type { SendOptions } from '@kiroku/client'
import { parseMessageId, type QueueDescription } from '@kiroku/protocol'
import { md5, sequenceNumberOf, uuidOf } from '../ids.ts'
import { checkCharacters } from '../message/checkBody.ts'
import {
  attributeBytes,
  md5OfAttributes,
  storedAttributes,
  type AttributeValue,
} from '../message/messageAttributes.ts'
import { delaySecondsMax, messageBytesMax, noExtensions } from '../extensions.ts'
import { isFifo } from '../queue/attributes.ts'
import { invalid, missing, SqsError } from '../SqsError.ts'
import { bytes, flag, list, map, number, structure, text } from '../wire/Shape.ts'
import type { Action, Input } from './Action.ts'
import type { Call } from './Call.ts'
import { answerOf, entriesOf, refusalOf, type Outcome } from './batch.ts'
import { queueOf } from './input.ts'

export const messageAttributes = map(
  'MessageAttribute',
  structure({
    StringValue: text,
    BinaryValue: bytes,
    StringListValues: list('StringListValue', text),
    BinaryListValues: list('BinaryListValue', bytes),
    DataType: text,
  }),
)
const MessageSystemAttributes = map(
  'MessageSystemAttribute',
  structure({
    StringValue: text,
    BinaryValue: bytes,
    StringListValues: list('StringListValue', text),
    BinaryListValues: list('BinaryListValue', bytes),
    DataType: text,
  }),
)
const message = {
  MessageBody: text,
  DelaySeconds: number,
  MessageAttributes: messageAttributes,
  MessageSystemAttributes,
  MessageDeduplicationId: text,
  MessageGroupId: text,
}
const sent = {
  MessageId: text,
  MD5OfMessageBody: text,
  MD5OfMessageAttributes: text,
  MD5OfMessageSystemAttributes: text,
  SequenceNumber: text,
}

const secondMs = 1_000
const traceHeader = 'AWSTraceHeader'

/** A message as the client of the engine sends it. */
interface Outgoing {
  readonly body: string
  readonly options: SendOptions
  readonly bytes: number
}

type Attributes = ReadonlyMap<string, AttributeValue> | undefined

/** Checks one message for its queue. Errors: `MissingParameter`, `InvalidParameterValue`, `InvalidMessageContents`. */
const outgoing = (queue: QueueDescription, call: Call, input: Input): Outgoing => {
  const { sender } = call
  const body = input['MessageBody'] as string | undefined
  if (body === undefined || body === '') throw missing('MessageBody')
  const attributes = input['MessageAttributes'] as Attributes
  const bytes = Buffer.byteLength(body) + attributeBytes(attributes)
  const max = queue.config.bodyBytesMax
  if (bytes > max)
    throw new SqsError(
      'InvalidParameterValue',
      `One or more parameters are invalid. Reason: Message must be shorter than ${max} bytes.`,
    )
  checkCharacters(body)
  return {
    body,
    bytes,
    options: {
      ...storedAttributes(attributes),
      ...systemAttributes(input),
      ...orderOf(queue, call, input),
      ...(sender === undefined ? {} : { sender }),
    },
  }
}

/** A message that passed its checks, or why it did not. */
const checkedOf = (queue: QueueDescription, call: Call, input: Input): Outgoing | SqsError => {
  try {
    return outgoing(queue, call, input)
  } catch (error) {
    return refusalOf(error)
  }
}

/** Errors: `InvalidParameterValue`. */
const systemAttributes = (input: Input): SendOptions => {
  const attributes = input['MessageSystemAttributes'] as Attributes
  if (attributes === undefined || attributes.size === 0) return {}
  const unknown = [...attributes.keys()].find((name) => name !== traceHeader)
  if (unknown !== undefined)
    throw new SqsError('InvalidParameterValue', `Message system attribute name '${unknown}' is invalid.`)
  const { DataType, StringValue } = attributes.get(traceHeader)!
  if (DataType !== 'String' || StringValue === undefined || StringValue === '')
    throw new SqsError(
      'InvalidParameterValue',
      `Message (system) attribute '${traceHeader}' must be a non-empty String.`,
    )
  checkCharacters(StringValue)
  return { traceHeader: StringValue }
}

const idRule = 'can only include alphanumeric and punctuation characters. 1 to 128 in length.'

/** Errors: `InvalidParameterValue`. */
const checkId = (parameter: string, id: string | undefined): void => {
  if (id !== undefined && !/^[\u0021-\u007E]{1,128}$/.test(id))
    throw invalid(parameter, id.slice(0, 200), `${parameter} ${idRule}`)
}

/** Delay, group and deduplication. Errors: `MissingParameter`, `InvalidParameterValue`. */
const orderOf = (queue: QueueDescription, call: Call, input: Input): SendOptions => {
  const { name, config } = queue
  const delay = input['DelaySeconds'] as number | undefined
  const group = input['MessageGroupId'] as string | undefined
  const dedupId = input['MessageDeduplicationId'] as string | undefined
  checkId('MessageGroupId', group)
  checkId('MessageDeduplicationId', dedupId)
  if (delay !== undefined && !(delay >= 0 && delay <= 900)) {
    const max = delaySecondsMax(call.extensionsOn(queue))
    if (!(delay >= 0 && delay <= max))
      throw invalid('DelaySeconds', delay, `DelaySeconds must be >= 0 and <= ${max}.`)
  }
  const delayMs = delay === undefined ? {} : { delayMs: delay * secondMs }
  if (!isFifo(name)) {
    if (dedupId !== undefined)
      throw invalid(
        'MessageDeduplicationId',
        dedupId,
        'The request include parameter that is not valid for this queue type.',
      )
    return { ...delayMs, ...(group === undefined ? {} : { group }) }
  }
  if (delay !== undefined && delay > 0 && !call.extensionsOn(queue).has('delays'))
    throw invalid(
      'DelaySeconds',
      delay,
      'The request include parameter that is not valid for this queue type.',
    )
  if (group === undefined) throw missing('MessageGroupId')
  if (dedupId === undefined && config.dedup !== 'content')
    throw new SqsError(
      'InvalidParameterValue',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    )
  return { ...delayMs, group, ...(dedupId === undefined ? {} : { dedupId }) }
}

/** What the answer says of a message that was stored. */
interface Sent {
  MessageId: string
  MD5OfMessageBody: string
  MD5OfMessageAttributes?: string
  MD5OfMessageSystemAttributes?: string
  SequenceNumber?: string
}

const sentOf = (queue: string, id: string, body: string, input: Input): Sent => {
  const sent: Sent = { MessageId: uuidOf(id), MD5OfMessageBody: md5(body) }
  const own = md5OfAttributes(input['MessageAttributes'] as Attributes)
  const system = md5OfAttributes(input['MessageSystemAttributes'] as Attributes)
  if (own !== undefined) sent.MD5OfMessageAttributes = own
  if (system !== undefined) sent.MD5OfMessageSystemAttributes = system
  if (isFifo(queue)) sent.SequenceNumber = sequenceNumberOf(parseMessageId(id))
  return sent
}

/** Sends what passed its checks, in one order; of messages that are refused together each says why. */
const sendAll = async (
  { client }: Call,
  queue: string,
  checked: readonly (Outgoing | SqsError)[],
): Promise<readonly (string | SqsError)[]> => {
  const good = checked.filter((each): each is Outgoing => !(each instanceof SqsError))
  if (good.length === 0) return checked as readonly SqsError[]
  const { messageIds } = await client.sendBatch(
    queue,
    good.map(({ body, options }) => ({ body, ...options })),
  )
  let next = 0
  return checked.map((each) => (each instanceof SqsError ? each : messageIds[next++]!))
}

export const sendActions = {
  SendMessage: {
    role: 'operator',
    input: { QueueUrl: text, ...message },
    output: sent,
    run: async (call, input) => {
      const queue = await call.queues.get(queueOf(call, input))
      const { body, options } = outgoing(queue, call, input)
      const { messageId } = await call.client.send(queue.name, body, options)
      return { ...sentOf(queue.name, messageId, body, input) }
    },
  },

  SendMessageBatch: {
    role: 'operator',
    input: {
      QueueUrl: text,
      Entries: list('SendMessageBatchRequestEntry', structure({ Id: text, ...message })),
    },
    output: {
      Successful: list('SendMessageBatchResultEntry', structure({ Id: text, ...sent })),
      Failed: list(
        'BatchResultErrorEntry',
        structure({ Id: text, SenderFault: flag, Code: text, Message: text }),
      ),
    },
    run: async (call, input) => {
      const queue = await call.queues.get(queueOf(call, input))
      const entries = entriesOf<Input & { readonly Id?: string }>(input, 'SendMessageBatchRequestEntry')
      // What a FIFO queue needs of every message fails the whole request.
      if (isFifo(queue.name) && entries.some((entry) => entry['MessageGroupId'] === undefined))
        throw missing('MessageGroupId')
      const checked = entries.map((entry) => checkedOf(queue, call, entry))
      const bytes = checked.reduce((sum, each) => sum + (each instanceof SqsError ? 0 : each.bytes), 0)
      if (bytes > messageBytesMax(noExtensions)) {
        const max = messageBytesMax(call.extensionsOn(queue))
        if (bytes > max)
          throw new SqsError(
            'BatchRequestTooLong',
            `Batch requests cannot be longer than ${max} bytes. You have sent ${bytes} bytes.`,
          )
      }
      const ids = await sendAll(call, queue.name, checked)
      const outcomes = ids.map((id, i): Outcome => {
        if (id instanceof SqsError) return { error: id }
        return { ok: sentOf(queue.name, id, (checked[i] as Outgoing).body, entries[i]!) }
      })
      return answerOf(entries, outcomes)
    },
  },
} as const satisfies Readonly<Record<string, Action>>
