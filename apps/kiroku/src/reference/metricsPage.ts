import { queueMetrics } from '@kiroku/api'
import {
  DoorRequests,
  httpLimitsDefault,
  InFlight,
  OperationTimes,
  Refusals,
  type MetricFamily,
} from '@kiroku/doors'
import { auditorMetrics } from '../auditor/auditorMetrics.ts'
import { engineMetrics } from '../serve/engineMetrics.ts'
import { code, table } from './markdown.ts'

const families = (all: Iterable<MetricFamily>): string[] =>
  table(
    ['metric', 'type', 'meaning'],
    Array.from(all, ({ name, type, help }) => [code(name), type, help]),
  )

/** The page `docs/reference/metrics.md`, made from the metrics themselves. */
export const metricsPage = (): string =>
  [
    '# Metrics',
    '',
    '```sh',
    'curl -s http://127.0.0.1:8480/metrics',
    '```',
    '',
    'Every node answers in the text format of Prometheus. A node reports what it owns, so a scrape of every node counts',
    'everything once. Where there are tokens, a scrape needs one of a viewer: `Authorization: Bearer TOKEN`.',
    '',
    '## Queues and partitions',
    '',
    'Labels: `queue`, and `subscription` where a queue has several; `partition` and `node` for what belongs to a partition.',
    'Counters begin with the queue, and survive restarts: they are part of the record.',
    '',
    ...families(queueMetrics([], [])),
    '',
    '## The engine of this process',
    '',
    'Label: `partition`. Counters begin when this node takes the partition over, but for owner changes; memory is that of all partitions of the node.',
    '',
    ...families(
      engineMetrics({
        actors: new Map(),
        takeOvers: new Map(),
        ahead: new Map(),
        stateMemory: { bytes: 0, bytesMax: 0 },
      }),
    ),
    '',
    '## The HTTP API of this process',
    '',
    ...families([
      new OperationTimes().family(),
      new Refusals(() => {}).family(),
      ...new InFlight(httpLimitsDefault).families(),
    ]),
    '',
    '## Doors for clients of other systems, in this process',
    '',
    'Labels: `door`, `action` as the system calls it, and `code`: `ok`, that of the error, or `gone` where the caller did not wait for the answer.',
    '',
    ...families([new DoorRequests().family()]),
    '',
    '## The auditor next to it',
    '',
    ...families(auditorMetrics(undefined)),
    '',
    'This page is made from the code of the metrics; change it there.',
    '',
  ].join('\n')
