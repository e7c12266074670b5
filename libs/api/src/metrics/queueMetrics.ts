import type {
  PartitionDescription,
  QueueCounts,
  QueueDescription,
  SubscriptionDescription,
} from '@kiroku/protocol'
import type { MetricFamily } from './MetricFamily.ts'
import { foldReplyQueues, type MeasuredQueue } from './foldReplyQueues.ts'

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

/** A queue's one subscription, which stands for the queue, or each of several. */
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

/** What queues and partitions say of themselves, as metrics: ours, and OpenTelemetry's names for messaging. */
export const queueMetrics = (
  described: readonly QueueDescription[],
  partitions: readonly PartitionDescription[],
): MetricFamily[] => {
  const queues = foldReplyQueues(described)
  const perQueue = (read: (queue: MeasuredQueue) => number) =>
    queues.map((queue) => ({ labels: { queue: queue.name }, value: read(queue) }))
  const consumers = queues.flatMap(consumersOf)
  const perConsumer = (read: (consumer: Consumer) => number) =>
    consumers.map((consumer) => ({ labels: consumer.labels, value: read(consumer) }))
  const perState = (states: StateNames) =>
    consumers.flatMap(({ labels, counts }) =>
      states.map(([key, state]) => ({ labels: { ...labels, state }, value: counts[key] })),
    )
  const perPartition = (read: (partition: PartitionDescription) => number | undefined) =>
    partitions.flatMap((partition) => {
      const value = read(partition)
      const labels = { partition: partition.partition, node: partition.node }
      return value === undefined ? [] : [{ labels, value }]
    })
  const messaging = (read: (queue: MeasuredQueue) => number) =>
    queues.map((queue) => ({
      labels: {
        messaging_system: 'kiroku',
        messaging_destination_name: queue.name,
        ...(queue.partition === undefined ? {} : { messaging_destination_partition_id: queue.partition }),
      },
      value: read(queue),
    }))
  return [
    {
      type: 'gauge',
      name: 'kiroku_messages',
      help: 'Messages that are not final, by state.',
      samples: [
        ...queues.map(({ name, counts }) => ({
          labels: { queue: name, state: 'Delayed' },
          value: counts.delayed,
        })),
        ...perState(liveStates),
      ],
    },
    {
      type: 'counter',
      name: 'kiroku_messages_final_total',
      help: 'Messages that reached a final state since the queue was created.',
      samples: perState(finalStates),
    },
    {
      type: 'counter',
      name: 'messaging_client_sent_messages_total',
      help: 'Messages stored since the queue was created.',
      samples: messaging((queue) => queue.counts.sent),
    },
    {
      type: 'counter',
      name: 'kiroku_redelivered_total',
      help: 'Deliveries beyond the first of each message.',
      samples: perConsumer(({ counts }) => counts.redelivered),
    },
    {
      type: 'gauge',
      name: 'kiroku_oldest_age_seconds',
      help: 'Age of the oldest message that is not final.',
      samples: perQueue((queue) => queue.oldestAgeMs / 1_000),
    },
    {
      type: 'gauge',
      name: 'kiroku_queue_warnings',
      help: 'What `kiroku queue show` warns about.',
      samples: perQueue(({ warnings }) => warnings.length),
    },
    {
      type: 'gauge',
      name: 'kiroku_waiting_polls',
      help: 'Receives that wait for a message.',
      samples: perConsumer(({ waitingPolls }) => waitingPolls),
    },
    {
      type: 'gauge',
      name: 'kiroku_delivery_paused',
      help: '1 while deliveries are paused, or held by a consumer that was told to wait.',
      samples: perConsumer(({ deliveryPaused }) => (deliveryPaused ? 1 : 0)),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_epoch',
      help: 'Number of the present ownership.',
      samples: perPartition((p) => p.epoch),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_clocks_disputed',
      help: 'Whether the clock of NATS and that of the node are too far apart, so that partition time waits for a word.',
      samples: perPartition((p) => (p.clock?.state === 'disputed' ? 1 : 0)),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_last_sequence',
      help: 'Last sequence of the log.',
      samples: perPartition((p) => p.lastSeq),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_log_bytes',
      help: 'Bytes of the log.',
      samples: perPartition((p) => p.bytes),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_checkpoints',
      help: 'Checkpoints that are stored.',
      samples: perPartition(({ checkpoints }) => checkpoints?.count),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_checkpoint_bytes',
      help: "Bytes of the stored checkpoints; they count in the record's limit.",
      samples: perPartition(({ checkpoints }) => checkpoints?.bytes),
    },
    {
      type: 'gauge',
      name: 'kiroku_store_free_bytes',
      help: "What is left of the store that the partition's log shares; sends leave its reserve free.",
      samples: perPartition(({ storage }) => storage?.freeBytes),
    },
    {
      type: 'gauge',
      name: 'kiroku_store_reserve_bytes',
      help: 'Below this much free room sends are refused; below twice as much the log is trimmed early.',
      samples: perPartition(({ storage }) => storage?.reserveBytes),
    },
    {
      type: 'gauge',
      name: 'kiroku_sends_refused',
      help: '1 while sends are refused for want of room.',
      samples: perPartition(({ storage }) => (storage?.state === 'full' ? 1 : 0)),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_lag_records',
      help: 'Records since the last checkpoint: what a take-over replays.',
      samples: perPartition((p) => p.lastSeq - p.checkpointSeq),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_outbox',
      help: 'Messages on their way to another partition.',
      samples: perPartition((p) => p.outbox),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_outbox_held',
      help: 'Messages on their way to another partition that cannot arrive, since their queue or subscription was deleted.',
      samples: perPartition(({ held = [] }) => held.reduce((sum, { messages }) => sum + messages, 0)),
    },
    {
      type: 'gauge',
      name: 'kiroku_partition_outbox_held_seconds',
      help: 'How long the owner has known that messages cannot arrive, the longest; 0 where all can.',
      samples: perPartition(({ held = [], clock }) =>
        clock === undefined
          ? undefined
          : held.reduce(
              (longest, lane) =>
                Math.max(longest, (clock.partitionMs - (lane.held?.since ?? clock.partitionMs)) / 1_000),
              0,
            ),
      ),
    },
  ]
}
