import { expect, it } from 'vitest'
import { isReplyQueue, replyQueueName } from './replyQueueName.ts'

it('a reply queue is known by its name, and no other queue is taken for one', () => {
  expect(isReplyQueue(replyQueueName())).toBe(true)
  for (const name of ['replies', 'replies-to-ada', `my-${replyQueueName()}`, `${replyQueueName()}-dlq`])
    expect(isReplyQueue(name)).toBe(false)
})
