import { isKirokuError, type KirokuError } from '@kiroku/message'
import { isSealed, readSealed, writeSealed, type BodyRef, type PartitionLog } from '@kiroku/log'
import {
  decodeEnvelope,
  encodeEnvelope,
  isGroup,
  isTag,
  messageId,
  type Answer,
  type Command,
  type EnvelopeMeta,
  type Lineage,
  type OutboxEntry,
  type OutboxLane,
  type PartitionState,
  type Reply,
  type Turn,
} from '@kiroku/partition'
import type { BodyCache } from './BodyCache.ts'
import { limits } from './limits.ts'
import type { Time } from './Time.ts'

/** The way to a partition, wherever its owner is. */
export type Route = (partition: number, commands: readonly Command[]) => Promise<Reply>

/** What the owner does for its outbox. */
export interface ForwardWork {
  /** Bytes of one request. */
  readonly bytesMax: number
  act(run: (turn: Turn<BodyRef>) => void): void
  /** A message that must be forwarded has lost its body. */
  damaged(error: KirokuError): void
}

/** Carries the outbox to other queues: one window a lane, in order, repeated until the target has answered. */
export class Forwarder {
  readonly #o: {
    readonly incarnation: string
    readonly log: Pick<PartitionLog, 'partition' | 'state'>
    readonly time: Time
    readonly route: Route
  }
  readonly #cache: BodyCache
  readonly #work: ForwardWork
  #state: PartitionState | undefined
  #storedSeq = 0
  readonly #busy = new Map<OutboxLane, number>()

  constructor(
    options: {
      readonly incarnation: string
      readonly log: Pick<PartitionLog, 'partition' | 'state'>
      readonly time: Time
      readonly route: Route
    },
    cache: BodyCache,
    work: ForwardWork,
  ) {
    this.#o = options
    this.#cache = cache
    this.#work = work
  }

  begin(state: PartitionState, storedSeq: number): void {
    this.#state = state
    this.#busy.clear()
    this.stored(storedSeq)
  }

  /** The state that was worked for is gone. */
  end(): void {
    this.#state = undefined
  }

  /** Everything up to `seq` is stored, and may leave. */
  stored(seq: number): void {
    this.#storedSeq = seq
    const state = this.#state
    if (state === undefined || state.outbox.size === 0) return
    for (const lane of state.outbox.values())
      if (lane.entries.length > 0 && !this.#busy.has(lane) && lane.entries[0]!.decidedSeq <= seq)
        void this.#send(state, lane, 0)
  }

  async #send(state: PartitionState, lane: OutboxLane, failures: number): Promise<void> {
    this.#busy.set(lane, failures)
    const window = this.#window(lane)
    const answer = await this.#forward(state, lane, window).catch((e: unknown) => {
      // Its body is gone: no repeat would find it.
      if (this.#state === state && isKirokuError(e) && e.id === 'LogDamaged') this.#work.damaged(e)
      return undefined
    })
    if (this.#state !== state) return
    if (answer?.ok === undefined) {
      const pauseMs = Math.min(50 * 2 ** failures, limits.forwardBackoffMsMax)
      this.#o.time.after(pauseMs, () => {
        if (this.#state === state) void this.#send(state, lane, failures + 1)
      })
      return
    }
    const { upTo, outcome } = answer.ok
    this.#work.act((turn) => {
      turn.emit({ type: 'Forwarded', source: lane.source, target: lane.target, upTo, outcome })
      this.#busy.delete(lane)
    })
  }

  #window(lane: OutboxLane): OutboxEntry[] {
    const window: OutboxEntry[] = []
    for (const entry of lane.entries) {
      if (entry.decidedSeq > this.#storedSeq || window.length >= limits.forwardWindowMessages) break
      window.push(entry)
    }
    return window
  }

  /** The body, or an empty one where a repair accepted that it is gone: the dead letter arrives all the same. */
  async #body(state: PartitionState, lane: OutboxLane, entry: OutboxEntry): Promise<Uint8Array> {
    try {
      const [envelope] = await this.#cache.fetch([entry.seq], lane.source, [entry.index])
      return envelope!
    } catch (e) {
      if (!isKirokuError(e) || e.id !== 'LogDamaged' || !(await this.#isGivenUp(state, entry.seq))) throw e
      return encodeEnvelope(new Uint8Array(0))
    }
  }

  /** Whether a repair gave a body up: its record is within a bridge, or trimmed away as the lost end of the log said. */
  async #isGivenUp(state: PartitionState, seq: number): Promise<boolean> {
    if (seq <= state.bridgedSeq) return true
    return state.repairedEpoch > 0 && seq < (await this.#o.log.state()).firstSeq
  }

  async #forward(state: PartitionState, lane: OutboxLane, window: OutboxEntry[]): Promise<Answer<'Forward'>> {
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
      if (messages.length > 0 && bytes > this.#work.bytesMax) break
      messages.push(forwarded)
      enqueuedAt.push(entry.enqueuedAt)
      // Whoever wrote the envelope may have written anything; a strange tag or group must not hold up the lane.
      tags.push(isTag(meta.tag) ? meta.tag : '')
      groups.push(isGroup(meta.group) ? meta.group : '')
      subscriptions.push(entry.only ?? '')
    }
    const reply = await this.#o.route(lane.target.partition, [
      {
        type: 'Forward',
        from: { partition: this.#o.log.partition, queue: lane.source },
        target: lane.target.queue,
        forward: window[0]!.forward,
        messages,
        enqueuedAt,
        ...(tags.every((tag) => tag === '') ? undefined : { tags }),
        ...(groups.every((group) => group === '') ? undefined : { groups }),
        ...(subscriptions.every((name) => name === '') ? {} : { subscriptions }),
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
    return {
      messageId: id,
      queue: source,
      ...(entry.subscription === undefined ? undefined : { subscription: entry.subscription }),
      attempts: entry.attempts,
      cause: entry.cause,
      error: entry.error,
      enqueuedAt: entry.enqueuedAt,
      ...(redrives === 0 ? undefined : { redrives }),
    }
  }
}

/** What is known of a message without its keys, and the same message with another lineage: what is sealed stays so. */
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
