import { limits } from '../limits.ts'
import type { QueueConfig, Ranges } from '@kiroku/protocol'
import type { IndexWriter, Stream } from './IndexWriter.ts'

/** The queue whose touches concern the whole partition. */
export const wholePartition = 0

const bucketOf = (n: number): number => Math.floor(n / limits.bucketMessages)

/** The index of one partition by the ids of the partition: its queues, its streams, and which frames touch messages. */
export class PartitionRows {
  readonly writer: IndexWriter
  readonly partition: number
  /** Queue ids of the index, by those of the partition. */
  readonly #queues = new Map<number, number>()
  readonly #streams = new Map<number, Map<number, Stream>>()
  /** Deleted queues and subscriptions that are still held, the first first: rows of theirs may be pending. */
  readonly #deleted: { readonly queue: number; readonly sub: number | undefined }[] = []
  /** The bucket that the current frame touched last. */
  #touchedQueue = -1
  #touchedBucket = -2

  constructor(writer: IndexWriter, partition: number) {
    this.writer = writer
    this.partition = partition
  }

  /** Id of a queue in the index. */
  queue(queue: number): number {
    let id = this.#queues.get(queue)
    if (id === undefined) this.#queues.set(queue, (id = this.writer.queue(this.partition, queue)))
    return id
  }

  /** Rows of a queue's messages under a generation of a subscription. */
  stream(queue: number, sub: number, name: string): Stream {
    let ofQueue = this.#streams.get(queue)
    if (ofQueue === undefined) this.#streams.set(queue, (ofQueue = new Map<number, Stream>()))
    let stream = ofQueue.get(sub)
    if (stream === undefined) ofQueue.set(sub, (stream = this.writer.stream(this.queue(queue), sub, name)))
    return stream
  }

  nameQueue(queue: number, name: string, config: object, seq: number): void {
    const { indexBody, bodyHidden } = config as Partial<QueueConfig>
    const id = this.queue(queue)
    this.writer.nameQueue(id, name, JSON.stringify(config), indexBody === 'on' ? seq : null)
    if (bodyHidden === 'on') this.writer.forgetFields(id, { partition: this.partition, queue })
  }

  /** A queue was deleted, or a generation of a subscription. */
  deleted(queue: number, sub: number | undefined, seq: number): void {
    this.writer.deleted(this.queue(queue), sub, seq)
    this.#deleted.push({ queue, sub })
  }

  /** A frame concerns messages. */
  touch(queue: number, numbers: Ranges, seq: number): void {
    const id = this.queue(queue)
    for (let i = 0; i < numbers.length; i += 2) {
      const last = bucketOf(numbers[i]! + numbers[i + 1]! - 1)
      for (let bucket = bucketOf(numbers[i]!); bucket <= last; bucket++) {
        if (id === this.#touchedQueue && bucket === this.#touchedBucket) continue
        this.#touchedQueue = id
        this.#touchedBucket = bucket
        this.writer.touch(id, bucket, seq)
      }
    }
  }

  /** A frame concerns all messages of a queue, or of the partition. */
  touchWhole(queue: number, seq: number): void {
    this.writer.touch(this.queue(queue), -1, seq)
  }

  /** Starts the touches of the next frame. */
  endFrame(): void {
    this.#touchedQueue = -1
  }

  /** Forgets what was deleted and has no pending rows. Called between frames. */
  forgetDeleted(): void {
    for (let first = this.#deleted[0]; first !== undefined; first = this.#deleted[0]) {
      const { queue, sub } = first
      const streams = this.#streams.get(queue)
      const gone = sub === undefined ? [...(streams?.values() ?? [])] : [streams?.get(sub)]
      if (gone.some((stream) => stream !== undefined && stream.pending.size > 0)) return
      if (sub !== undefined) streams?.delete(sub)
      else {
        this.#queues.delete(queue)
        this.#streams.delete(queue)
      }
      this.#deleted.shift()
    }
  }
}
