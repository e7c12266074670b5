import type { PartitionState } from '@kiroku/partition'
import type { QueueAddress, Ranges } from '@kiroku/protocol'

/** Numbers from `from` up to but not including `to`, and the frame that names them. */
interface Span {
  readonly from: number
  to: number
  readonly seq: number
}

/** What both ends of a lane record of the messages from one queue to another. */
interface Lane {
  readonly source: QueueAddress
  readonly target: QueueAddress
  /**
   * Below these the record of the source, or of the target, says nothing; undefined: below the first number
   * of new lanes.
   */
  sentFrom: number | undefined
  receivedFrom: number
  readonly sent: Span[]
  readonly received: Span[]
  /** What was confirmed to the source as stored. */
  readonly confirmed: Span[]
  /** What was readdressed, since the target was gone and had not stored it. */
  readonly readdressed: Span[]
  /** How often the source closed it, and the frames in which the target forgot it. */
  closings: number
  readonly forgotten: number[]
}

/** Something wrong between two partitions. */
export interface ForwardProblem {
  readonly partition: number
  readonly seq: number
  readonly message: string
}

/**
 * Compares the two ends of all lanes: nothing arrives that was not sent, and nothing confirmed is missing.
 */
export class ForwardLedger {
  readonly #lanes = new Map<string, Lane>()
  /** Number of the first forward of a new lane, by partition, where its record begins. */
  readonly #firsts = new Map<number, number>()
  /** Below which forwards a partition may have forgotten lanes of another, where its record begins; as `source target`. */
  readonly #forgottenTo = new Map<string, number>()
  /** Partitions whose record a repair gave up in part: their ends of lanes cannot be complete. */
  readonly #partial = new Set<number>()

  #lane(source: QueueAddress, target: QueueAddress): Lane {
    const key = `${source.partition}/${source.queue}>${target.partition}/${target.queue}`
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = {
        source,
        target,
        sentFrom: undefined,
        receivedFrom: 1,
        sent: [],
        received: [],
        confirmed: [],
        readdressed: [],
        closings: 0,
        forgotten: [],
      }
      this.#lanes.set(key, lane)
    }
    return lane
  }

  /** A partition is read from this state on; earlier events are not on record. */
  begin(state: PartitionState): void {
    const { partition } = state
    this.#firsts.set(partition, state.firstForward)
    for (const { source, target, next } of state.outbox.values())
      this.#lane({ partition, queue: source }, target).sentFrom = next
    for (const [key, upTo] of state.forwardsSeen) {
      const [from, address] = key.split('>') as [string, string]
      const [sourcePartition, queue] = address.split('/').map(Number) as [number, number]
      const source = { partition: sourcePartition, queue: Number(from) }
      this.#lane(source, { partition, queue }).receivedFrom = upTo
    }
    for (const [source, first] of state.firstForwards) this.#forgottenTo.set(`${source} ${partition}`, first)
  }

  /** A partition cannot be read to the end, or a repair gave up a part of its record. */
  partial(partition: number): void {
    this.#partial.add(partition)
  }

  sent(source: QueueAddress, target: QueueAddress, from: number, count: number, seq: number): void {
    add(this.#lane(source, target).sent, from, count, seq)
  }

  received(source: QueueAddress, target: QueueAddress, from: number, count: number, seq: number): void {
    add(this.#lane(source, target).received, from, count, seq)
  }

  readdressed(source: QueueAddress, target: QueueAddress, forwards: Ranges, seq: number): void {
    const { readdressed } = this.#lane(source, target)
    for (let i = 0; i < forwards.length; i += 2) add(readdressed, forwards[i]!, forwards[i + 1]!, seq)
  }

  closed(source: QueueAddress, target: QueueAddress): void {
    this.#lane(source, target).closings++
  }

  forgotten(source: QueueAddress, target: QueueAddress, seq: number): void {
    this.#lane(source, target).forgotten.push(seq)
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
        lane.sentFrom ?? this.#firsts.get(source.partition) ?? 1,
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
        Math.max(lane.receivedFrom, this.#forgottenTo.get(`${source.partition} ${target.partition}`) ?? 1),
      )
      if (missing !== undefined)
        problems.push({
          partition: source.partition,
          seq: missing.seq,
          message: `forward ${missing.number} from ${name(source)} is confirmed, but ${name(target)} never stored it`,
        })
      // An incomplete record of the source does not name every forward.
      const forgotten = lane.forgotten.filter((seq) => seq <= (settledSeq.get(target.partition) ?? 0))
      if (this.#firsts.get(source.partition) === 1 && forgotten.length > lane.closings)
        problems.push({
          partition: target.partition,
          seq: forgotten[lane.closings]!,
          message: `${name(target)} forgets the lane from ${name(source)}, which is open`,
        })
      const twice = firstInside(lane.readdressed, lane.received)
      if (twice !== undefined)
        problems.push({
          partition: source.partition,
          seq: twice.seq,
          message: `forward ${twice.number} from ${name(source)} went elsewhere, but ${name(target)} stored it`,
        })
    }
    return problems
  }
}

const name = ({ partition, queue }: QueueAddress): string => `queue ${queue} of partition ${partition}`

const add = (spans: Span[], from: number, count: number, seq: number): void => {
  if (count <= 0) return
  const last = spans.at(-1)
  // Spans are kept per frame only as far as needed to name one; a million forwards are few spans.
  if (last !== undefined && last.to === from && last.seq === seq) last.to += count
  else spans.push({ from, to: from + count, seq })
}

/** The first number of `spans` that one of `cover` has. */
const firstInside = (
  spans: readonly Span[],
  cover: readonly Span[],
): { readonly number: number; readonly seq: number } | undefined => {
  for (const { from, to, seq } of spans)
    for (const other of cover)
      if (from < other.to && other.from < to) return { number: Math.max(from, other.from), seq }
  return undefined
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
