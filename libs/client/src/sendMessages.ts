import { messageId } from '@kiroku/protocol'
import type { LogConnection, OpenLog } from './LogConnection.ts'
import { marksOf } from './Marks.ts'
import type { Stored } from './QueueRoute.ts'
import type { BatchOptions, OutgoingMessage, SendOptions } from './SendOptions.ts'
import { checkOptions, type OptionNames } from './checkOptions.ts'
import { encodeMessage } from './encodeMessage.ts'
import { nameOf, type QueueNamed } from './schema/defineQueue.ts'
import { fitting } from './schema/fitting.ts'

/** Stores one message. Errors: see `Client.send`. */
export const sendMessage = async (
  connection: LogConnection,
  to: QueueNamed,
  body: unknown,
  options: SendOptions,
): Promise<{ readonly messageId: string }> => {
  checkOptions('send', options, sendOptions)
  const queue = nameOf(to)
  const sent = typeof to === 'string' ? { ...options, body } : await fitting(to, { ...options, body })
  const log = connection.logToSend ?? (await connection.openToSend(queue))
  const marks = marksOf(options)
  const stored = await log.of(queue).send(encodeMessage(log.envelopes, sent.body, marks, sent), marks)
  return { messageId: idOf(log, stored, 0) }
}

/** Stores many messages in order. Errors: see `Client.sendBatch`. */
export const sendMessages = async (
  connection: LogConnection,
  to: QueueNamed,
  given: readonly OutgoingMessage<unknown>[],
  options: BatchOptions,
): Promise<{ readonly messageIds: string[] }> => {
  checkOptions('sendBatch', options, batchOptions)
  for (const message of given) checkOptions('A message of sendBatch', message, outgoingMessage)
  const queue = nameOf(to)
  const messages =
    typeof to === 'string' ? given : await Promise.all(given.map((message) => fitting(to, message)))
  const log = connection.logToSend ?? (await connection.openToSend(queue))
  const marks = messages.map((message) => marksOf(message, options))
  const envelopes = messages.map((message, i) =>
    encodeMessage(log.envelopes, message.body, marks[i], message, options),
  )
  const messageIds: string[] = []
  for (const stored of await log.of(queue).sendAll(envelopes, marks))
    for (let i = 0; i < stored.range.count; i++) messageIds.push(idOf(log, stored, i))
  return { messageIds }
}

const batchOptions: OptionNames<BatchOptions> = {
  delayMs: true,
  attributes: true,
  attributeTypes: true,
  tag: true,
  group: true,
  contentType: true,
  traceparent: true,
  traceHeader: true,
  sender: true,
}
const sendOptions: OptionNames<SendOptions> = { ...batchOptions, dedupId: true }
const outgoingMessage: OptionNames<OutgoingMessage<unknown>> = { body: true, ...sendOptions }

const idOf = (log: OpenLog, { partition, range }: Stored, offset: number): string =>
  messageId({
    incarnation: log.directory.incarnation,
    partition: partition.link.partition,
    queue: range.queue,
    number: range.numbers?.[offset] ?? range.first + offset,
  })
