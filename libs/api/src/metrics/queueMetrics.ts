import { readFamilies, type FamilyRow, type MetricFamily, type Reader } from '@kiroku/doors'
import type {
  PartitionDescription,
  QueueCounts,
  QueueDescription,
  SubscriptionDescription,
} from '@kiroku/protocol'
import { foldQueues, type MeasuredQueue } from './foldQueues.ts'

type StateNames = readonly (readonly [keyof QueueCounts, string])[]

const liveStates: StateNames = [
  ['available', 'Available'],
  ['inflight', 'Inflight'],
  ['waitingRetry', 'WaitingRetry'],
]
const finalStates: StateNames = [
  ['committed', 'Committed'],
  ['deadLettered', 'DLQ'],
  ['discarded', 'Discarded'],
]

/** A queue's single subscription, reported as the queue, or each of several. */
interface Consumer extends Pick<QueueDescription, 'counts' | 'waitingPolls' | 'deliveryPaused'> {
  readonly labels: Readonly<Record<string, string>>
}

const consumersOf = (queue: MeasuredQueue): Consumer[] => {
  const { name, subscriptions, deliveryPaused } = queue
  if (subscriptions.length === 1 && subscriptions[0]!.name === 'main')
    return [
      {
        ...queue,
        labels: { queue: name },
        deliveryPaused: deliveryPaused || standsStill(subscriptions[0]!),
      },
    ]
  return subscriptions.map((sub) => ({
    ...sub,
    labels: { queue: name, subscription: sub.name },
    deliveryPaused: deliveryPaused || standsStill(sub),
  }))
}

const standsStill = ({ deliveryPaused, hold }: SubscriptionDescription): boolean =>
  deliveryPaused || hold !== undefined

/** The state at the time of a scrape. */
interface Described {
  /** As the partitions have them. */
  readonly parts: readonly QueueDescription[]
  readonly queues: readonly MeasuredQueue[]
  readonly consumers: readonly Consumer[]
  readonly partitions: readonly PartitionDescription[]
}

const perQueue =
  (read: (queue: MeasuredQueue) => number): Reader<Described> =>
  ({ queues }) =>
    queues.map((queue) => ({ labels: { queue: queue.name }, value: read(queue) }))

const perConsumer =
  (read: (consumer: Consumer) => number): Reader<Described> =>
  ({ consumers }) =>
    consumers.map((consumer) => ({ labels: consumer.labels, value: read(consumer) }))

const perState =
  (states: StateNames): Reader<Described> =>
  ({ consumers }) =>
    consumers.flatMap(({ labels, counts }) =>
      states.map(([key, state]) => ({ labels: { ...labels, state }, value: counts[key] })),
    )

const perPartition =
  (read: (partition: PartitionDescription) => number | undefined): Reader<Described> =>
  ({ partitions }) =>
    partitions.flatMap((each) => {
      const value = read(each)
      return value === undefined ? [] : [{ labels: { partition: each.partition, node: each.node }, value }]
    })

/** With OpenTelemetry's labels for messaging. Reply queues of older clients are folded into one per partition. */
const perDestination =
  (read: (queue: MeasuredQueue) => number): Reader<Described> =>
  ({ parts }) =>
    [...Map.groupBy(parts, ({ partition }) => partition)].flatMap(([partition, here]) =>
      foldQueues(here).map((queue) => ({
        labels: {
          messaging_system: 'kiroku',
          messaging_destination_name: queue.name,
          messaging_destination_partition_id: partition,
        },
        value: read(queue),
      })),
    )

const families: readonly FamilyRow<Described>[] = [
  [
    'gauge',
    'kiroku_messages',
    'Messages that are not final, by state.',
    (described) => [
      ...described.queues.map(({ name, counts }) => ({
        labels: { queue: name, state: 'Delayed' },
        value: counts.delayed,
      })),
      ...perState(liveStates)(described),
    ],
  ],
  [
    'counter',
    'kiroku_messages_final_total',
    'Messages that reached a final state since the queue was created.',
    perState(finalStates),
  ],
  [
    'counter',
    'messaging_client_sent_messages_total',
    'Messages stored since the queue was created.',
    perDestination((queue) => queue.counts.sent),
  ],
  [
    'counter',
    'kiroku_redelivered_total',
    'Deliveries beyond the first of each message.',
    perConsumer(({ counts }) => counts.redelivered),
  ],
  [
    'gauge',
    'kiroku_oldest_age_seconds',
    'Age of the oldest message that is not final.',
    perQueue((queue) => queue.oldestAgeMs / 1_000),
  ],
  [
    'gauge',
    'kiroku_queue_warnings',
    'What `kiroku queue show` warns about, as far as this node can tell: it asks no other one about dead-letter queues.',
    perQueue(({ warnings }) => warnings.length),
  ],
  [
    'gauge',
    'kiroku_waiting_polls',
    'Receives that wait for a message.',
    perConsumer(({ waitingPolls }) => waitingPolls),
  ],
  [
    'gauge',
    'kiroku_delivery_paused',
    '1 while deliveries are paused, or held because a consumer was told to wait.',
    perConsumer(({ deliveryPaused }) => (deliveryPaused ? 1 : 0)),
  ],
  ['gauge', 'kiroku_partition_epoch', 'Number of the current ownership.', perPartition((p) => p.epoch)],
  [
    'gauge',
    'kiroku_partition_clocks_disputed',
    '1 while the clocks of NATS and the node are too far apart, so that partition time waits for an operator.',
    perPartition((p) => (p.clock?.state === 'disputed' ? 1 : 0)),
  ],
  ['gauge', 'kiroku_partition_last_sequence', 'Last sequence of the log.', perPartition((p) => p.lastSeq)],
  ['gauge', 'kiroku_partition_log_bytes', 'Bytes of the log.', perPartition((p) => p.bytes)],
  [
    'gauge',
    'kiroku_partition_checkpoints',
    'Stored checkpoints.',
    perPartition(({ checkpoints }) => checkpoints?.count),
  ],
  [
    'gauge',
    'kiroku_partition_checkpoint_bytes',
    "Bytes of the stored checkpoints; they count in the record's limit.",
    perPartition(({ checkpoints }) => checkpoints?.bytes),
  ],
  [
    'gauge',
    'kiroku_store_free_bytes',
    "Free bytes of the store that the partition's log shares; sends leave its reserve free.",
    perPartition(({ storage }) => storage?.freeBytes),
  ],
  [
    'gauge',
    'kiroku_store_reserve_bytes',
    'Below this much free room sends are refused; below twice as much the log is trimmed early.',
    perPartition(({ storage }) => storage?.reserveBytes),
  ],
  [
    'gauge',
    'kiroku_sends_refused',
    '1 while sends are refused for lack of room.',
    perPartition(({ storage }) => (storage?.state === 'full' ? 1 : 0)),
  ],
  [
    'gauge',
    'kiroku_partition_lag_records',
    'Records since the last checkpoint: what a take-over replays.',
    perPartition((p) => p.lastSeq - p.checkpointSeq),
  ],
  [
    'gauge',
    'kiroku_partition_outbox',
    'Messages on their way to another partition.',
    perPartition((p) => p.outbox),
  ],
  [
    'gauge',
    'kiroku_partition_outbox_held',
    'Messages on their way to another partition that cannot arrive because their queue or subscription was deleted.',
    perPartition(({ held = [] }) => held.reduce((sum, { messages }) => sum + messages, 0)),
  ],
  [
    'gauge',
    'kiroku_partition_outbox_held_seconds',
    'Longest time that the owner has known of messages that cannot arrive; 0 if all can.',
    perPartition(({ held = [], clock }) =>
      clock === undefined
        ? undefined
        : held.reduce(
            (longest, lane) =>
              Math.max(longest, (clock.partitionMs - (lane.held?.since ?? clock.partitionMs)) / 1_000),
            0,
          ),
    ),
  ],
]

/** Metrics of queues and partitions: Kiroku's, and OpenTelemetry's names for messaging. */
export const queueMetrics = (
  parts: readonly QueueDescription[],
  partitions: readonly PartitionDescription[],
): Iterable<MetricFamily> => {
  const queues = foldQueues(parts)
  return readFamilies(families, { parts, queues, consumers: queues.flatMap(consumersOf), partitions })
}
