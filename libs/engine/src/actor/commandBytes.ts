import type { Command } from '@kiroku/protocol'
import { limits } from '../limits.ts'

/** Bytes of a dedup key on record. */
const keyBytes = 17

/** Bytes of the bodies that a command brings. */
export const messageBytes = ({ messages }: { readonly messages: readonly Uint8Array[] }): number => {
  let bytes = 0
  for (const { length } of messages) bytes += length
  return bytes
}

/** Bytes that a command adds to a frame, about. */
export const commandBytes = (command: Command): number => {
  let bytes = 'config' in command ? 1_024 : 128
  if ('messages' in command) bytes += messageBytes(command) + 4 * command.messages.length
  if (command.type === 'Enqueue' && command.dedupIds !== undefined)
    bytes += command.messages.length * keyBytes
  else if ('items' in command) for (const item of command.items) bytes += 32 + item.numbers.length * 8
  return bytes
}

/**
 * What deciding a command takes, in messages that could be settled meanwhile, about.
 * @param queues how many the partition has
 */
export const turnShare = (command: Command, queues: number): number => {
  if (command.type === 'DescribeQueue') return limits.describedAsSettled
  if (command.type === 'ListQueues') {
    const { page } = command
    if (page !== undefined && page.described !== true) return 0
    return Math.max(0, Math.min(queues, page?.max ?? queues)) * limits.describedAsSettled
  }
  let messages = 0
  if ('items' in command)
    for (const { numbers } of command.items)
      for (let i = 1; i < numbers.length; i += 2) messages += numbers[i]!
  return messages
}
