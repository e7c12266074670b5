import type { TailLine } from '@kiroku/audit'
import { describe, expect, it } from 'vitest'
import { tailJson, tailText } from './tailText.ts'

const line: TailLine = {
  partition: 0,
  seq: 7,
  at: Date.UTC(2026, 10, 22, 14, 2, 31, 250),
  event: 'Delivered',
  queue: 1,
  from: 'Available',
  to: 'Inflight',
  first: 3,
  count: 2,
  consumer: 'worker-1',
}

describe('the tail of a queue', () => {
  it('has one line per message, with what happened, who did it and why', () => {
    expect(
      tailText(
        [line, { ...line, event: 'DeliveryPaused', first: 0, count: 0, cause: 'by ann (cli)' }],
        'log',
      ),
    ).toEqual([
      '14:02:31.250  0/7  log-0-1-3  Available → Inflight  to worker-1',
      '14:02:31.250  0/7  log-0-1-4  Available → Inflight  to worker-1',
      '14:02:31.250  0/7  Available → Inflight  to worker-1  by ann (cli)',
    ])
    const { from: _, to: __, consumer: ___, ...bare } = line
    expect(tailText([{ ...bare, event: 'QueuePurged', first: 0, count: 0 }], 'log')).toEqual([
      '14:02:31.250  0/7  QueuePurged',
    ])
  })

  it('sums up what is more than a terminal can show', () => {
    expect(
      tailText(
        [
          { ...line, count: 1_200 },
          { ...line, seq: 8, from: 'Inflight', to: 'Committed', count: 3 },
        ],
        'log',
      ),
    ).toEqual(['14:02:31.250  0/8  Available → Inflight +1,200, Inflight → Committed +3'])
  })

  it('is one value per message as JSON', () => {
    expect(tailJson(line, 'log').map(({ messageId }) => messageId)).toEqual(['log-0-1-3', 'log-0-1-4'])
    expect(tailJson({ ...line, first: 0, count: 0 }, 'log')).toMatchObject([{ event: 'Delivered', seq: 7 }])
  })
})
