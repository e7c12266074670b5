import type { QueueAddress } from '@kiroku/message'
import type { PartitionState } from '@kiroku/partition'

/** Numbers from `from` up to `to`, not included, and the frame that names them. */
interface Span {
  readonly from: number
  to: number
  readonly seq: number
}

/** What both ends of a lane say of the messages that go from one queue to another. */
interface Lane {
  readonly source: QueueAddress
  readonly target: QueueAddress
  /** Below these the record of the source, or of the target, says nothing. */
  sentFrom: number
  receivedFrom: number
  readonly sent: Span[]
  readonly received: Span[]
  /** What the source was told is stored. */
  readonly confirmed: Span[]
}

/** Something wrong between two partitions. */
export interface ForwardProblem {
  readonly partition: number
  readonly seq: number
  readonly message: string
}

/**
 * Holds the two ends of all lanes against each other: nothing arrives that was not sent, nothing that
 * was confirmed is missing.
 */
export class ForwardLedger {
  readonly #lanes = new Map<string, Lane>()
  /** Partitions whose record a repair gave up in part: their ends of lanes cannot be complete. */
  readonly #partial = new Set<number>()

  #lane(source: QueueAddress, target: QueueAddress): Lane {
    const key = `${source.partition}/${source.queue}>${target.partition}/${target.queue}`
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = { source, target, sentFrom: 1, receivedFrom: 1, sent: [], received: [], confirmed: [] }
      this.#lanes.set(key, lane)
    }
    return lane
  }

  /** A partition is read from this state on; what was before is not on record. */
  begin(state: PartitionState): void {
    const { partition } = state
    for (const { source, target, next } of state.outbox.values())
      this.#lane({ partition, queue: source }, target).sentFrom = next
    for (const [key, upTo] of state.forwardsSeen) {
      const [from, address] = key.split('>') as [string, string]
      const [sourcePartition, queue] = address.split('/').map(Number) as [number, number]
      const source = { partition: sourcePartition, queue: Number(from) }
      this.#lane(source, { partition, queue }).receivedFrom = upTo
    }
  }

  /** A partition cannot be read to the end, or gave up a part of its record. */
  partial(partition: number): void {
    this.#partial.add(partition)
  }

  sent(source: QueueAddress, target: QueueAddress, from: number, count: number, seq: number): void {
    add(this.#lane(source, target).sent, from, count, seq)
  }

  received(source: QueueAddress, target: QueueAddress, from: number, count: number, seq: number): void {
    add(this.#lane(source, target).received, from, count, seq)
  }

  confirmed(source: QueueAddress, target: QueueAddress, from: number, to: number, seq: number): void {
    add(this.#lane(source, target).confirmed, from, to - from, seq)
  }

  /**
   * The first problem of each lane.
   * @param read the partitions that were read
   * @param settledSeq by partition, up to where the other partitions were read at least as far in time
   */
  problems(read: ReadonlySet<number>, settledSeq: ReadonlyMap<number, number>): ForwardProblem[] {
    const problems: ForwardProblem[] = []
    for (const lane of this.#lanes.values()) {
      const { source, target } = lane
      const both = [source.partition, target.partition]
      if (both.some((p) => !read.has(p) || this.#partial.has(p))) continue
      const settled = (partition: number, span: Span): boolean => span.seq <= (settledSeq.get(partition) ?? 0)
      const unsent = firstOutside(
        lane.received.filter((s) => settled(target.partition, s)),
        lane.sent,
        lane.sentFrom,
      )
      if (unsent !== undefined)
        problems.push({
          partition: target.partition,
          seq: unsent.seq,
          message: `forward ${unsent.number} from ${name(source)} arrived in ${name(target)}, but was never sent`,
        })
      const missing = firstOutside(
        lane.confirmed.filter((s) => settled(source.partition, s)),
        lane.received,
        lane.receivedFrom,
      )
      if (missing !== undefined)
        problems.push({
          partition: source.partition,
          seq: missing.seq,
          message: `forward ${missing.number} from ${name(source)} is confirmed, but ${name(target)} never stored it`,
        })
    }
    return problems
  }
}

const name = ({ partition, queue }: QueueAddress): string => `queue ${queue} of partition ${partition}`

const add = (spans: Span[], from: number, count: number, seq: number): void => {
  if (count <= 0) return
  const last = spans.at(-1)
  // Spans stay apart by frame only where that is needed to name one; a million forwards are few spans.
  if (last !== undefined && last.to === from && last.seq === seq) last.to += count
  else spans.push({ from, to: from + count, seq })
}

/** The first number of `spans`, not below `from`, that none of `cover` has; both are in order. */
const firstOutside = (
  spans: readonly Span[],
  cover: readonly Span[],
  from: number,
): { readonly number: number; readonly seq: number } | undefined => {
  let c = 0
  for (const span of spans) {
    let n = Math.max(span.from, from)
    while (n < span.to) {
      while (c < cover.length && cover[c]!.to <= n) c++
      if (c === cover.length || cover[c]!.from > n) return { number: n, seq: span.seq }
      n = cover[c]!.to
    }
  }
  return undefined
}
