import type { MetricFamily } from '@kiroku/doors'
import { expect, it } from 'vitest'
import { turnsDuring } from '../testing/turnsDuring.ts'
import { renderMetrics } from './renderMetrics.ts'

const textOf = async (tables: readonly Iterable<MetricFamily>[]): Promise<string> =>
  Buffer.concat(await renderMetrics(tables)).toString()

it('writes counters and gauges with escaped labels', async () => {
  const text = await textOf([
    [
      {
        type: 'counter',
        name: 'kiroku_transitions_total',
        help: 'State changes.',
        samples: [{ labels: { from: 'Available', to: 'Inflight' }, value: 3 }],
      },
      { type: 'gauge', name: 'odd', help: 'a\nb', samples: [{ labels: { q: 'a"b\\c\nd' }, value: 0.5 }] },
    ],
  ])
  expect(text).toBe(
    [
      '# HELP kiroku_transitions_total State changes.',
      '# TYPE kiroku_transitions_total counter',
      'kiroku_transitions_total{from="Available",to="Inflight"} 3',
      '# HELP odd a\\nb',
      '# TYPE odd gauge',
      'odd{q="a\\"b\\\\c\\nd"} 0.5',
      '',
    ].join('\n'),
  )
})

it('writes histograms with cumulative buckets, sum and count', async () => {
  const text = await textOf([
    [
      {
        type: 'histogram',
        name: 'kiroku_append_duration_seconds',
        help: 'Appends.',
        samples: [{ labels: {}, bounds: [0.001, 0.01], counts: [2, 1, 1], sum: 0.05 }],
      },
    ],
  ])
  expect(text.split('\n').slice(2, -1)).toEqual([
    'kiroku_append_duration_seconds_bucket{le="0.001"} 2',
    'kiroku_append_duration_seconds_bucket{le="0.01"} 3',
    'kiroku_append_duration_seconds_bucket{le="+Inf"} 4',
    'kiroku_append_duration_seconds_sum 0.05',
    'kiroku_append_duration_seconds_count 4',
  ])
})

it('writes a great deal piece by piece, so that others have their turn', async () => {
  const samples = Array.from({ length: 10_500 }, (_, i) => ({ labels: { queue: `queue-${i}` }, value: i }))
  const family = (name: string) => ({ type: 'gauge', name, help: 'Odd.', samples }) as const
  const { value: text, turns } = await turnsDuring(() => textOf([[family('one')], [family('other')]]))
  expect(turns).toBeGreaterThanOrEqual(20)
  const lines = (name: string) => [
    `# HELP ${name} Odd.`,
    `# TYPE ${name} gauge`,
    ...samples.map(({ labels, value }) => `${name}{queue="${labels.queue}"} ${value}`),
  ]
  expect(text.split('\n')).toEqual([...lines('one'), ...lines('other'), ''])
})
