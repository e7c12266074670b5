import type { RecordCheck } from '@kiroku/audit'
import {
  type CheckpointsDescription,
  clockTrouble,
  formatBytes,
  formatDuration,
  heldWarning,
  type OutboxDescription,
  type PartitionClock,
  type QueueDescription,
  type MemoryDescription,
  type StorageDescription,
} from '@kiroku/protocol'
import type { LostLog } from '../../audit/tailsOf.ts'
import type { KeysFound } from './askKeys.ts'
import type { Finding } from './Finding.ts'
import { judgeAtRest } from './judgeAtRest.ts'
import { judgeMemory } from './judgeMemory.ts'
import { judgeAccess, type NatsAccess } from './judgeAccess.ts'

/** Facts that the doctor collected; undefined if unknown from here. */
export interface Facts {
  readonly natsVersion: string
  readonly natsVersionMin: string
  readonly maxPayloadBytes: number
  /** `always`, or a duration as nats-server writes it. */
  readonly syncInterval: string | undefined
  readonly clustered: boolean
  readonly replicas: number | undefined
  /** Server's time minus ours, in ms. */
  readonly clockSkewMs: number | undefined
  /** Partitions with what their owners say of their clocks; undefined: an older version does not say. */
  readonly clocks: readonly { readonly partition: number; readonly clock?: PartitionClock }[]
  /** The store according to the partitions' owners. */
  readonly storage: readonly StorageDescription[]
  /** The memory of their nodes, according to the same. */
  readonly memory: readonly MemoryDescription[]
  /** Only partitions whose owner reports them. */
  readonly checkpoints: readonly CheckpointsDescription[]
  readonly recordBytes: number | undefined
  readonly recordMs: number | undefined
  readonly partitions: number | undefined
  /** Partitions that an owner answers for. */
  readonly partitionsOwned: number | undefined
  /** Findings in the record. */
  readonly record: readonly RecordCheck[] | undefined
  /** The index of the log's auditor, or else of this data folder: whether one follows the log, and how many records it lacks. */
  readonly index: { readonly isFollowed: boolean; readonly behind: number } | undefined
  /** Logs of this name that this node wrote to, and that are gone. */
  readonly lostLogs: readonly LostLog[]
  readonly queues: readonly Pick<QueueDescription, 'name' | 'config' | 'warnings' | 'subscriptions'>[]
  readonly access: NatsAccess
  /** Whether nats-server encrypts its files. */
  readonly isEncrypted: boolean | undefined
  /** Messages that cannot arrive. */
  readonly held: readonly OutboxDescription[]
  /** Of erasable queues that have messages. */
  readonly keys: readonly KeysFound[]
}

const frameRoomBytes = 8 * 1024 * 1024
const clockSkewMsMax = 2_000

/** Judges the facts. */
export const diagnose = (facts: Facts): Finding[] => [
  natsVersion(facts),
  judgeAccess(facts.access),
  judgeAtRest(facts.isEncrypted),
  syncInterval(facts),
  replicas(facts),
  maxPayload(facts),
  clock(facts),
  ...partitionTime(facts),
  store(facts),
  ...judgeMemory(facts.memory),
  checkpoints(facts),
  owners(facts),
  ...record(facts),
  ...lostLogs(facts),
  auditor(facts),
  ...keys(facts),
  ...settings(facts),
  retention(facts),
  circles(facts),
  ...letters(facts),
]

const natsVersion = ({ natsVersion, natsVersionMin }: Facts): Finding =>
  natsVersion.localeCompare(natsVersionMin, 'en', { numeric: true }) >= 0
    ? { check: 'NATS version', status: 'ok', detail: natsVersion }
    : {
        check: 'NATS version',
        status: 'bad',
        detail: natsVersion,
        advice: `Install nats-server ${natsVersionMin} or newer.`,
      }

const syncInterval = ({ syncInterval, replicas }: Facts): Finding => {
  const check = 'sync_interval'
  const advice =
    'Set `sync_interval: always` in the jetstream block of nats-server, or use 3 replicas in 3 places: with the default of 2 minutes a power cut loses what was acknowledged since.'
  if (syncInterval === undefined)
    return {
      check,
      status: 'unknown',
      detail: 'the server does not report its configuration to this account',
      advice,
    }
  if (syncInterval === 'always') return { check, status: 'ok', detail: 'always' }
  return { check, status: (replicas ?? 1) >= 3 ? 'ok' : 'warning', detail: syncInterval, advice }
}

const replicas = ({ replicas, clustered }: Facts): Finding => {
  const check = 'replicas'
  if (replicas === undefined) return { check, status: 'unknown', detail: 'there is no log yet' }
  if (clustered && replicas === 1)
    return {
      check,
      status: 'warning',
      detail: '1, on a cluster',
      advice: 'Create the log with --replicas 3, so that it survives the loss of one server.',
    }
  return { check, status: 'ok', detail: clustered ? String(replicas) : `${replicas} (single server)` }
}

const maxPayload = ({ maxPayloadBytes }: Facts): Finding => ({
  check: 'max_payload',
  status: maxPayloadBytes >= frameRoomBytes ? 'ok' : 'warning',
  detail: formatBytes(maxPayloadBytes),
  ...(maxPayloadBytes >= frameRoomBytes
    ? {}
    : {
        advice: `Set \`max_payload: 8MB\`: bodies are limited to ${formatBytes(Math.max(0, maxPayloadBytes - 65_536))} now.`,
      }),
})

const clock = ({ clockSkewMs }: Facts): Finding => {
  if (clockSkewMs === undefined)
    return { check: 'clock', status: 'unknown', detail: 'the server did not report its time' }
  const skew = Math.abs(clockSkewMs)
  return skew <= clockSkewMsMax
    ? { check: 'clock', status: 'ok', detail: `${Math.round(skew)} ms from the server's` }
    : {
        check: 'clock',
        status: 'warning',
        detail: `${formatDuration(Math.round(skew))} ${clockSkewMs > 0 ? 'behind' : 'ahead of'} the server's`,
        advice:
          "Run an NTP client here and on the server: leases follow the server's clock, your logs this one.",
      }
}

const partitionTime = ({ clocks }: Facts): Finding[] =>
  clocks.flatMap(({ partition, clock }): Finding[] => {
    const trouble = clock === undefined ? undefined : clockTrouble(partition, clock)
    if (trouble === undefined) return []
    const status = clock!.state === 'disputed' ? 'bad' : 'warning'
    return [{ check: 'partition time', status, detail: trouble.what, advice: trouble.advice }]
  })

/** Of all partitions, the one whose log has the least room. */
const store = ({ storage, recordBytes }: Facts): Finding => {
  const check = 'store'
  const told = storage.filter(({ bytesMax }) => bytesMax !== undefined)
  const by = (state: StorageDescription['state']) => storage.find((s) => s.state === state)
  const worst = by('full') ?? by('short') ?? told[0]
  if (worst === undefined)
    return {
      check,
      status: 'unknown',
      detail: 'NATS does not report how much room it has',
      advice:
        'Watch the disk of the NATS servers, or give the account of Kiroku a limit (max_file): without one, sends are refused only once NATS is full.',
    }
  const { state, freeBytes = 0, bytesMax = 0, reserveBytes = 0 } = worst
  const detail =
    worst.bytesMax === undefined
      ? 'NATS refused to take more'
      : `${formatBytes(freeBytes)} of ${formatBytes(bytesMax)} left`
  const early = storage.reduce((sum, { earlyTrims }) => sum + earlyTrims, 0)
  const trims = early === 0 ? '' : `, and the log was trimmed early ${early} times`
  if (state === 'full')
    return {
      check,
      status: 'bad',
      detail: `${detail}${trims}: sends are refused until ${formatBytes(reserveBytes)} are free`,
      advice:
        'Free disk space, or consume waiting messages: the log trims by itself what is no longer needed.',
    }
  if (state === 'short' || early > 0)
    return {
      check,
      status: 'warning',
      detail: `${detail}${trims}: the record is kept shorter than its limits`,
      advice: 'Free disk space, or set --record-bytes to what the disk can hold.',
    }
  if (recordBytes !== undefined && bytesMax < recordBytes)
    return {
      check,
      status: 'warning',
      detail: `${detail}, and the record may grow to ${formatBytes(recordBytes)}`,
      advice: `The record will be trimmed early: set --record-bytes to at most ${formatBytes(bytesMax - 2 * reserveBytes)}, or enlarge the disk.`,
    }
  return { check, status: 'ok', detail }
}

/** They count toward the record's limit; two per partition stay regardless. */
const checkpoints = ({ checkpoints, recordBytes }: Facts): Finding => {
  const check = 'checkpoints'
  if (checkpoints.length === 0) return { check, status: 'unknown', detail: 'no owner reports them' }
  const count = checkpoints.reduce((sum, each) => sum + each.count, 0)
  const bytes = checkpoints.reduce((sum, each) => sum + each.bytes, 0)
  const detail = `${count} with ${formatBytes(bytes)}`
  if (recordBytes === undefined || bytes <= recordBytes / 2) return { check, status: 'ok', detail }
  return {
    check,
    status: 'warning',
    detail: `${detail}, and the record may have ${formatBytes(recordBytes)} including them`,
    advice: 'Little is left for the record itself: consume waiting messages, or set a larger --record-bytes.',
  }
}

const owners = ({ partitions, partitionsOwned }: Facts): Finding => {
  if (partitions === undefined || partitionsOwned === undefined)
    return { check: 'partitions', status: 'unknown', detail: 'no engine has served this log yet' }
  const detail = `${partitionsOwned} of ${partitions} have an owner that answers`
  return partitionsOwned === partitions
    ? { check: 'partitions', status: 'ok', detail }
    : {
        check: 'partitions',
        status: 'bad',
        detail,
        advice: 'Start a node (`kiroku up` or `kiroku serve`), or look at `kiroku cluster status`.',
      }
}

const record = ({ record }: Facts): Finding[] => {
  const check = 'record'
  if (record === undefined) return [{ check, status: 'unknown', detail: 'there is no log yet' }]
  const damaged = record.flatMap(({ problem }): Finding[] =>
    problem === undefined
      ? []
      : [
          {
            check,
            status: 'bad',
            detail: `${problem.id}${problem.seq === 0 ? ':' : ' at'} ${problem.message}`,
            advice:
              problem.id === 'FutureVersion'
                ? 'A newer Kiroku wrote this: install that version here too.'
                : '`kiroku repair` shows what is lost and reopens the partition.',
          },
        ],
  )
  if (damaged.length > 0) return damaged
  const unread = record.filter(({ firstSeq, readFrom }) => readFrom > firstSeq)
  return [
    {
      check,
      status: 'ok',
      detail: 'nothing is missing, and every chain of hashes that was read is intact',
      ...(unread.length === 0
        ? {}
        : {
            advice: `Partitions ${unread.map(({ partition }) => partition).join(', ')} were read from their newest checkpoint on: \`kiroku doctor --deep\` and \`kiroku verify\` read everything.`,
          }),
    },
  ]
}

const lostLogs = ({ lostLogs }: Facts): Finding[] =>
  lostLogs.map(({ incarnation, lastSeq }) => ({
    check: 'record',
    status: 'bad',
    detail: `a log of this name that this node wrote to (${incarnation}, up to record ${lastSeq}) is gone`,
    advice: `NATS lost its store, or has another one: bring the old one back. If that was intended, delete tails/tail-${incarnation}-*.json of the data folder.`,
  }))

const settings = ({ queues }: Facts): Finding[] => {
  const check = 'queue settings'
  const warned = queues.flatMap(({ name, warnings }) => warnings.map((advice) => ({ name, advice })))
  const findings = [...Map.groupBy(warned, ({ advice }) => advice)].map(([advice, of]): Finding => {
    const names = of.map(({ name }) => name)
    return { check, status: 'warning', detail: namedQueues(names), advice }
  })
  return findings.length > 0 ? findings : [{ check, status: 'ok', detail: 'no known problems' }]
}

const namedMax = 20

const namedQueues = (names: readonly string[]): string => {
  if (names.length === 1) return `queue ${names[0]}`
  const more = names.length - namedMax
  return `queues ${names.slice(0, namedMax).join(', ')}${more > 0 ? `, and ${more.toLocaleString('en')} more` : ''}`
}

/** Two concurrent changes can create a circle that no single one may. */
const keys = (facts: Facts): Finding[] => {
  const check = 'keys'
  if (facts.keys.length === 0) return []
  const named = (state: KeysFound['state']): string =>
    facts.keys
      .filter((k) => k.state === state)
      .map((k) => k.queue)
      .join(', ')
  const [lost, unreachable] = [named('lost'), named('unreachable')]
  if (lost !== '')
    return [
      {
        check,
        status: 'bad',
        detail: `those of ${lost} are lost`,
        advice: 'Restore the KV bucket of the keys from a backup; `kiroku verify` lists what cannot be read.',
      },
    ]
  if (unreachable === '') return [{ check, status: 'ok', detail: 'those of erasable queues exist' }]
  return [
    { check, status: 'bad', detail: `those of ${unreachable} cannot be reached`, advice: 'Check NATS KV.' },
  ]
}

const circles = ({ queues }: Facts): Finding => {
  const check = 'dead letters'
  const targets = new Map(
    queues.map((queue) => [
      queue.name,
      [queue, ...queue.subscriptions].flatMap(({ config }) => config.deadLetter?.name ?? []),
    ]),
  )
  const comeBack = [...targets.keys()].filter((name) => {
    const reached = new Set(targets.get(name))
    for (const each of reached) for (const next of targets.get(each) ?? []) reached.add(next)
    return reached.has(name)
  })
  if (comeBack.length === 0) return { check, status: 'ok', detail: 'none returns to where it was' }
  return {
    check,
    status: 'warning',
    detail: `they go in a circle through ${comeBack.join(', ')}`,
    advice:
      'A message that no consumer can process goes round forever: break the circle with `--dead-letter none`.',
  }
}

/** A queue's own warnings include what waits in it. */
const letters = ({ held }: Facts): Finding[] =>
  held
    .filter(({ queue }) => queue.startsWith('#'))
    .map((lane) => ({
      check: 'waiting letters',
      status: 'warning',
      detail: 'of a queue that was deleted',
      advice: heldWarning(lane)!,
    }))

const retention = ({ queues, recordMs }: Facts): Finding => {
  const check = 'retention'
  const beyond = queues.filter(({ config }) => recordMs !== undefined && config.retentionMs > recordMs)
  if (beyond.length === 0)
    return { check, status: 'ok', detail: "no queue keeps messages beyond the log's record" }
  return {
    check,
    status: 'warning',
    detail: `the record is kept for ${formatDuration(recordMs!)}, messages longer in ${beyond.map(({ name }) => name).join(', ')}`,
    advice:
      'The beginning of an old message may be gone from the record: lower --retention, or start the engine with a longer --record.',
  }
}

/** Records that an auditor may be behind before a warning. */
const behindMax = 10_000

const auditor = ({ index }: Facts): Finding => {
  const check = 'auditor'
  if (index === undefined)
    return { check, status: 'unknown', detail: 'there is no index in this data folder' }
  const { isFollowed, behind } = index
  const detail = `${isFollowed ? 'follows the log' : 'does not run'}, ${behind} records behind`
  if (isFollowed && behind <= behindMax) return { check, status: 'ok', detail }
  return {
    check,
    status: 'warning',
    detail,
    advice: isFollowed
      ? 'It yields while the machine is busy; searches say how far they reach.'
      : 'Searches know no more than the index; start an engine of this log with `--audit on`.',
  }
}
