import {
  type FeedUpdate,
  type FeedProgress,
  noCounts,
  type PartitionUpdate,
  type QueueChange,
  type QueueCounts,
  type QueueSnapshot,
  sumCounts,
} from '@kiroku/protocol'
import { type FeedPart, partOf } from './FeedPart.ts'
import type { FeedOptions } from './OpenFeed.ts'
import { FeedReader, type FeedSource } from './FeedReader.ts'

/** Sets of changes kept for readers that reconnect or are slow; about a minute. */
const changeSetsMax = 600
/** Limit on the changes in those sets, so that a log of many queues takes no more memory. */
const changesMax = 100_000

interface PartitionCounts {
  readonly seq: number
  readonly at: number
  readonly queues: Map<number, QueueSnapshot>
}

interface ChangeSet {
  readonly progress: FeedProgress
  readonly queues: readonly QueueChange[]
}

/**
 * Knows the counts of every queue from the owners of the partitions, and serves them to any number of
 * readers: each gets everything that changed since its last message in one message. Keeps no more for a slow
 * reader than for a fast one; a reader that was away for too long gets a new snapshot.
 */
export class FeedHub implements FeedSource {
  readonly #incarnation: string
  readonly #partitions: readonly (PartitionCounts | undefined)[]
  /** Partitions that do not answer now. */
  readonly #silent = new Set<number>()
  #changeSets: ChangeSet[] = []
  /** Number of the first kept set. */
  #first = 0
  #changes = 0
  readonly #waiting = new Set<() => void>()
  /** What readers of the same place were told since the last report. */
  readonly #told = new Map<string, FeedUpdate>()

  constructor(incarnation: string, partitions: number) {
    this.#incarnation = incarnation
    this.#partitions = Array.from<undefined>({ length: partitions })
  }

  /** Whether every partition has reported, or does not answer. */
  get isReady(): boolean {
    return this.#partitions.every((counted, n) => counted !== undefined || this.#silent.has(n))
  }

  /** The position of the feed. */
  get progress(): FeedProgress {
    const known = this.#partitions.filter((counted) => counted !== undefined)
    const seqs = this.#partitions.map((counted) => counted?.seq ?? 0)
    return {
      position: `${this.#incarnation}:${seqs.join('.')}`,
      seqs,
      at: Math.max(0, ...known.map(({ at }) => at)),
      silent: [...this.#silent].sort((a, b) => a - b),
    }
  }

  /** The last record it knows of a partition; 0: none. */
  seqOf(partition: number): number {
    return this.#partitions[partition]?.seq ?? 0
  }

  /** Takes the report of an owner. */
  accept(update: PartitionUpdate): void {
    const partitions = this.#partitions as (PartitionCounts | undefined)[]
    const { partition, seq, at } = update
    const before = partitions[partition]
    const isBack = this.#silent.delete(partition)
    if (update.kind === 'standing') {
      const queues = new Map(update.queues.map(({ id, queue, counts }) => [id, { queue, counts }]))
      partitions[partition] = { seq, at, queues }
      this.#forget()
    } else {
      if (before === undefined) return
      if (update.queues.length === 0 && seq === before.seq && !isBack) {
        partitions[partition] = { ...before, seq, at }
        return
      }
      for (const { id, queue, change, ended } of update.queues)
        if (ended === true) before.queues.delete(id)
        else
          before.queues.set(id, {
            queue,
            counts: sumCounts(before.queues.get(id)?.counts ?? noCounts, change),
          })
      partitions[partition] = { ...before, seq, at }
      this.#keep(
        update.queues.map(({ queue, transitions, change, ended }) => ({
          queue,
          transitions,
          change,
          ...(ended === true && !this.#isThere(queue) ? { ended } : {}),
        })),
      )
    }
    this.#wake()
  }

  /** Marks a partition that does not answer; its last report stays. */
  silence(partition: number): void {
    if (this.#silent.has(partition)) return
    this.#silent.add(partition)
    this.#wake()
  }

  /**
   * A reader of one queue, or of all that somebody may see. It resumes after `position` while that is known.
   */
  read(options: Omit<FeedOptions, 'principal'> = {}): FeedReader {
    const { queue, grants, position } = options
    let next: number | undefined
    const found = this.#changeSets.findLastIndex(({ progress }) => progress.position === position)
    if (found >= 0) next = this.#first + found + 1
    else if (this.isReady && this.progress.position === position) next = this.#end
    return new FeedReader(this, partOf(queue, grants), next)
  }

  /** @internal Number after the last set. */
  get end(): number {
    return this.#end
  }

  /** @internal What happened from a set on, or undefined when that is forgotten. */
  since(next: number, only: FeedPart | undefined): FeedUpdate | undefined {
    if (next < this.#first) return undefined
    return this.#once(`since ${next} ${only?.key ?? ''}`, () => this.#changesSince(next, only))
  }

  #changesSince(next: number, only: FeedPart | undefined): FeedUpdate {
    const changeSets = this.#changeSets.slice(next - this.#first)
    const queues = new Map<string, QueueChange>()
    for (const set of changeSets)
      for (const change of set.queues) {
        if (only?.has(change.queue) === false) continue
        const before = queues.get(change.queue)
        queues.set(change.queue, before === undefined ? change : joined(before, change))
      }
    return { kind: 'changes', ...this.progress, queues: [...queues.values()] }
  }

  /** @internal A snapshot of all counts. */
  snapshot(only: FeedPart | undefined): FeedUpdate {
    return this.#once(`snapshot ${only?.key ?? ''}`, () => this.#countsOf(only))
  }

  #countsOf(only: FeedPart | undefined): FeedUpdate {
    const counts = new Map<string, QueueCounts>()
    for (const counted of this.#partitions)
      for (const { queue, counts: own } of counted?.queues.values() ?? []) {
        if (only?.has(queue) === false) continue
        const before = counts.get(queue)
        counts.set(queue, before === undefined ? own : sumCounts(before, own))
      }
    const queues = [...counts].map(([queue, own]) => ({ queue, counts: own }))
    return { kind: 'snapshot', ...this.progress, queues }
  }

  /** @internal Calls `run` once when there is something new; returns a function that stops waiting. */
  onUpdate(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => this.#waiting.delete(wake)
  }

  get #end(): number {
    return this.#first + this.#changeSets.length
  }

  /** Many readers cost what one does. */
  #once(key: string, make: () => FeedUpdate): FeedUpdate {
    let update = this.#told.get(key)
    if (update === undefined) this.#told.set(key, (update = make()))
    return update
  }

  #wake(): void {
    this.#told.clear()
    for (const wake of [...this.#waiting]) wake()
  }

  #isThere(name: string): boolean {
    return this.#partitions.some((counted) =>
      [...(counted?.queues.values() ?? [])].some(({ queue }) => queue === name),
    )
  }

  #keep(queues: readonly QueueChange[]): void {
    this.#changeSets.push({ progress: this.progress, queues })
    this.#changes += queues.length
    while (
      this.#changeSets.length > changeSetsMax ||
      (this.#changes > changesMax && this.#changeSets.length > 1)
    ) {
      this.#changes -= this.#changeSets.shift()!.queues.length
      this.#first++
    }
  }

  /** After a gap the kept changes no longer lead to the present. */
  #forget(): void {
    this.#first = this.#end + 1
    this.#changeSets = []
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
