import type { ReceivedMessage } from '@kiroku/client'
import { asXmlText, tellBody } from '@kiroku/doors'
import { parseReceipt, type QueueDescription, type ReceiptAddress } from '@kiroku/protocol'
import { md5, sequenceNumberOf, sha256, uuidOf } from '../ids.ts'
import { attributeValues, md5OfAttributes, type AttributeValue } from '../message/messageAttributes.ts'
import { isFifo } from '../queue/attributes.ts'
import { invalid, missing, SqsError } from '../SqsError.ts'
import { flag, list, map, number, structure, text } from '../wire/Shape.ts'
import type { Action, Input, Output } from './Action.ts'
import type { Call } from './Call.ts'
import { answerOf, entriesOf, outcomeOf } from './batch.ts'
import { queueOf, required, within } from './input.ts'
import { messageAttributes } from './sendActions.ts'

const secondMs = 1_000
const receiveBytesMax = 16 * 1024 * 1024

/** A producer may have written anything into an envelope. */
const epochMs = (at: number | undefined): string | undefined =>
  Number.isFinite(at) ? String(Math.floor(at!)) : undefined

/** System attributes of a message, by their names; undefined: it has none. */
const systemAttributes: Readonly<
  Record<string, (message: ReceivedMessage, call: Call) => string | undefined>
> = {
  SenderId: ({ sender }) => sender ?? 'anonymous',
  // A FIFO queue takes a dead letter for newly sent, a standard one does not.
  SentTimestamp: ({ queue, enqueuedAt, lineage }) =>
    epochMs((isFifo(queue) ? undefined : (lineage?.sentAt ?? lineage?.enqueuedAt)) ?? enqueuedAt),
  ApproximateFirstReceiveTimestamp: ({ firstDeliveredAt }) => epochMs(firstDeliveredAt),
  ApproximateReceiveCount: ({ attempt, lineage }) =>
    String(attempt + (lineage?.attempts ?? 0) + (lineage?.attemptsBefore ?? 0)),
  SequenceNumber: ({ queue, receipt }) =>
    isFifo(queue) ? sequenceNumberOf(parseReceipt(receipt)) : undefined,
  MessageGroupId: ({ group }) => group,
  MessageDeduplicationId: (message) =>
    isFifo(message.queue) ? (message.dedupId ?? sha256(message.body)) : undefined,
  AWSTraceHeader: ({ traceHeader }) => traceHeader,
  DeadLetterQueueSourceArn: ({ lineage }, call) =>
    lineage === undefined || lineage.cause === 'redriven' || lineage.queue.startsWith('#')
      ? undefined
      : call.arnOf(lineage.queue),
}

/** The system attribute that tells what a message went through, where it is asked for. */
const historyAttribute = 'KirokuHistory'

/** What a message went through, as JSON with times in ms since 1970. */
const historyOf = ({
  id,
  queue,
  enqueuedAt,
  firstDeliveredAt,
  attempt,
  lineage,
}: ReceivedMessage): string => {
  const { passed: _, ...before } = lineage ?? {}
  return JSON.stringify({
    id,
    queue,
    enqueuedAt,
    firstDeliveredAt,
    attempt,
    ...(lineage === undefined ? {} : { before }),
  })
}

/** The names of system attributes. */
export const systemAttributeNames: readonly string[] = [...Object.keys(systemAttributes), historyAttribute]

const namesOf = (input: Input, ...members: readonly string[]): readonly string[] =>
  members.flatMap((member) => (input[member] as readonly string[] | undefined) ?? [])

/** Attributes that say what a body is that SQS cannot hold as it is. */
const bodyAttributes = ({ contentType }: ReceivedMessage): Map<string, AttributeValue> => {
  const told = new Map([['kiroku.encoding', { DataType: 'String', StringValue: 'base64' }]])
  if (contentType !== undefined)
    told.set('kiroku.contentType', { DataType: 'String', StringValue: asXmlText(contentType) })
  return told
}

const wireMessage = (
  message: ReceivedMessage,
  call: Call,
  input: Input,
  wanted: readonly string[],
  tellsHistory: boolean,
): object => {
  const told = tellBody('sqs', message)
  const Body = 'base64' in told ? told.base64 : (told as { readonly text: string }).text
  const wire = { MessageId: uuidOf(message.id), ReceiptHandle: message.receipt, MD5OfBody: md5(Body), Body }
  const system = wanted.length === 0 ? undefined : systemOf(message, call, wanted)
  if (tellsHistory) system?.set(historyAttribute, asXmlText(historyOf(message)))
  const own = attributeValues(message, namesOf(input, 'MessageAttributeNames'))
  if ('base64' in told) for (const [name, value] of bodyAttributes(message)) own.set(name, value)
  return {
    ...wire,
    ...(system === undefined || system.size === 0 ? undefined : { Attributes: system }),
    ...(own.size === 0
      ? undefined
      : { MessageAttributes: own, MD5OfMessageAttributes: md5OfAttributes(own) }),
  }
}

const systemOf = (message: ReceivedMessage, call: Call, wanted: readonly string[]): Map<string, string> => {
  const system = new Map<string, string>()
  for (const [name, of] of Object.entries(systemAttributes)) {
    if (!wanted.includes('All') && !wanted.includes(name)) continue
    const value = of(message, call)
    if (value !== undefined) system.set(name, asXmlText(value))
  }
  return system
}

/** Checks that a receipt is one of this queue. Errors: `ReceiptHandleIsInvalid`. */
const receiptOf = async (call: Call, queue: string, input: Input): Promise<string> => {
  const receipt = required(input, 'ReceiptHandle')
  let address: ReceiptAddress
  try {
    address = parseReceipt(receipt)
  } catch {
    throw wrongReceipt(receipt)
  }
  const { queue: id, partition, spread } = await call.queues.get(queue)
  // The parts of a spread queue have ids of their own.
  const places = [{ queue: id, partition }, ...(spread?.parts ?? [])]
  if (!places.some((place) => address.queue === place.queue && address.partition === place.partition))
    throw wrongReceipt(receipt)
  return receipt
}

const wrongReceipt = (receipt: string): SqsError =>
  new SqsError(
    'ReceiptHandleIsInvalid',
    `The input receipt handle "${receipt.slice(0, 200)}" is not a valid receipt handle.`,
  )

const expired = (receipt: string): SqsError =>
  invalid('ReceiptHandle', receipt, 'The receipt handle has expired.')

/** Deletes one message; one that was deleted before is none the worse. */
const deleteOne = async (call: Call, queue: string, input: Input): Promise<object> => {
  const receipt = await receiptOf(call, queue, input)
  const [result] = await call.client.ack(receipt)
  const { error } = result!
  if (error === undefined || error.id === 'UnknownReceipt') return {}
  throw error.id === 'ReceiptExpired' ? expired(receipt) : error
}

const visibilityMax = 43_200

/** Ends or extends the lease of one message. */
const changeOne = async (call: Call, queue: string, input: Input): Promise<object> => {
  const receipt = await receiptOf(call, queue, input)
  const seconds = within(
    input,
    'VisibilityTimeout',
    0,
    visibilityMax,
    `Must be between 0 and ${visibilityMax}.`,
  )
  if (seconds === undefined) throw missing('VisibilityTimeout')
  const { leaseMinMs } = (await call.queues.get(queue)).config
  // What other doors made may ask for longer leases.
  const [result] =
    seconds === 0 && leaseMinMs > 0
      ? await call.client.retry(receipt, { delayMs: 0 })
      : await call.client.extend(receipt, seconds * secondMs)
  const { error } = result!
  if (error === undefined) return {}
  switch (error.id) {
    case 'UnknownReceipt':
      throw invalid(
        'ReceiptHandle',
        receipt,
        'Message does not exist or is not available for visibility timeout change.',
      )
    case 'ReceiptExpired':
      // A standard queue takes it, and nothing comes of it.
      if (!isFifo(queue)) return {}
      throw expired(receipt)
    case 'LeaseCapReached':
      throw invalid(
        'VisibilityTimeout',
        seconds,
        `Total VisibilityTimeout for the message is beyond the limit [${visibilityMax} seconds]`,
      )
    default:
      throw error
  }
}

/** The lease of a receive: none where 0 is asked for, or the shortest that a queue of another door has. */
const leaseOf = async ({ queues }: Call, queue: string, seconds: number): Promise<number> =>
  seconds > 0 ? seconds * secondMs : Math.min(1, (await queues.get(queue)).config.leaseMinMs)

/**
 * Says of a short poll that got nothing that too much is in flight. Counts of the last second tell most queues from those
 * that are near their limit: nobody takes half of it in a second. Errors: `OverLimit`.
 */
const refuseOverLimit = async ({ queues }: Call, queue: string, wait: number | undefined): Promise<void> => {
  if (wait !== undefined && wait > 0) return
  const isFull = ({ config: { inflightMax }, counts }: QueueDescription, share: number): boolean =>
    inflightMax > 0 && counts.inflight >= inflightMax * share
  const known = await queues.get(queue)
  if (!isFull(known, 0.5) || (wait === undefined && known.config.receiveWaitMs > 0)) return
  if (!isFull(await queues.now(queue), 1)) return
  throw new SqsError(
    'OverLimit',
    'Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.',
  )
}

const failed = list(
  'BatchResultErrorEntry',
  structure({ Id: text, SenderFault: flag, Code: text, Message: text }),
)

/** An action on the messages of a batch, one by one. */
const eachOf =
  (entry: string, one: (call: Call, queue: string, input: Input) => Promise<object>): Action['run'] =>
  async (call, input) => {
    const queue = queueOf(call, input)
    await call.queues.get(queue)
    const entries = entriesOf<Input & { readonly Id?: string }>(input, entry)
    return answerOf(
      entries,
      await Promise.all(entries.map((each) => outcomeOf(() => one(call, queue, each)))),
    )
  }

/** The answer to a receive that got messages. */
const received = async (
  call: Call,
  input: Input,
  queue: string,
  messages: readonly ReceivedMessage[],
): Promise<Output> => {
  const wanted = namesOf(input, 'AttributeNames', 'MessageSystemAttributeNames')
  const tellsHistory =
    (wanted.includes('All') || wanted.includes(historyAttribute)) &&
    call.extensionsOn(await call.queues.get(queue)).has('history')
  return {
    Messages: messages.map((message) => wireMessage(message, call, input, wanted, tellsHistory)),
  }
}

/** The answer to a receive that got none. */
const nothing = async (call: Call, queue: string, wait: number | undefined): Promise<Output> => {
  if (!isFifo(queue)) await refuseOverLimit(call, queue, wait)
  return {}
}

export const receiveActions = {
  ReceiveMessage: {
    role: 'operator',
    input: {
      QueueUrl: text,
      AttributeNames: list('AttributeName', text),
      MessageSystemAttributeNames: list('AttributeName', text),
      MessageAttributeNames: list('MessageAttributeName', text),
      MaxNumberOfMessages: number,
      VisibilityTimeout: number,
      WaitTimeSeconds: number,
      ReceiveRequestAttemptId: text,
    },
    output: {
      Messages: list(
        'Message',
        structure({
          MessageId: text,
          ReceiptHandle: text,
          MD5OfBody: text,
          Body: text,
          Attributes: map('Attribute', text),
          MD5OfMessageAttributes: text,
          MessageAttributes: messageAttributes,
        }),
      ),
    },
    run: (call, input) => {
      const queue = queueOf(call, input)
      const max = within(input, 'MaxNumberOfMessages', 1, 10, 'Must be between 1 and 10, if provided.') ?? 1
      const wait = within(input, 'WaitTimeSeconds', 0, 20, 'Must be >= 0 and <= 20, if provided.')
      const visibility = within(
        input,
        'VisibilityTimeout',
        0,
        visibilityMax,
        `Must be >= 0 and <= ${visibilityMax}, if provided.`,
      )
      const attemptId = input['ReceiveRequestAttemptId'] as string | undefined
      if (attemptId !== undefined && !isFifo(queue))
        throw invalid(
          'ReceiveRequestAttemptId',
          attemptId,
          'The request include parameter that is not valid for this queue type.',
        )
      call.waits()
      // Thousands may be waiting, so no async function waits with them.
      const receive = (leaseMs: number | undefined): Promise<Output> =>
        call.client
          .receive(queue, {
            max,
            mode: 'simple',
            bytesMax: receiveBytesMax,
            signal: call.signal,
            ...(wait === undefined ? {} : { waitMs: wait * secondMs }),
            ...(leaseMs === undefined ? {} : { leaseMs }),
            ...(attemptId === undefined ? {} : { attemptId }),
          })
          .then((messages) =>
            messages.length > 0 ? received(call, input, queue, messages) : nothing(call, queue, wait),
          )
      return visibility === undefined ? receive(undefined) : leaseOf(call, queue, visibility).then(receive)
    },
  },

  DeleteMessage: {
    role: 'operator',
    input: { QueueUrl: text, ReceiptHandle: text },
    output: {},
    run: async (call, input) => ({ ...(await deleteOne(call, queueOf(call, input), input)) }),
  },

  DeleteMessageBatch: {
    role: 'operator',
    input: {
      QueueUrl: text,
      Entries: list('DeleteMessageBatchRequestEntry', structure({ Id: text, ReceiptHandle: text })),
    },
    output: { Successful: list('DeleteMessageBatchResultEntry', structure({ Id: text })), Failed: failed },
    run: eachOf('DeleteMessageBatchRequestEntry', deleteOne),
  },

  ChangeMessageVisibility: {
    role: 'operator',
    input: { QueueUrl: text, ReceiptHandle: text, VisibilityTimeout: number },
    output: {},
    run: async (call, input) => ({ ...(await changeOne(call, queueOf(call, input), input)) }),
  },

  ChangeMessageVisibilityBatch: {
    role: 'operator',
    input: {
      QueueUrl: text,
      Entries: list(
        'ChangeMessageVisibilityBatchRequestEntry',
        structure({ Id: text, ReceiptHandle: text, VisibilityTimeout: number }),
      ),
    },
    output: {
      Successful: list('ChangeMessageVisibilityBatchResultEntry', structure({ Id: text })),
      Failed: failed,
    },
    run: eachOf('ChangeMessageVisibilityBatchRequestEntry', changeOne),
  },
} as const satisfies Readonly<Record<string, Action>>
