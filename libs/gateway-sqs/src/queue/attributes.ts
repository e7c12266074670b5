import type { QueueSettings } from '@kiroku/client'
import type { QueueConfig, QueueDescription } from '@kiroku/protocol'
import { readPolicy } from '../access/policy/Policy.ts'
import { readMap } from './readMap.ts'
import { delaySecondsMax, messageBytesMax, type Extensions } from '../extensions.ts'
import { invalid, SqsError } from '../SqsError.ts'
import { readAllowPolicy } from './redriveAllowPolicy.ts'

const secondMs = 1_000
const dayMs = 86_400_000
const hourMs = 3_600_000

/** A redrive policy as it is written. */
interface RedrivePolicy {
  readonly target: string
  readonly maxReceiveCount: number
}

export const isFifo = (queue: string): boolean => queue.endsWith('.fifo')

/** What a queue of this door has that SQS knows no attribute for. */
export const baseSettings = (fifo: boolean): QueueSettings => ({
  leaseMs: 30 * secondMs,
  leaseMinMs: 0,
  leaseCapMs: 12 * hourMs,
  retriesMax: 'unlimited',
  exhaustion: 'onNextReceive',
  retentionMs: 4 * dayMs,
  bodyBytesMax: 1_048_576,
  inflightMax: 120_000,
  ...(fifo
    ? { groups: 'ordered', lateHandles: 'reject', dedup: 'id', dedupWindowMs: 300 * secondMs }
    : { groups: 'fair', lateHandles: 'accept', retentionFrom: 'original' }),
})

/** Who knows the ARNs of queues. */
interface Arns {
  readonly arnOf: (queue: string) => string
}

/** One attribute: how it is read, and what it is of a queue. */
interface Attribute {
  /** Only of FIFO queues. */
  readonly fifo?: true
  /** What it sets; absent: it cannot be set. */
  readonly settings?: (text: string, fifo: boolean, extensions: Extensions) => QueueSettings
  /** Its value; undefined: the queue has none. */
  readonly of: (queue: QueueDescription, arns: Arns) => string | undefined
}

const seconds = (ms: number): string => String(Math.floor(ms / secondMs))

/** A whole number of seconds or bytes within a range. */
const whole =
  (name: string, min: number, max: number, setting: (value: number) => QueueSettings) =>
  (text: string): QueueSettings => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw wrongValue(name)
    return setting(value)
  }

const wrongValue = (name: string): SqsError =>
  new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`)

const flagOf = (name: string, text: string): boolean => {
  if (!/^(true|false)$/i.test(text)) throw wrongValue(name)
  return text.toLowerCase() === 'true'
}

const choice = <C extends string>(name: string, choices: readonly C[], text: string): C =>
  choices.find((each) => each === text) ??
  (() => {
    throw wrongValue(name)
  })()

/** Begins the names of notes that attributes are kept as. */
const notePrefix = 'sqs.'

type Notes = NonNullable<QueueSettings['notes']>

const noteOf = (name: string, text: string | null): Notes => ({
  [notePrefix + name]: text === '' ? null : text,
})

/** Sets an attribute that the queue keeps as a note; empty, it is removed. */
const kept = (name: string, text: string | null): QueueSettings => ({ notes: noteOf(name, text) })

/** The change of notes that sets a policy; empty, it is removed. */
export const policyNote = (text: string): Notes => noteOf('Policy', text)

const keptOf = ({ notes = {} }: QueueDescription, name: string): string | undefined =>
  notes[notePrefix + name]

const epochSeconds = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : seconds(at)

const mainOf = ({ config }: QueueDescription): QueueConfig => config

/** Settings with those of another; notes are put together by their names. */
export const merged = (settings: QueueSettings, more: QueueSettings): QueueSettings => {
  const notes = { ...settings.notes, ...more.notes }
  return { ...settings, ...more, ...(Object.keys(notes).length === 0 ? {} : { notes }) }
}

/** Which queues may name this one as their dead-letter queue; undefined: all. */
export const redriveAllowPolicyOf = (queue: QueueDescription): string | undefined =>
  keptOf(queue, 'RedriveAllowPolicy')

/** Who else may do what with a queue, as it is written. */
export const policyOf = (queue: QueueDescription): string | undefined => keptOf(queue, 'Policy')

/** Every attribute of a queue that this door has, by its name. */
const attributes: Readonly<Record<string, Attribute>> = {
  DelaySeconds: {
    settings: (text, _, extensions) =>
      whole('DelaySeconds', 0, delaySecondsMax(extensions), (s) => ({ deliveryDelayMs: s * secondMs }))(text),
    of: (queue) => seconds(mainOf(queue).deliveryDelayMs),
  },
  MaximumMessageSize: {
    settings: (text, _, extensions) =>
      whole('MaximumMessageSize', 1_024, messageBytesMax(extensions), (bodyBytesMax) => ({ bodyBytesMax }))(
        text,
      ),
    of: (queue) => String(mainOf(queue).bodyBytesMax),
  },
  MessageRetentionPeriod: {
    settings: whole('MessageRetentionPeriod', 60, 1_209_600, (s) => ({ retentionMs: s * secondMs })),
    of: (queue) => seconds(mainOf(queue).retentionMs),
  },
  ReceiveMessageWaitTimeSeconds: {
    settings: whole('ReceiveMessageWaitTimeSeconds', 0, 20, (s) => ({ receiveWaitMs: s * secondMs })),
    of: (queue) => seconds(mainOf(queue).receiveWaitMs),
  },
  VisibilityTimeout: {
    settings: whole('VisibilityTimeout', 0, 43_200, (s) => ({ leaseMs: s * secondMs })),
    of: (queue) => seconds(mainOf(queue).leaseMs),
  },
  RedrivePolicy: {
    settings: (text) => {
      if (text === '') return { deadLetter: null, retriesMax: 'unlimited' }
      const { target, maxReceiveCount } = readRedrivePolicy(text)
      return { deadLetter: target, retriesMax: maxReceiveCount - 1 }
    },
    of: ({ config: { deadLetter, retriesMax } }, arns) =>
      deadLetter === null || retriesMax === 'unlimited'
        ? undefined
        : JSON.stringify({
            deadLetterTargetArn: arns.arnOf(deadLetter.name),
            maxReceiveCount: retriesMax + 1,
          }),
  },
  RedriveAllowPolicy: {
    settings: (text) => {
      if (text !== '') readAllowPolicy(text)
      return kept('RedriveAllowPolicy', text)
    },
    of: redriveAllowPolicyOf,
  },
  Policy: {
    settings: (text) => {
      if (text !== '') readPolicy(text)
      return kept('Policy', text)
    },
    of: policyOf,
  },
  SqsManagedSseEnabled: {
    settings: (text) => {
      if (!flagOf('SqsManagedSseEnabled', text)) return kept('SqsManagedSseEnabled', null)
      return merged(kept('SqsManagedSseEnabled', 'true'), kept('KmsMasterKeyId', null))
    },
    of: (queue) => keptOf(queue, 'SqsManagedSseEnabled') ?? 'false',
  },
  KmsMasterKeyId: {
    settings: (text) => {
      if (!/^[\w:/-]{0,2048}$/.test(text)) throw wrongValue('KmsMasterKeyId')
      const set = kept('KmsMasterKeyId', text)
      return text === '' ? set : merged(set, kept('SqsManagedSseEnabled', null))
    },
    of: (queue) => keptOf(queue, 'KmsMasterKeyId'),
  },
  KmsDataKeyReusePeriodSeconds: {
    settings: whole('KmsDataKeyReusePeriodSeconds', 60, 86_400, (s) =>
      kept('KmsDataKeyReusePeriodSeconds', String(s)),
    ),
    of: (queue) =>
      keptOf(queue, 'KmsMasterKeyId') === undefined
        ? undefined
        : (keptOf(queue, 'KmsDataKeyReusePeriodSeconds') ?? '300'),
  },
  FifoQueue: {
    fifo: true,
    settings: (text, fifo) => {
      if (flagOf('FifoQueue', text) !== fifo)
        throw invalid(
          'QueueName',
          '',
          'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
        )
      return {}
    },
    of: ({ name }) => (isFifo(name) ? 'true' : undefined),
  },
  ContentBasedDeduplication: {
    fifo: true,
    settings: (text) => ({ dedup: flagOf('ContentBasedDeduplication', text) ? 'content' : 'id' }),
    of: ({ config }) => String(config.dedup === 'content'),
  },
  DeduplicationScope: {
    fifo: true,
    settings: (text) => ({
      dedupScope:
        choice('DeduplicationScope', ['queue', 'messageGroup'], text) === 'queue' ? 'queue' : 'group',
    }),
    of: ({ config }) => (config.dedupScope === 'queue' ? 'queue' : 'messageGroup'),
  },
  FifoThroughputLimit: {
    fifo: true,
    settings: (text) =>
      kept(
        'FifoThroughputLimit',
        choice('FifoThroughputLimit', ['perQueue', 'perMessageGroupId'], text) === 'perQueue' ? null : text,
      ),
    of: (queue) => keptOf(queue, 'FifoThroughputLimit') ?? 'perQueue',
  },
  CreatedTimestamp: { of: ({ createdAt }) => epochSeconds(createdAt) },
  LastModifiedTimestamp: { of: ({ configuredAt }) => epochSeconds(configuredAt) },
  QueueArn: { of: ({ name }, arns) => arns.arnOf(name) },
  ApproximateNumberOfMessages: { of: ({ counts }) => String(counts.available) },
  ApproximateNumberOfMessagesNotVisible: {
    of: ({ counts }) => String(counts.inflight + counts.waitingRetry),
  },
  ApproximateNumberOfMessagesDelayed: { of: ({ counts }) => String(counts.delayed) },
}

/** Their names. */
export const attributeNames: readonly string[] = Object.keys(attributes)

/** Reads a redrive policy. Errors: `InvalidParameterValue`. */
export const readRedrivePolicy = (text: string): RedrivePolicy => {
  const wrong = (reason: string) => invalid('RedrivePolicy', text, reason)
  const map = readMap('RedrivePolicy', 'Redrive policy', text)
  const { deadLetterTargetArn: target, maxReceiveCount: count } = map
  if (target === undefined || count === undefined)
    throw wrong('Redrive policy must contain attributes named deadLetterTargetArn and maxReceiveCount.')
  const maxReceiveCount = Number(count)
  if (!Number.isInteger(maxReceiveCount) || maxReceiveCount < 1 || maxReceiveCount > 1_000)
    throw wrong('Invalid value for maxReceiveCount: must be between 1 and 1000.')
  const name = typeof target === 'string' ? target.split(':').at(-1)! : ''
  if (name === '') throw wrong('Invalid value for deadLetterTargetArn.')
  return { target: name, maxReceiveCount }
}

/** The settings that attributes name. Errors: `InvalidAttributeName`, `InvalidAttributeValue`, `InvalidParameterValue`. */
export const settingsOf = (
  given: ReadonlyMap<string, string>,
  fifo: boolean,
  extensions: Extensions,
): QueueSettings => {
  const isManaged = given.get('SqsManagedSseEnabled')?.toLowerCase() === 'true'
  if (isManaged && (given.get('KmsMasterKeyId') ?? '') !== '')
    throw new SqsError(
      'InvalidAttributeValue',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    )
  let settings: QueueSettings = {}
  for (const [name, text] of given) {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (attribute?.settings === undefined || (attribute.fifo === true && !fifo && !/^false$/i.test(text)))
      throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`)
    settings = merged(settings, attribute.settings(text, fifo, extensions))
  }
  return settings
}

/**
 * Refuses a limit for each group of a queue that knows repeats in all of its groups. Errors: `InvalidAttributeValue`.
 * @param has what the queue has already, as it is written; absent: there is none yet
 */
export const checkThroughput = (
  given: ReadonlyMap<string, string>,
  has: ReadonlyMap<string, string> = new Map(),
): void => {
  const of = (name: string): string | undefined => given.get(name) ?? has.get(name)
  if (of('FifoThroughputLimit') === 'perMessageGroupId' && of('DeduplicationScope') !== 'messageGroup')
    throw new SqsError(
      'InvalidAttributeValue',
      'The perMessageGroupId value of FifoThroughputLimit is allowed only when the value for DeduplicationScope is messageGroup.',
    )
}

/** The attributes of a queue by the names that are asked for; `All` is all. Errors: `InvalidAttributeName`. */
export const attributesOf = (
  queue: QueueDescription,
  names: readonly string[],
  arns: Arns,
): Map<string, string> => {
  const unknown = names.find((name) => name !== 'All' && !Object.hasOwn(attributes, name))
  if (unknown !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`)
  const isAll = names.includes('All')
  return new Map(
    Object.entries(attributes).flatMap(([name, { fifo, of }]) => {
      if (!isAll && !names.includes(name)) return []
      const value = fifo === true && !isFifo(queue.name) ? undefined : of(queue, arns)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}
