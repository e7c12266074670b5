import type { MetricFamily } from '@kiroku/api'
import { appendSecondsBounds, type PartitionActor } from '@kiroku/engine'
import { limits } from '@kiroku/protocol'

/** What the actors of this process count, as metrics. */
export const engineMetrics = (owned: Iterable<PartitionActor>): MetricFamily[] => {
  const actors = [...owned]
  const all = actors.map((actor) => ({ labels: { partition: actor.partition }, metrics: actor.metrics }))
  const per = (read: (metrics: PartitionActor['metrics']) => number) =>
    all.map(({ labels, metrics }) => ({ labels, value: read(metrics) }))
  return [
    {
      type: 'counter',
      name: 'kiroku_transitions_total',
      help: 'Messages moved, by the fact that moved them, since this node owns the partition.',
      samples: all.flatMap(({ labels, metrics }) =>
        [...metrics.messages].map(([event, value]) => ({ labels: { ...labels, event }, value })),
      ),
    },
    {
      type: 'counter',
      name: 'messaging_client_consumed_messages_total',
      help: 'Messages delivered, since this node owns the partition.',
      samples: all.map(({ labels, metrics }) => ({
        labels: { messaging_system: 'kiroku', messaging_destination_partition_id: labels.partition },
        value: metrics.messages.get('Delivered') ?? 0,
      })),
    },
    {
      type: 'counter',
      name: 'kiroku_lease_expired_total',
      help: 'Leases that ended before the message was settled.',
      samples: per((metrics) => metrics.messages.get('LeaseExpired') ?? 0),
    },
    {
      type: 'histogram',
      name: 'kiroku_append_duration_seconds',
      help: 'Time from sending a frame to its being stored.',
      samples: all.map(({ labels, metrics }) => ({
        labels,
        bounds: appendSecondsBounds,
        counts: metrics.appendCounts,
        sum: metrics.appendSecondsSum,
      })),
    },
    {
      type: 'counter',
      name: 'kiroku_frames_total',
      help: 'Frames appended.',
      samples: per((metrics) => metrics.frames),
    },
    {
      type: 'counter',
      name: 'kiroku_events_total',
      help: 'Events appended; divided by the frames, the batch size.',
      samples: per((metrics) => metrics.events),
    },
    {
      type: 'counter',
      name: 'kiroku_frame_bytes_total',
      help: 'Bytes of frames appended.',
      samples: per((metrics) => metrics.frameBytes),
    },
    {
      type: 'counter',
      name: 'kiroku_checkpoints_total',
      help: 'Checkpoints stored.',
      samples: per((metrics) => metrics.checkpoints),
    },
    {
      type: 'counter',
      name: 'kiroku_checkpoint_failures_total',
      help: 'Checkpoints that failed; meanwhile the log is not trimmed and a take-over reads more.',
      samples: per((metrics) => metrics.checkpointFailures),
    },
    {
      type: 'counter',
      name: 'kiroku_busy_total',
      help: 'Commands that were refused at a limit, to be tried again; clients do so by themselves.',
      samples: per((metrics) => metrics.busy),
    },
    {
      type: 'gauge',
      name: 'kiroku_producers',
      help: `Producers whose sends are remembered; beyond ${limits.producersMax} new ones are refused until others were silent for 15 minutes.`,
      samples: actors.flatMap(({ partition, state }) =>
        state === undefined ? [] : [{ labels: { partition }, value: state.producers.size }],
      ),
    },
    {
      type: 'counter',
      name: 'kiroku_early_trims_total',
      help: 'Trims before the record reached its limits, because the store was short.',
      samples: per((metrics) => metrics.earlyTrims),
    },
    {
      type: 'gauge',
      name: 'kiroku_replay_events',
      help: 'Events replayed by the last take-over.',
      samples: per((metrics) => metrics.replayEvents),
    },
    {
      type: 'gauge',
      name: 'kiroku_replay_duration_seconds',
      help: 'Time that the replay of the last take-over took.',
      samples: per((metrics) => metrics.replaySeconds),
    },
  ]
}
