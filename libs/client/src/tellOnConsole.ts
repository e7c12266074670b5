import { inspect } from 'node:util'
import { inTime, shown, type KirokuError } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'

/**
 * Writes to standard error what needs attention: a handler that fails, a lost engine, a lost lease. Control characters are
 * spelled out, since a handler's error may quote what a producer wrote.
 */
export const tellOnConsole = (event: ClientEvent): void => {
  const line = lineOf(event)
  if (line !== undefined) console.error(shown(line))
}

const lineOf = (event: ClientEvent): string | undefined => {
  switch (event.type) {
    case 'handlerFailed': {
      const { queue, messages, messageId, attempt, error } = event
      const more = messages > 1 ? ` and ${messages - 1} more` : ''
      return `kiroku: the handler of "${queue}" failed on ${messageId}${more}, attempt ${attempt}: ${inspect(error)}`
    }
    case 'bodyMismatch':
      return `kiroku: message ${event.messageId} of "${event.queue}" is dead-lettered, or discarded without a dead-letter queue: ${event.error.message}`
    case 'delayHeld':
      return `kiroku: the handler of "${event.queue}" asked for a delay of ${inTime(event.delayMs)} for ${event.messageId}, which was capped at ${inTime(event.heldToMs)}; reported once`
    case 'queueWarning':
      return `kiroku: warning for queue "${event.queue}": ${event.warning}`
    case 'consumerFailed':
      return `kiroku: the consumer of "${event.queue}" has ended: ${textOf(event.error)}`
    case 'engineLost':
      return `kiroku: no answer from the engine, retrying: ${event.error.message}`
    case 'engineBack':
      return `kiroku: the engine answers again, after ${(event.awayMs / 1_000).toFixed(1)} s`
    case 'leaseLost':
    case 'leaseAbandoned':
      return `kiroku: ${event.receipts.length} messages of "${event.queue}" may be delivered again: ${textOf(event.error)}`
    case 'settleFailed':
      return `kiroku: ${event.receipts.length} verdicts on messages of "${event.queue}" were not stored: ${textOf(event.error)}`
    case 'backPressure':
    case 'retrying':
    case 'ownerChanged':
    case 'released':
    case 'replyDropped':
      return undefined
  }
}

const textOf = ({ message, help }: KirokuError): string => `${message}. ${help}`
