import { expect, it } from 'vitest'
import { isReplyQueue } from './isReplyQueue.ts'

it('a reply queue of one requester is known by its name, and no other queue is taken for one', () => {
  const own = 'replies-00000001-0000-4000-8000-00000000000f'
  expect(isReplyQueue(own)).toBe(true)
  for (const name of ['replies', 'replies-to-ada', `my-${own}`, `${own}-dlq`])
    expect(isReplyQueue(name)).toBe(false)
})
