import { checkOptions, KirokuError, messageId, type OptionRules, rule, valueInWords } from '@kiroku/protocol'
import type { LogConnection, OpenLog } from './LogConnection.ts'
import { marksOf } from './Marks.ts'
import type { Stored } from './QueueRoute.ts'
import type { BatchOptions, OutgoingMessage, SendOptions } from './SendOptions.ts'
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
  if (!Array.isArray(given)) throw notMessages(given)
  for (const message of given) {
    if (typeof message !== 'object' || message === null) throw notMessages(message)
    checkOptions('A message of sendBatch', message, outgoingMessage)
  }
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

const notMessages = (given: unknown): KirokuError =>
  new KirokuError('InvalidArgument', `sendBatch takes messages as [{ body }, …], not ${valueInWords(given)}`)

/** Their values are checked as the message is written. */
const batchOptions: OptionRules<BatchOptions> = {
  delayMs: rule.any,
  attributes: rule.any,
  attributeTypes: rule.any,
  tag: rule.any,
  group: rule.any,
  contentType: rule.any,
  traceparent: rule.any,
  traceHeader: rule.any,
  sender: rule.any,
}
/** The options of a send. */
export const sendOptions: OptionRules<SendOptions> = { ...batchOptions, dedupId: rule.any }
const outgoingMessage: OptionRules<OutgoingMessage<unknown>> = { body: rule.any, ...sendOptions }

const idOf = (log: OpenLog, { partition, range }: Stored, offset: number): string =>
  messageId({
    incarnation: log.directory.incarnation,
    partition: partition.link.partition,
    queue: range.queue,
    number: range.numbers?.[offset] ?? range.first + offset,
  })
