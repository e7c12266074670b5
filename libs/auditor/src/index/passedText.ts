import type { Passed } from '@kiroku/audit'
import type { PartitionState } from '@kiroku/partition'
import type { QueueAddress } from '@kiroku/protocol'

/** The queues that a forwarded message passed, as a row keeps them: `partition/queue` each, and `?` where there may be more. */
export const passedText = ({ queues, isWhole }: Passed): string =>
  [...new Set([...queues].map(addressText)), ...(isWhole ? [] : ['?'])].join(' ')

/** Reads what `passedText` wrote; an empty text is that of a message that was sent to where it is. */
export const parsePassed = (text: string): Passed => {
  const names = text.split(' ').filter((name) => name !== '')
  const queues = names.filter((name) => name !== '?')
  return {
    queues: queues.map((name) => {
      const [partition, queue] = name.split('/').map(Number)
      return { partition: partition!, queue: queue! }
    }),
    isWhole: queues.length === names.length,
  }
}

/** What matches a text in which a queue is named, for GLOB. */
export const passedGlob = (queue: QueueAddress): string => `* ${addressText(queue)} *`

const addressText = ({ partition, queue }: QueueAddress): string => `${partition}/${queue}`

/** That of a message whose arrival was not read: others of its queue came from elsewhere, or none did. */
export const passedBefore = ({ queues, forwardsSeen }: PartitionState, queue: number): string => {
  const hadForwards =
    queues.get(queue)?.hadForwards === true ||
    [...forwardsSeen.keys()].some((key) => key.endsWith(`/${queue}`))
  return passedText({ queues: [], isWhole: !hadForwards })
}
