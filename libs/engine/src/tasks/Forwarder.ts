import { isSealed, readSealed, writeSealed } from '@kiroku/log'
import {
  closedLanesFor,
  decide,
  type OutboxEntry,
  type OutboxLane,
  type Ownership,
  type PartitionState,
} from '@kiroku/partition'
import {
  type Answer,
  decodeEnvelope,
  encodeEnvelope,
  type EnvelopeMeta,
  isGroup,
  isKirokuError,
  isTag,
  type Lineage,
  messageId,
  passedQueues,
} from '@kiroku/protocol'
import { asKirokuError } from '../asKirokuError.ts'
import { fetchLetter } from '../bodies/fetchLetter.ts'
import { limits } from '../limits.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { backoffMs } from './backoffMs.ts'

/** Bytes that the facts of an answer need in a turn; letters that are readdressed take what room there is. */
const forwardedBytes = 16 * 1024

type ForwardOwner = Pick<
  Owner,
  'incarnation' | 'log' | 'time' | 'route' | 'cache' | 'sizes' | 'act' | 'now' | 'damaged'
>

/** Carries the outbox to other queues: one window per lane, in order, repeated until the target has answered. */
export class Forwarder implements OwnerTask {
  readonly #o: ForwardOwner
  #own: Ownership | undefined
  #storedSeq = 0
  readonly #busy = new Map<OutboxLane, number>()
  /** Partitions that are being told of closed lanes. */
  readonly #told = new Set<number>()
  /** The first forward of a new lane, as stored; and what it is from frames on that are not stored yet. */
  #first = 1
  readonly #firsts: { readonly seq: number; readonly first: number }[] = []

  constructor(owner: ForwardOwner) {
    this.#o = owner
  }

  begin(own: Ownership, storedSeq: number): void {
    this.#own = own
    this.#busy.clear()
    this.#told.clear()
    this.#first = own.state.firstForward
    this.#firsts.length = 0
    this.stored(storedSeq)
  }

  end(): void {
    this.#own = undefined
  }

  stored(seq: number): void {
    this.#storedSeq = seq
    const own = this.#own
    if (own === undefined) return
    const { state } = own
    this.#followFirst(state)
    for (const { partition, decidedSeq } of state.closedLanes)
      if (decidedSeq <= seq && !this.#told.has(partition)) void this.#tell(own, partition, 0)
    for (const lane of state.outbox.values())
      if (lane.entries.length > 0 && !this.#busy.has(lane) && lane.entries[0]!.decidedSeq <= seq)
        void this.#send(own, lane, 0)
  }

  /** Follows the first forward of new lanes, as far as it is stored: what is not may never have happened. */
  #followFirst({ frameSeq, firstForward }: PartitionState): void {
    const firsts = this.#firsts
    if (firstForward !== (firsts.at(-1)?.first ?? this.#first))
      firsts.push({ seq: frameSeq, first: firstForward })
    while (firsts.length > 0 && firsts[0]!.seq <= this.#storedSeq) this.#first = firsts.shift()!.first
  }

  /** Tells a partition of lanes that were closed, until it answers. */
  async #tell(own: Ownership, partition: number, failures: number): Promise<void> {
    this.#told.add(partition)
    const command = closedLanesFor(own.state, partition, this.#storedSeq)
    if (command === undefined) return void this.#told.delete(partition)
    const answer = await this.#o.route(partition, [command]).then(
      (reply) => reply.answers[0],
      () => undefined,
    )
    if (this.#own !== own) return
    if (answer?.ok === undefined) {
      const pauseMs = backoffMs(failures)
      this.#o.time.after(pauseMs, () => {
        if (this.#own === own) void this.#tell(own, partition, failures + 1)
      })
      return
    }
    this.#o.act((turn) => {
      decide(turn, { type: 'ConfirmClosing', partition, upTo: command.first })
      this.#told.delete(partition)
    }, forwardedBytes)
  }

  async #send(
    own: Ownership,
    lane: OutboxLane,
    failures: number,
    messagesMax: number = limits.forwardWindowMessages,
  ): Promise<void> {
    this.#busy.set(lane, failures)
    const window = this.#window(own, lane, messagesMax)
    if (window.length === 0) return void this.#busy.delete(lane)
    const answer = await this.#forward(own.state, lane, window, this.#first).catch((e: unknown) => {
      // Its body is gone: a retry would not find it.
      if (this.#own === own && isKirokuError(e) && e.id === 'LogDamaged') this.#o.damaged(e)
      return { error: asKirokuError(e).toWire() } as Answer<'Forward'>
    })
    if (this.#own !== own) return
    const { ok } = answer
    if (ok === undefined) {
      if (answer.error.id === 'UnknownSubscription') own.hold(lane, 'subscriptionGone', this.#o.now())
      // Together they are more than the target's record takes, or its store has room for.
      const isTooMuch = answer.error.id === 'BodyTooLarge' || answer.error.id === 'StorageFull'
      return this.#again(own, lane, failures, isTooMuch ? Math.max(1, window.length >> 1) : messagesMax)
    }
    this.#o.act((turn) => {
      decide(turn, { type: 'ConfirmForward', lane, said: ok })
      if (own.held.has(lane)) this.#again(own, lane, failures)
      else this.#busy.delete(lane)
    }, forwardedBytes)
  }

  #again(own: Ownership, lane: OutboxLane, failures: number, messagesMax?: number): void {
    const pauseMs = backoffMs(failures)
    this.#o.time.after(pauseMs, () => {
      if (this.#own === own) void this.#send(own, lane, failures + 1, messagesMax)
    })
  }

  #window(own: Ownership, lane: OutboxLane, messagesMax: number): OutboxEntry[] {
    const window: OutboxEntry[] = []
    // One message is enough to find out whether a held lane may go on.
    const max = own.held.has(lane) ? 1 : messagesMax
    for (const entry of lane.entries) {
      if (entry.decidedSeq > this.#storedSeq || window.length >= max) break
      // A request carries only its first number, and a repair leaves a gap in them.
      const last = window.at(-1)
      if (last !== undefined && entry.forward !== last.forward + 1) break
      window.push(entry)
    }
    return window
  }

  /** A body that was stored again while it was looked for lies elsewhere. */
  async #body(state: PartitionState, lane: OutboxLane, entry: OutboxEntry): Promise<Uint8Array> {
    try {
      return await fetchLetter(this.#o.log, this.#o.cache, state, lane.source, entry)
    } catch (e) {
      const now = lane.entries.find(({ forward }) => forward === entry.forward)
      if (now === undefined || now.seq === entry.seq) throw e
      return this.#body(state, lane, now)
    }
  }

  async #forward(
    state: PartitionState,
    lane: OutboxLane,
    window: OutboxEntry[],
    first: number,
  ): Promise<Answer<'Forward'>> {
    const source = state.queues.get(lane.source)?.name ?? `#${lane.source}`
    const messages: Uint8Array[] = []
    const enqueuedAt: number[] = []
    const tags: string[] = []
    const groups: string[] = []
    const subscriptions: string[] = []
    let bytes = 0
    for (const entry of window) {
      const { meta, withLineage } = opened(await this.#body(state, lane, entry))
      const forwarded = withLineage(this.#lineage(meta, entry, lane, source))
      bytes += forwarded.length
      if (messages.length > 0 && bytes > this.#o.sizes.forwardBytesMax) break
      messages.push(forwarded)
      enqueuedAt.push(entry.enqueuedAt)
      // A client wrote the envelope, and may have written anything: an invalid tag or group must not hold up the lane.
      tags.push(isTag(meta.tag) ? meta.tag : '')
      groups.push(isGroup(meta.group) ? meta.group : '')
      subscriptions.push(entry.only ?? '')
    }
    const name = state.targetName(lane)
    const reply = await this.#o.route(lane.target.partition, [
      {
        type: 'Forward',
        from: { partition: this.#o.log.partition, queue: lane.source },
        target: lane.target.queue,
        ...(name === undefined ? undefined : { name }),
        forward: window[0]!.forward,
        messages,
        enqueuedAt,
        ...(tags.every((tag) => tag === '') ? undefined : { tags }),
        ...(groups.every((group) => group === '') ? undefined : { groups }),
        ...(subscriptions.every((name) => name === '') ? {} : { subscriptions }),
        ...(first === 1 ? undefined : { first }),
      },
    ])
    return reply.answers[0] as Answer<'Forward'>
  }

  #lineage(meta: EnvelopeMeta, entry: OutboxEntry, lane: OutboxLane, source: string): Lineage {
    const id =
      meta.lineage?.messageId ??
      messageId({
        incarnation: this.#o.incarnation,
        partition: this.#o.log.partition,
        queue: lane.source,
        number: entry.number,
      })
    const before = meta.lineage?.redrives
    const redrives = (Number.isInteger(before) ? before! : 0) + (entry.cause === 'redriven' ? 1 : 0)
    const passed = passedQueues(meta.lineage, { partition: this.#o.log.partition, queue: lane.source })
    const { attemptsBefore, sentAt, deliveredAt = entry.firstAt } = firstOf(meta.lineage)
    return {
      messageId: id,
      queue: source,
      ...(entry.subscription === undefined ? undefined : { subscription: entry.subscription }),
      attempts: entry.attempts,
      ...(attemptsBefore === 0 ? undefined : { attemptsBefore }),
      cause: entry.cause,
      error: entry.error,
      enqueuedAt: entry.enqueuedAt,
      ...(deliveredAt === undefined ? undefined : { deliveredAt }),
      ...(sentAt === undefined || sentAt === entry.enqueuedAt ? undefined : { sentAt }),
      ...(redrives === 0 ? undefined : { redrives }),
      ...(passed === undefined ? undefined : { passed }),
    }
  }
}

/** What the hops of a message before this one come to. A client wrote the envelope, and may have written anything. */
const firstOf = (
  lineage: Lineage | undefined,
): {
  readonly attemptsBefore: number
  readonly sentAt: number | undefined
  readonly deliveredAt: number | undefined
} => {
  const count = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0)
  if (typeof lineage !== 'object' || lineage === null)
    return { attemptsBefore: 0, sentAt: undefined, deliveredAt: undefined }
  const { attempts, attemptsBefore, sentAt, enqueuedAt, deliveredAt } = lineage
  return {
    attemptsBefore: count(attempts) + count(attemptsBefore),
    sentAt: [sentAt, enqueuedAt].find((at) => Number.isFinite(at)),
    deliveredAt: Number.isFinite(deliveredAt) ? deliveredAt : undefined,
  }
}

/** What is known of a message without its keys, and the same message with another lineage: what is encrypted stays so. */
const opened = (
  message: Uint8Array,
): { readonly meta: EnvelopeMeta; readonly withLineage: (lineage: Lineage) => Uint8Array } => {
  if (!isSealed(message)) {
    const { meta, body } = decodeEnvelope(message)
    return { meta, withLineage: (lineage) => encodeEnvelope(body, { ...meta, lineage }) }
  }
  const { head, box } = readSealed(message)
  const meta = (head.meta ?? {}) as EnvelopeMeta
  return {
    meta,
    withLineage: (lineage) => writeSealed({ head: { ...head, meta: { ...meta, lineage } }, box }),
  }
}
