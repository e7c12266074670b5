import { readFamilies, type FamilyRow, type MetricFamily, type Reader } from '@kiroku/doors'
import { appendSecondsBounds, type Node, type PartitionActor } from '@kiroku/engine'
import { limits } from '@kiroku/protocol'

type Actors = readonly PartitionActor[]

const perActor =
  (read: (metrics: PartitionActor['metrics']) => number): Reader<Actors> =>
  (actors) =>
    actors.map(({ partition, metrics }) => ({ labels: { partition }, value: read(metrics) }))

const families: readonly FamilyRow<Actors>[] = [
  [
    'counter',
    'kiroku_transitions_total',
    'State changes of messages, by the event that caused them, since this node owns the partition.',
    (actors) =>
      actors.flatMap(({ partition, metrics }) =>
        [...metrics.messages].map(([event, value]) => ({ labels: { partition, event }, value })),
      ),
  ],
  [
    'counter',
    'messaging_client_consumed_messages_total',
    'Messages delivered, since this node owns the partition.',
    (actors) =>
      actors.map(({ partition, metrics }) => ({
        labels: { messaging_system: 'kiroku', messaging_destination_partition_id: partition },
        value: metrics.messages.get('Delivered') ?? 0,
      })),
  ],
  [
    'counter',
    'kiroku_lease_expired_total',
    'Leases that ended before the message was settled.',
    perActor((metrics) => metrics.messages.get('LeaseExpired') ?? 0),
  ],
  [
    'histogram',
    'kiroku_append_duration_seconds',
    'Time from sending a frame to its being stored.',
    (actors) =>
      actors.map(({ partition, metrics }) => ({
        labels: { partition },
        bounds: appendSecondsBounds,
        counts: metrics.appendCounts,
        sum: metrics.appendSecondsSum,
      })),
  ],
  ['counter', 'kiroku_frames_total', 'Frames appended.', perActor((metrics) => metrics.frames)],
  [
    'counter',
    'kiroku_events_total',
    'Events appended; divided by the frames, the batch size.',
    perActor((metrics) => metrics.events),
  ],
  [
    'counter',
    'kiroku_frame_bytes_total',
    'Bytes of frames appended.',
    perActor((metrics) => metrics.frameBytes),
  ],
  ['counter', 'kiroku_checkpoints_total', 'Checkpoints stored.', perActor((metrics) => metrics.checkpoints)],
  [
    'counter',
    'kiroku_checkpoint_failures_total',
    'Failed checkpoints; until one succeeds the log is not trimmed and a take-over reads more.',
    perActor((metrics) => metrics.checkpointFailures),
  ],
  [
    'counter',
    'kiroku_busy_total',
    'Commands refused at a limit, to be retried; clients do so by themselves.',
    perActor((metrics) => metrics.busy),
  ],
  [
    'gauge',
    'kiroku_producers',
    `Producers whose sends are remembered; beyond ${limits.producersMax} new ones are refused until others have been idle for 15 minutes.`,
    (actors) =>
      actors.flatMap((actor) =>
        actor.hasState ? [{ labels: { partition: actor.partition }, value: actor.state.producers.size }] : [],
      ),
  ],
  [
    'counter',
    'kiroku_early_trims_total',
    'Trims before the record reached its limits, because the store was short.',
    perActor((metrics) => metrics.earlyTrims),
  ],
  [
    'gauge',
    'kiroku_take_over_seconds',
    'Time from the lock until this node served the partition.',
    perActor((metrics) => metrics.takeOverSeconds),
  ],
  [
    'gauge',
    'kiroku_without_owner_seconds',
    'Time from the last record of the owner before until this node served the partition: at most so long it had none. An owner without work writes no records.',
    perActor((metrics) => metrics.withoutOwnerSeconds),
  ],
  [
    'gauge',
    'kiroku_next_take_over_seconds',
    'Estimated processor time that the next owner of the partition spends on replay.',
    (actors) => actors.map(({ partition, replayMs }) => ({ labels: { partition }, value: replayMs / 1_000 })),
  ],
  [
    'gauge',
    'kiroku_replay_events',
    'Events replayed by the last take-over.',
    perActor((metrics) => metrics.replayEvents),
  ],
  [
    'gauge',
    'kiroku_replay_duration_seconds',
    'Time that the replay of the last take-over took.',
    perActor((metrics) => metrics.replaySeconds),
  ],
]

/** Outlives the ownerships. */
const ownerChanges: readonly FamilyRow<Node['takeOvers']>[] = [
  [
    'counter',
    'kiroku_owner_changes_total',
    'Times that this node took the partition over, since it started; it goes on counting when it owns it no longer.',
    (takeOvers) => [...takeOvers].map(([partition, value]) => ({ labels: { partition }, value })),
  ],
]

const standbys: readonly FamilyRow<Node['ahead']>[] = [
  [
    'gauge',
    'kiroku_standby_behind_records',
    'Records of a partition that another node owns which this one, its standby, has heard of and not read yet. Missing while it loads.',
    (ahead) =>
      [...ahead].flatMap(([partition, { reachedSeq, behind }]) =>
        reachedSeq === undefined ? [] : [{ labels: { partition }, value: behind }],
      ),
  ],
]

type StateMemory = Pick<Node['stateMemory'], 'bytes' | 'bytesMax'>

const memory: readonly FamilyRow<StateMemory>[] = [
  [
    'gauge',
    'kiroku_state_bytes',
    'Memory that the messages of all partitions that this node owns or follows take, roughly, without their bodies.',
    ({ bytes }) => [{ labels: {}, value: bytes }],
  ],
  [
    'gauge',
    'kiroku_state_bytes_max',
    'Memory that they may take: beyond it sends are refused (`MemoryFull`) and what is there can be consumed.',
    ({ bytesMax }) => [{ labels: {}, value: bytesMax }],
  ],
]

/** The counters of a node, its actors and what it follows, as metrics. */
export const engineMetrics = ({
  actors,
  takeOvers,
  ahead,
  stateMemory,
}: Pick<Node, 'actors' | 'takeOvers' | 'ahead'> & { readonly stateMemory: StateMemory }): MetricFamily[] => [
  ...readFamilies(ownerChanges, takeOvers),
  ...readFamilies(standbys, ahead),
  ...readFamilies(memory, stateMemory),
  ...readFamilies(families, [...actors.values()]),
]
