import {
  noCounts,
  type PartitionNews,
  type QueueChange,
  type QueueCounts,
  type QueueStanding,
} from '@kiroku/protocol'
import { sumCounts } from '../sumCounts.ts'
import type { FeedMessage, FeedPlace } from './FeedMessage.ts'

/** Stretches that are kept for readers that come back or are slow; about a minute. */
const stretchesMax = 600
/** And changes of queues in them, so that a log of many queues does not take more. */
const changesMax = 100_000

interface Standing {
  readonly seq: number
  readonly at: number
  readonly queues: Map<number, QueueStanding>
}

interface Stretch {
  readonly place: FeedPlace
  readonly queues: readonly QueueChange[]
}

/**
 * Knows how every queue stands by what the owners of the partitions tell, and gives that to any number of readers:
 * each gets what changed since it was last given something, in one message, however long it took. Keeps no more for
 * a slow reader than for a fast one; who was away for too long gets a new snapshot.
 */
export class FeedHub {
  readonly #incarnation: string
  readonly #partitions: readonly (Standing | undefined)[]
  /** Those that do not answer now. */
  readonly #silent = new Set<number>()
  #stretches: Stretch[] = []
  /** Number of the first stretch that is kept. */
  #first = 0
  #changes = 0
  readonly #waiting = new Set<() => void>()

  constructor(incarnation: string, partitions: number) {
    this.#incarnation = incarnation
    this.#partitions = Array.from<undefined>({ length: partitions })
  }

  /** Whether every partition was heard of, or does not answer. */
  get isReady(): boolean {
    return this.#partitions.every((standing, n) => standing !== undefined || this.#silent.has(n))
  }

  /** How far it is. */
  get place(): FeedPlace {
    const standings = this.#partitions.filter((standing) => standing !== undefined)
    const seqs = this.#partitions.map((standing) => standing?.seq ?? 0)
    return {
      position: `${this.#incarnation}:${seqs.join('.')}`,
      seqs,
      at: Math.max(0, ...standings.map(({ at }) => at)),
      silent: [...this.#silent].sort((a, b) => a - b),
    }
  }

  /** Record up to which it knows a partition; 0: it does not. */
  seqOf(partition: number): number {
    return this.#partitions[partition]?.seq ?? 0
  }

  /** Takes what an owner tells. */
  accept(news: PartitionNews): void {
    const partitions = this.#partitions as (Standing | undefined)[]
    const { partition, seq, at } = news
    const before = partitions[partition]
    const isBack = this.#silent.delete(partition)
    if (news.kind === 'standing') {
      const queues = new Map(news.queues.map(({ id, queue, counts }) => [id, { queue, counts }]))
      partitions[partition] = { seq, at, queues }
      this.#forget()
    } else {
      if (before === undefined) return
      if (news.queues.length === 0 && seq === before.seq && !isBack) {
        partitions[partition] = { ...before, seq, at }
        return
      }
      for (const { id, queue, change, ended } of news.queues)
        if (ended === true) before.queues.delete(id)
        else
          before.queues.set(id, {
            queue,
            counts: sumCounts(before.queues.get(id)?.counts ?? noCounts, change),
          })
      partitions[partition] = { ...before, seq, at }
      this.#keep(
        news.queues.map(({ queue, transitions, change, ended }) => ({
          queue,
          transitions,
          change,
          ...(ended === true && !this.#isThere(queue) ? { ended } : {}),
        })),
      )
    }
    this.#wake()
  }

  /** Takes it that a partition does not answer; what was heard of it stays. */
  silence(partition: number): void {
    if (this.#silent.has(partition)) return
    this.#silent.add(partition)
    this.#wake()
  }

  /**
   * A reader of one queue, or of all. It goes on behind `position` where that is still known.
   */
  read(options: { readonly queue?: string; readonly position?: string } = {}): FeedReader {
    const { queue, position } = options
    let next: number | undefined
    const found = this.#stretches.findLastIndex(({ place }) => place.position === position)
    if (found >= 0) next = this.#first + found + 1
    else if (this.isReady && this.place.position === position) next = this.#end
    return new FeedReader(this, queue, next)
  }

  /** @internal Number behind the last stretch. */
  get end(): number {
    return this.#end
  }

  /** @internal What happened from a stretch on, or undefined when that is forgotten. */
  since(next: number, only: string | undefined): FeedMessage | undefined {
    if (next < this.#first) return undefined
    const stretches = this.#stretches.slice(next - this.#first)
    const queues = new Map<string, QueueChange>()
    for (const stretch of stretches)
      for (const change of stretch.queues) {
        if (only !== undefined && change.queue !== only) continue
        const before = queues.get(change.queue)
        queues.set(change.queue, before === undefined ? change : joined(before, change))
      }
    return { kind: 'changes', ...this.place, queues: [...queues.values()] }
  }

  /** @internal How things stand. */
  snapshot(only: string | undefined): FeedMessage {
    const counts = new Map<string, QueueCounts>()
    for (const standing of this.#partitions)
      for (const { queue, counts: own } of standing?.queues.values() ?? []) {
        if (only !== undefined && queue !== only) continue
        const before = counts.get(queue)
        counts.set(queue, before === undefined ? own : sumCounts(before, own))
      }
    const queues = [...counts].map(([queue, own]) => ({ queue, counts: own }))
    return { kind: 'snapshot', ...this.place, queues }
  }

  /** @internal Calls once when there is something new; gives back how to stop waiting. */
  onNews(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => this.#waiting.delete(wake)
  }

  get #end(): number {
    return this.#first + this.#stretches.length
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  #isThere(name: string): boolean {
    return this.#partitions.some((standing) =>
      [...(standing?.queues.values() ?? [])].some(({ queue }) => queue === name),
    )
  }

  #keep(queues: readonly QueueChange[]): void {
    this.#stretches.push({ place: this.place, queues })
    this.#changes += queues.length
    while (
      this.#stretches.length > stretchesMax ||
      (this.#changes > changesMax && this.#stretches.length > 1)
    ) {
      this.#changes -= this.#stretches.shift()!.queues.length
      this.#first++
    }
  }

  /** After a gap nothing that was kept leads to what is now. */
  #forget(): void {
    this.#first = this.#end + 1
    this.#stretches = []
    this.#changes = 0
  }
}

const joined = (a: QueueChange, b: QueueChange): QueueChange => {
  const counts = new Map(a.transitions.map((t) => [`${t.from}→${t.to}`, t]))
  for (const t of b.transitions) {
    const key = `${t.from}→${t.to}`
    counts.set(key, { ...t, count: t.count + (counts.get(key)?.count ?? 0) })
  }
  return {
    queue: a.queue,
    transitions: [...counts.values()],
    change: sumCounts({ ...noCounts, ...a.change }, b.change),
    ...(b.ended === true ? { ended: true } : {}),
  }
}

/** One who reads the feed, at a speed of its own. */
export class FeedReader {
  readonly #hub: FeedHub
  readonly #queue: string | undefined
  /** The stretch that it gets next; undefined: a snapshot. */
  #next: number | undefined

  constructor(hub: FeedHub, queue: string | undefined, next: number | undefined) {
    this.#hub = hub
    this.#queue = queue
    this.#next = next
  }

  /** What there is to tell now; undefined when nothing changed. */
  take(): FeedMessage | undefined {
    const hub = this.#hub
    if (!hub.isReady) return undefined
    const changes = this.#next === undefined ? undefined : hub.since(this.#next, this.#queue)
    this.#next = hub.end
    if (changes === undefined) return hub.snapshot(this.#queue)
    return changes.queues.length === 0 ? undefined : changes
  }

  /** Calls once there is something new. Gives back how to stop waiting. */
  onNews(wake: () => void): () => void {
    return this.#hub.onNews(wake)
  }
}
