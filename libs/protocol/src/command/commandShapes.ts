import type { Command, CommandType } from './Command.ts'

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const flag: Check = (value) => typeof value === 'boolean'
const bytes: Check = (value) => value instanceof Uint8Array
const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    record(value) &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]))

const numbers = listOf(number)
const items = listOf(shape({ queue: number, sub: number, delivery: number, numbers }))
const queue = { queue: text }
const actor = shape({ name: text, origin: text })
const act = { queue: text, by: actor }
const revising = { queue: number, number, producer: text, send: number, by: actor }
const subscribing = { ...act, subscription: text }
const section = shape({ source: text, digest: text })
const numbered = shape({ number })
const timed = shape({ time: number })
const start: Check = (value) => value === undefined || text(value) || numbered(value) || timed(value)
const configuration = { ...act, config: record, dryRun: optional(flag), applied: optional(section) }
const settling = { items }
const address = shape({ partition: number, queue: number })
const part = { ...queue, home: address, revision: number }

/** What each command must hold; ranges and meaning are the partition's to check. */
const shapes: Readonly<Record<CommandType, Check>> = {
  Enqueue: shape({
    ...queue,
    producer: text,
    send: number,
    messages: listOf(bytes),
    delayMs: optional(number),
    delaysMs: optional(numbers),
    tags: optional(listOf(text)),
    groups: optional(listOf(text)),
    spread: optional(number),
    dedupIds: optional(listOf(text)),
  }),
  Recall: shape(revising),
  Reschedule: shape({ ...revising, delayMs: optional(number), dueAt: optional(number) }),
  Receive: shape({
    ...queue,
    subscription: optional(text),
    group: optional(text),
    poll: text,
    attempt: optional(text),
    heldOnly: optional((value) => typeof value === 'boolean'),
    max: number,
    bytesMax: optional(number),
    waitMs: optional(number),
    batchWaitMs: optional(number),
    leaseMs: optional(number),
    mode: (value) => value === 'push' || value === 'simple',
    consumer: text,
    spread: optional(number),
  }),
  CancelReceive: shape({ poll: text }),
  Ack: shape(settling),
  Retry: shape({ ...settling, delayMs: optional(number), error: optional(text) }),
  Extend: shape({ ...settling, leaseMs: number }),
  Release: shape({
    ...settling,
    delayMs: optional(number),
    error: optional(text),
    holdSubscription: optional(flag),
  }),
  DeadLetter: shape({ ...settling, error: optional(text) }),
  CreateQueue: shape(configuration),
  ConfigureQueue: shape(configuration),
  DeleteQueue: shape({ ...act, force: optional(flag) }),
  PurgeQueue: shape(act),
  Discard: shape({
    ...subscribing,
    state: (value) => value === 'Available' || value === 'WaitingRetry',
    numbers,
  }),
  PauseDelivery: shape({ ...act, subscription: optional(text) }),
  ResumeDelivery: shape({ ...act, subscription: optional(text) }),
  CreateSubscription: shape({ ...subscribing, settings: record, start, dryRun: optional(flag) }),
  ConfigureSubscription: shape({ ...subscribing, settings: record, dryRun: optional(flag) }),
  ResetSubscription: shape({ ...subscribing, start, sub: optional(number) }),
  DeleteSubscription: shape(subscribing),
  SpreadQueue: shape({ ...act, partitions: numbers }),
  PlacePart: shape({
    ...part,
    since: number,
    isOpen: flag,
    index: number,
    of: number,
    purges: number,
    config: record,
    deliveryPaused: flag,
    subs: listOf(shape({ name: text, sub: number, settings: record, deliveryPaused: flag })),
  }),
  DropPart: shape(part),
  StartRedrive: shape({
    ...act,
    subscription: optional(text),
    request: text,
    to: (value) => value === 'origin' || shape({ partition: number, queue: number, name: text })(value),
    filter: optional(record),
    selection: optional(numbers),
    rateMax: optional(number),
    messagesMax: optional(number),
    dryRun: optional((value) => typeof value === 'boolean'),
  }),
  CancelRedrive: shape({ ...act, subscription: optional(text), task: optional(number) }),
  DescribeRedrives: shape(queue),
  Erase: shape({ ...act, message: optional(shape({ queue: number, number })), group: optional(text) }),
  EditBody: shape({ ...act, number, messageId: text, body: bytes, contentType: optional(text) }),
  DescribeQueue: shape(queue),
  ListQueues: record,
  DescribeGroups: shape({ ...queue, subscription: optional(text), max: optional(number) }),
  DescribePartition: record,
  ConfirmClock: shape({ clock: text, by: actor }),
  FollowPartition: shape({ follower: text, since: number }),
  Forward: shape({
    from: address,
    target: number,
    name: optional(text),
    forward: number,
    messages: listOf(bytes),
    enqueuedAt: numbers,
    tags: optional(listOf(text)),
    groups: optional(listOf(text)),
    subscriptions: optional(listOf(text)),
    first: optional(number),
  }),
  ForgetLanes: shape({ from: number, lanes: numbers, first: number }),
}

/** Whether a value has the shape of a command. */
export const isCommand = (value: unknown): value is Command => {
  if (!record(value)) return false
  const { type } = value as { readonly type?: unknown }
  return typeof type === 'string' && Object.hasOwn(shapes, type) && shapes[type as CommandType](value)
}
