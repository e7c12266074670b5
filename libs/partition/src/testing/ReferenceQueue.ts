import { newCell, type MessageCell, type Policy, step } from '@kiroku/message'
import {
  attemptsMaxOf,
  dedupKeyBytes,
  isFinal,
  type LogEventOf,
  type QueueConfig,
  State,
  type SubscriptionSettings,
} from '@kiroku/protocol'
import { keyText } from './TestRepeats.ts'
import { lawful } from './lawfulEvents.ts'

/** One message as the record tells it. */
export interface LawMessage {
  enqueuedAt: number
  /** From when retention may count: from its arrival, or from where it came from. */
  times: readonly number[]
  /** Name of the only subscription that it is for; absent: all. */
  readonly only?: string | undefined
  body: Uint8Array
  /** What was sent, which a body that is edited takes the place of for those who have the message. */
  readonly sent: Uint8Array
  readonly tag: string
  readonly group: string
}

/** One generation of a subscription as the record tells it. */
export interface LawSub {
  readonly id: number
  readonly name: string
  settings: SubscriptionSettings
  config: QueueConfig
  policy: Policy
  /** Most attempts that any configuration so far allowed, and one more once it was changed. */
  attemptsMax: number
  paused: boolean
  /** From when and until when its deliveries stand still. */
  held: { since: number; until: number }
  readonly cells: Map<number, MessageCell>
  /** What each attempt id got last. */
  readonly attempts: Map<
    string,
    { readonly delivery: number; readonly numbers: readonly number[]; readonly at: number }
  >
  /** Messages of each group in the order in which they became available. */
  readonly groups: Map<string, number[]>
  /** While it is filled: what may yet be restored, and how many of each group were. */
  past: Set<number> | undefined
  /** What it did not get of the past; a partition does not tell it from what it got and is done with. */
  readonly leftOut: Set<number>
  readonly restored: Map<string, number>
  /** Time of those that were restored, which a change of the queue may have moved. */
  readonly times: Map<number, number>
}

/** One queue as the record tells it. */
export interface LawQueue {
  readonly id: number
  readonly name: string
  config: QueueConfig
  readonly notes: Map<string, string>
  /** When it was created, last changed, and last purged; 0: never. */
  readonly times: { readonly created: number; configured: number; purged: number }
  paused: boolean
  readonly messages: Map<number, LawMessage>
  /** Messages that wait for their time. */
  readonly delayed: Set<number>
  readonly dueAt: Map<number, number>
  readonly recalled: Set<number>
  purgedTo: number
  readonly subs: Map<number, LawSub>
  /** What was sent under each key that is remembered. */
  readonly keys: Map<string, { readonly number: number; readonly at: number }>
  /** Redrives that run. */
  readonly redrives: Map<
    number,
    { readonly sub: number; readonly upTo: number; readonly only: ReadonlySet<number> | undefined }
  >
}

/** Letters of one queue on their way to another. */
export interface LawLane {
  readonly name: string
  next: number
  letters: { readonly forward: number; readonly number: number; readonly sub: string | undefined }[]
}

/** What is still held of the batch that an attempt got within five minutes. */
export const heldBy = ({ attempts, cells }: LawSub, attempt: string, now: number): number[] => {
  const got = attempts.get(attempt)
  if (got === undefined || got.at + 300_000 <= now) return []
  return got.numbers.filter((n) => {
    const { state, delivery } = cells.get(n)!
    return state === State.Inflight && delivery === got.delivery
  })
}

/** The message that was sent under a key within the queue's window. */
export const known = (q: LawQueue, key: string, now: number): number | undefined => {
  const sent = q.keys.get(key)
  return sent === undefined || sent.at + q.config.dedupWindowMs <= now ? undefined : sent.number
}

/** Expired keys stay expired, even if the window is extended. */
export const forget = (q: LawQueue, now: number): void => {
  for (const key of q.keys.keys()) if (known(q, key, now) === undefined) q.keys.delete(key)
}

const newSub = (id: number, name: string, config: QueueConfig): LawSub => {
  const policy = policyOf(config)
  const { attemptsMax } = policy
  return {
    id,
    name,
    settings: {},
    config,
    policy,
    attemptsMax,
    paused: false,
    held: { since: 0, until: 0 },
    cells: new Map(),
    attempts: new Map(),
    groups: new Map(),
    past: undefined,
    leftOut: new Set(),
    restored: new Map(),
    times: new Map(),
  }
}

export const leaveOut = (sub: LawSub): void => {
  for (const n of sub.past ?? []) sub.leftOut.add(n)
  sub.past?.clear()
}

export const labels = ({ tag = '', group = '' }: { readonly tag?: string; readonly group?: string }) => ({
  tag,
  group,
})

/** From when the retention of a message counts for a subscription. */
export const timeOf = (sub: LawSub, n: number, { enqueuedAt }: LawMessage): number =>
  sub.times.get(n) ?? enqueuedAt

export const configure = (q: LawQueue, sub: LawSub, settings: SubscriptionSettings): void => {
  const { tags: _, ...own } = settings
  sub.settings = settings
  sub.config = { ...q.config, ...own }
  sub.policy = policyOf(sub.config)
  sub.attemptsMax = Math.max(sub.attemptsMax, sub.policy.attemptsMax + 1)
}

/** A message becomes available to a subscription, or is discarded for it by its filter. */
export const enter = (
  { id, settings: { tags }, cells, groups }: LawSub,
  n: number,
  { tag, group }: LawMessage,
  only: number | undefined,
  filteredBy: readonly number[] | undefined,
): void => {
  const wanted = tags === undefined || tags === null || tags.includes(tag)
  const passes = wanted && (only === undefined || only === id)
  lawful(passes !== (filteredBy?.includes(id) ?? false), `the filter of ${id} for tag "${tag}"`)
  if (passes) groups.set(group, [...(groups.get(group) ?? []), n])
  else lawful(step(cells.get(n)!, { type: 'DISCARD', reason: 'filtered' }), 'a filtered message')
}

const policyOf = (c: QueueConfig): Policy => ({
  attemptsMax: attemptsMaxOf(c.retriesMax),
  exhaustion: c.exhaustion,
  hasDeadLetter: c.deadLetter !== null,
  lateHandles: c.lateHandles,
})

export const bodyOf = (body: Uint8Array): Pick<LawMessage, 'body' | 'sent'> => ({ body, sent: body })

/** Whether a subscription has a message and is not done with it. */
export const isHeld = ({ subs }: LawQueue, n: number): boolean =>
  [...subs.values()].some(({ cells }) => {
    const cell = cells.get(n)
    return cell !== undefined && !isFinal(cell.state)
  })

/** A queue as it is created. */
export const newQueue = (e: LogEventOf<'QueueCreated'>, at: number): LawQueue => {
  const config = e.config as unknown as QueueConfig
  return {
    id: e.queue,
    name: e.name,
    config,
    notes: new Map(),
    times: { created: at, configured: at, purged: 0 },
    paused: false,
    messages: new Map(),
    delayed: new Set(),
    dueAt: new Map(),
    recalled: new Set(),
    purgedTo: 0,
    subs: new Map([[0, newSub(0, 'main', config)]]),
    keys: new Map(),
    redrives: new Map(),
  }
}

/** Some notes are others. */
export const note = (q: LawQueue, { notes }: LogEventOf<'QueueNoted'>, at: number): void => {
  lawful(notes.length > 0, 'a change of no note')
  for (const [name, text] of notes) {
    lawful((q.notes.get(name) ?? null) !== text, `note "${name}" as it was`)
    if (text === null) q.notes.delete(name)
    else q.notes.set(name, text)
  }
  q.times.configured = at
}

/** A generation begins, in the place of the one before of its name. */
export const subscribe = (q: LawQueue, e: LogEventOf<'SubscriptionCreated' | 'SubscriptionReset'>): void => {
  const before = [...q.subs.values()].find(({ name }) => name === e.name)
  lawful((before === undefined) === (e.type === 'SubscriptionCreated'), `${e.type} of "${e.name}"`)
  const sub = newSub(e.sub, e.name, q.config)
  const settings = e.type === 'SubscriptionCreated' ? e.settings : before!.settings
  configure(q, sub, settings as SubscriptionSettings)
  sub.attemptsMax = sub.policy.attemptsMax
  sub.paused = before?.paused ?? false
  sub.held = before?.held ?? sub.held
  if (before !== undefined) {
    q.subs.delete(before.id)
    endRedrives(q, before.id)
  }
  lawful(!q.subs.has(e.sub), 'a generation that is there already')
  q.subs.set(e.sub, sub)
  if (e.readFrom === undefined) return
  sub.past = new Set()
  for (let n = Math.max(e.from, q.purgedTo); n <= q.messages.size; n++)
    if (q.delayed.has(n)) sub.cells.set(n, newCell(State.Delayed, q.dueAt.get(n)!))
    else if (!q.recalled.has(n) && (q.messages.get(n)!.only ?? e.name) === e.name) sub.past.add(n)
}

/** Redrives of a subscription end with it. */
export const endRedrives = ({ redrives }: LawQueue, sub: number): void => {
  for (const [task, r] of redrives) if (r.sub === sub) redrives.delete(task)
}

/** Keys of a send, none of which was sent within the window. */
export const remember = (q: LawQueue, e: LogEventOf<'Enqueued'>, at: number): void => {
  const looks = (q.config.dedup ?? 'off') !== 'off'
  lawful(looks === (e.keys !== undefined), `keys of queue ${q.id}`)
  if (e.keys === undefined) return
  lawful(e.keys.length === e.count * dedupKeyBytes, 'a key for each message')
  for (let i = 0; i < e.count; i++) {
    const key = keyText(e.keys, i)
    lawful(known(q, key, at) === undefined, `message ${e.first + i}, which was sent before`)
    q.keys.set(key, { number: e.first + i, at })
  }
}
