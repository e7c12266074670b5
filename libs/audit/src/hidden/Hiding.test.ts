import { describe, expect, it } from 'vitest'
import { Hiding } from './Hiding.ts'
import { passedBy } from './passedBy.ts'

const open = { partition: 0, queue: 1 }
const secret = { partition: 0, queue: 2 }
const bodies = { partition: 1, queue: 2 }
const hiding = new Hiding([
  { ...open, config: {} },
  { ...secret, config: { bodyHidden: 'on' } },
  { ...bodies, config: { bodyHidden: 'on', errorHidden: 'off' } },
])
const through = (...queues: { partition: number; queue: number }[]) => hiding.of({ queues, isWhole: true })

/** A lineage as a forwarder writes it, but for what says where it came from. */
const lineage = (passed?: readonly string[], messageId = 'abc-0-1-1') => ({
  messageId,
  queue: 'mail',
  attempts: 1,
  cause: 'retry',
  error: '',
  enqueuedAt: 1,
  ...(passed === undefined ? {} : { passed }),
})

describe('what is hidden of a message', () => {
  it('is what one of the queues that it passed hides, and the most that any of them does', () => {
    expect(through(open)).toBeUndefined()
    expect(through(open, bodies)).toBe('body')
    expect(through(bodies, open, secret)).toBe('all')
  })

  it('is everything where one of them is not known', () => {
    expect(through(open, { partition: 0, queue: 3 })).toBe('all')
  })

  it('is what any queue of the log hides where the record does not say which it passed', () => {
    expect(hiding.of({ queues: [open], isWhole: false })).toBe('all')
    const harmless = new Hiding([{ ...open, config: {} }])
    expect(harmless.of({ queues: [open], isWhole: false })).toBeUndefined()
  })
})

describe('the queues that a message passed', () => {
  const of = (...asked: Parameters<typeof passedBy>) => {
    const { queues, isWhole } = passedBy(...asked)
    return [[...queues].map(({ partition, queue }) => `${partition}/${queue}`), isWhole]
  }

  it('are where it is, where it was first sent to, and those that its lineage names', () => {
    expect(of([open], undefined)).toEqual([['0/1'], true])
    expect(of([open], lineage(['0/2', '1/2'], 'abc-0-2-1'))).toEqual([['0/1', '0/2', '0/2', '1/2'], true])
  })

  it('are not all known where a lineage does not name them, as before it did, or has been tampered with', () => {
    expect(of([open], lineage(undefined, 'abc-0-2-1'))).toEqual([['0/1', '0/2'], false])
    for (const odd of ['0/2', [7], ['0/x'], ['0/2/3'], {}])
      expect(of([open], lineage(odd as never, 'no id'))).toEqual([['0/1'], false])
    expect(of([open], { messageId: 7 } as never)).toEqual([['0/1'], false])
  })
})
