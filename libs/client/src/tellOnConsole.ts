import { inspect } from 'node:util'
import { inTime, shown, type KirokuError } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'

/** How many failures of one queue's handler are told one by one in `failuresMs`. */
const failuresMax = 20
const failuresMs = 10_000

/**
 * Writes to standard error what needs attention: a handler that fails, a lost engine, a lost lease. A handler that fails all the
 * time is told of in full for a while and then in numbers, so that the rest can be found. Control characters are spelled out,
 * since a handler's error may quote what a producer wrote.
 */
export const tellOnConsole = (clock: Clock): ((event: ClientEvent) => void) => {
  const say = (line: string): void => console.error(shown(line))
  const failures = new Map<string, number>()
  /** Whether the failure is one too many to be told by itself. */
  const isOneOfMany = (queue: string): boolean => {
    const count = (failures.get(queue) ?? 0) + 1
    failures.set(queue, count)
    if (count > 1) return count > failuresMax
    const timer = clock.setTimeout(() => {
      const more = failures.get(queue)! - failuresMax
      failures.delete(queue)
      if (more > 0)
        say(`kiroku: the handler of "${queue}" failed ${more} more times within ${inTime(failuresMs)}`)
    }, failuresMs)
    // A program that is done need not wait for it.
    ;(timer as { readonly unref?: () => void } | undefined)?.unref?.()
    return false
  }
  return (event) => {
    if (event.type === 'handlerFailed' && isOneOfMany(event.queue)) return
    const line = lineOf(event)
    if (line !== undefined) say(line)
  }
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
