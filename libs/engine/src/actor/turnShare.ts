import type { Command } from '@kiroku/protocol'
import { limits } from '../limits.ts'

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
