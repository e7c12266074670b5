import * as Schema from 'effect/Schema'
import { published } from './published.ts'
import { Actor, Outbox, Problem } from './schemas.ts'

const optional = Schema.optionalKey
const text = Schema.String
const count = Schema.Finite
const ms = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, in ms since 1970` })
const list = <S extends Schema.Top>(of: S) => Schema.Array(of)

const Clock = Schema.Struct({
  state: Schema.Literals(['agreed', 'disputed', 'ahead']),
  partitionMs: ms('Partition time'),
  storeMs: ms('Clock of NATS'),
  nodeMs: ms('Clock of the node'),
})

const Storage = Schema.Struct({
  state: Schema.Literals(['enough', 'short', 'full']),
  freeBytes: optional(count),
  bytesMax: optional(count),
  reserveBytes: optional(count),
  earlyTrims: count,
})

const StreamReplica = Schema.Struct({
  server: text,
  isCurrent: Schema.Boolean,
  isOffline: Schema.Boolean,
  lag: count.annotate({ description: 'Operations that it still has to apply' }),
  heardMs: count.annotate({ description: 'How long ago the leader heard from it, in ms' }),
})

const ClusterPartition = Schema.Struct({
  partition: count,
  owner: Schema.optional(text).annotate({ description: 'Address of the node that holds its lock' }),
  lockedAt: Schema.optional(ms('When that node took the lock')),
  standby: optional(
    text.annotate({ description: 'Address of the node that follows its log, to take it over; absent: none' }),
  ),
  standbyBehind: optional(
    count.annotate({ description: 'Records that the standby has not read, up to a second ago' }),
  ),
  pin: optional(
    Schema.Struct({
      host: text.annotate({ description: 'Where it stays while a node runs there' }),
      by: Actor,
      atMs: ms('When it was pinned'),
    }).annotate({ description: 'Absent: it moves with the shares of the nodes' }),
  ),
  epoch: optional(count),
  epochAt: optional(ms('When the ownership began')),
  node: optional(text),
  state: optional(text),
  firstSeq: optional(count),
  lastSeq: optional(count),
  bytes: optional(count),
  queues: optional(count),
  outbox: optional(count.annotate({ description: 'Messages on their way to other queues' })),
  held: optional(list(Outbox).annotate({ description: 'Those of them that cannot arrive' })),
  checkpointSeq: optional(count),
  clusterVersion: optional(count),
  checkpoints: optional(
    Schema.Struct({ count, bytes: count }).annotate({ description: 'Checkpoints that are stored' }),
  ),
  clock: optional(Clock),
  storage: optional(Storage),
  memory: optional(
    Schema.Struct({ bytes: count, bytesMax: count, holdsUntouched: optional(Schema.Literal(true)) }).annotate(
      {
        description:
          "What messages take in memory of the owner's node, and may take before sends are refused; and whether messages that were never delivered wait, too",
      },
    ),
  ),
  stream: optional(Schema.Struct({ leader: optional(text), replicas: list(StreamReplica) })),
})

/** Nodes and partitions. */
export const ClusterAnswer = published(
  'Cluster',
  Schema.Struct({
    log: text,
    clusterVersion: optional(
      count.annotate({ description: 'The feature level in force; absent: no owner says' }),
    ),
    nodes: list(
      Schema.Struct({
        address: text.annotate({ description: 'Random, new for every process' }),
        host: text,
        pid: count,
        startedAt: text.annotate({ description: 'ISO 8601' }),
        healthy: Schema.Boolean,
        leaving: Schema.Boolean,
        version: Schema.optional(text).annotate({ description: 'Of its package; absent: too old to say' }),
        featureLevel: Schema.optional(count).annotate({
          description: 'The highest that it reads and writes; absent: too old to say',
        }),
        weight: Schema.optional(count).annotate({
          description: "Its share of the partitions, relative to the others'; absent: too old to say",
        }),
        zone: Schema.optional(text).annotate({
          description: 'Where it stands; empty: it does not say; absent: its version knows no zones',
        }),
        refused: Schema.optional(Schema.Struct({ partition: count, reason: text })).annotate({
          description: 'A partition that it cannot read, because a newer version wrote to its log',
        }),
        partitions: list(count),
      }),
    ),
    partitions: list(ClusterPartition),
    outage: Schema.optional(Problem).annotate({
      description: 'Why nothing can be stored or served now; absent: it can',
    }),
    auditor: Schema.optional(
      Schema.Struct({
        pid: count,
        role: Schema.Literals(['writer', 'reader']),
        partitions: list(
          Schema.Struct({
            partition: count,
            seq: count,
            lastSeq: count,
            events: count,
            trouble: optional(text),
          }),
        ),
      }),
    ),
  }),
)
