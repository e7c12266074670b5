import { checkOptions, type CommandOf, type OptionRules, rule } from '@kiroku/protocol'
import type { ReceiveOptions } from './Client.ts'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import type { LogConnection, OpenLog } from './LogConnection.ts'
import { receivedMessages, type ReceivedMessage } from './ReceivedMessage.ts'
import { nameOf, type QueueNamed } from './schema/defineQueue.ts'
import { fittingMessages } from './schema/fittingMessages.ts'

/** Who receives, and over what. */
export interface Receiver {
  readonly connection: LogConnection
  /** Its name in deliveries and in the record. */
  readonly consumer: string
  readonly newPoll: () => string
  readonly clock: Clock
  readonly emit: (event: ClientEvent) => void
}

/** Takes messages; an empty array when there is none within the wait. Errors: see `Client.receive`. */
export const receiveMessages = <T>(
  receiver: Receiver,
  from: QueueNamed,
  options: ReceiveOptions,
): Promise<ReceivedMessage<T>[]> => {
  try {
    checkOptions('receive', options, receiveOptions)
    const { connection } = receiver
    // Thousands may be waiting, so no async function waits with them.
    if (connection.log !== undefined) return receiveFrom(connection.log, receiver, from, options)
    return connection.openFor(nameOf(from)).then((log) => receiveFrom(log, receiver, from, options))
  } catch (error) {
    return Promise.reject(error as Error)
  }
}

const receiveFrom = <T>(
  log: OpenLog,
  { consumer, newPoll, emit }: Receiver,
  from: QueueNamed,
  options: ReceiveOptions,
): Promise<ReceivedMessage<T>[]> => {
  const queue = nameOf(from)
  const { subscription, group, max = 1, mode = 'simple', signal, attemptId } = options
  const { bytesMax, waitMs, batchWaitMs, leaseMs } = options
  const command: CommandOf<'Receive'> = {
    type: 'Receive',
    queue,
    poll: newPoll(),
    max,
    mode,
    consumer,
    ...(subscription === undefined ? {} : { subscription }),
    ...(group === undefined ? {} : { group }),
    ...(attemptId === undefined ? {} : { attempt: attemptId }),
    ...(bytesMax === undefined ? {} : { bytesMax }),
    ...(waitMs === undefined ? {} : { waitMs: Math.max(0, Math.round(waitMs)) }),
    ...(batchWaitMs === undefined ? {} : { batchWaitMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
  return log
    .of(queue)
    .take(command, { signal })
    .then((taken) => {
      if (taken === undefined) return []
      const { partition, delivery } = taken
      const { incarnation } = log.directory
      const context = { incarnation, partition: partition.link.partition, queue, delivery }
      const messages = receivedMessages<T>(context, partition.settler)
      return typeof from === 'string' ? messages : onlyFitting(from, messages, emit)
    })
}

const onlyFitting = <T>(
  from: Exclude<QueueNamed, string>,
  messages: readonly ReceivedMessage<T>[],
  emit: Receiver['emit'],
): Promise<ReceivedMessage<T>[]> =>
  fittingMessages(from, messages, {
    // It is refused without a dead-letter queue. What cannot be settled at all is redelivered.
    deadLetter: (message, error) =>
      message
        .deadLetter(error)
        .catch(() => message.retry({ delayMs: 0, error }))
        .catch(() => undefined),
    retry: (message, error) => message.retry({ error }).catch(() => undefined),
    emit,
  })

/** The rest is checked by the partition. */
const receiveOptions: OptionRules<ReceiveOptions> = {
  subscription: rule.text,
  group: rule.text,
  max: rule.any,
  bytesMax: rule.any,
  waitMs: rule.milliseconds,
  batchWaitMs: rule.any,
  attemptId: rule.any,
  leaseMs: rule.any,
  mode: rule.any,
  signal: rule.any,
}
