import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Act } from '@kiroku/audit'
import { type QueueAddress, type QueueConfig, State } from '@kiroku/protocol'
import { HistoryWriter } from '../history/HistoryWriter.ts'
import { limits } from '../limits.ts'
import { IndexSweep } from './IndexSweep.ts'
import { Interner } from './Interner.ts'
import { Row } from './Row.ts'
import type { Field } from './fieldsOf.ts'
import { passedGlob } from './passedText.ts'
import { wholeQueue } from './schema.ts'

/** One subscription of a queue, and the pending rows of its messages. */
export class Stream {
  readonly id: number
  readonly queue: number
  readonly pending = new Map<number, Row>()

  constructor(id: number, queue: number) {
    this.id = id
    this.queue = queue
  }
}

/** How far a partition was read. */
export interface Reached {
  readonly seq: number
  /** Partition time of that record. */
  readonly at: number
  readonly hash: Uint8Array
  /** Changes of messages so far. */
  readonly events: number
  /** Sequence of the state that the index began with; 0: the beginning of the log. */
  readonly began: number
  /** From when on it is known what happened, in ms of partition time; 0: from the beginning of the log. */
  readonly knownFrom: number
}

/** Writes the index: gathers rows, and stores them together with how far the log was read. */
export class IndexWriter {
  readonly database: DatabaseSync
  readonly texts: Interner
  readonly history: HistoryWriter
  readonly #sweep: IndexSweep
  readonly #dirty = new Set<Stream>()
  readonly #touches: number[] = []
  readonly #reached = new Map<number, Reached>()
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #touch: StatementSync
  readonly #forward: StatementSync
  readonly #field: StatementSync
  readonly #act: StatementSync
  readonly #bodies: StatementSync
  readonly #reach: StatementSync
  readonly #rowsMax: number
  /** Approximate number of messages: rows that are rewritten count twice. */
  #rows: number
  #pendingRows = 0
  #open = false

  /** `rowsMax`: messages that the index keeps at most. */
  constructor(database: DatabaseSync, { rowsMax = limits.rowsMax }: { readonly rowsMax?: number } = {}) {
    this.database = database
    this.#rowsMax = rowsMax
    this.#rows = countOf(database)
    this.texts = new Interner(database)
    this.history = new HistoryWriter(database)
    this.#sweep = new IndexSweep(database)
    this.#insert = database.prepare(
      'INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#update = database.prepare(
      `UPDATE messages SET state = ?, attempt = ?, at = ?, seq = ?, reason = ?, error = coalesce(?, error),
        consumer = coalesce(?, consumer), next = coalesce(?, next) WHERE stream = ? AND number = ?`,
    )
    this.#touch = database.prepare('INSERT OR IGNORE INTO touches VALUES (?, ?, ?)')
    this.#forward = database.prepare('INSERT OR REPLACE INTO forwards VALUES (?, ?, ?, ?, ?, ?)')
    this.#field = database.prepare('INSERT OR IGNORE INTO fields VALUES (?, ?, ?, ?)')
    this.#act = database.prepare('INSERT OR REPLACE INTO acts VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#bodies = database.prepare(
      "SELECT body_since, config FROM queues WHERE partition = ? AND queue = ? AND name <> ''",
    )
    this.#reach = database.prepare('INSERT OR REPLACE INTO reached VALUES (?, ?, ?, ?, ?, ?, ?)')
  }

  get isFull(): boolean {
    return this.#pendingRows >= limits.pendingRowsMax || this.#touches.length >= 12 * limits.pendingRowsMax
  }

  reached(partition: number): Reached | undefined {
    const pending = this.#reached.get(partition)
    if (pending !== undefined) return pending
    const row = this.database
      .prepare(
        'SELECT seq, at, hash, events, began, known_from AS knownFrom FROM reached WHERE partition = ?',
      )
      .get(partition)
    return row as Reached | undefined
  }

  /** The id of a queue in the index. */
  queue(partition: number, queue: number): number {
    this.begin()
    this.database
      .prepare("INSERT OR IGNORE INTO queues(partition, queue, name, config) VALUES (?, ?, '', '{}')")
      .run(partition, queue)
    return this.database
      .prepare('SELECT id FROM queues WHERE partition = ? AND queue = ?')
      .get(partition, queue)!['id'] as number
  }

  nameQueue(id: number, name: string, config: string, bodySince: number | null): void {
    this.begin()
    this.database
      .prepare('UPDATE queues SET name = ?, config = ?, body_since = ? WHERE id = ?')
      .run(name, config, bodySince, id)
  }

  /**
   * Notes that a queue was deleted, or a generation of a subscription: once the log no longer holds that, nothing of it is left
   * to be told.
   */
  deleted(queue: number, sub: number | undefined, seq: number): void {
    this.begin()
    this.database
      .prepare('INSERT OR REPLACE INTO deleted VALUES (?, ?, ?)')
      .run(queue, sub ?? wholeQueue, seq)
  }

  /** Notes whether a queue that does not ask for it holds bodies that are not indexed. */
  bodiesLeftOut(id: number, isLeftOut: boolean): void {
    this.begin()
    this.database
      .prepare('UPDATE queues SET bodies_left_out = max(coalesce(bodies_left_out, 0), ?) WHERE id = ?')
      .run(isLeftOut ? 1 : 0, id)
  }

  /** Whether a queue has its bodies indexed; undefined: it was not read yet. */
  indexesBodies({ partition, queue }: QueueAddress): boolean | undefined {
    const row = this.#bodies.get(partition, queue)
    return row === undefined ? undefined : row['body_since'] !== null
  }

  /** Whether a queue hides bodies, as far as it was read. */
  hidesBodies({ partition, queue }: QueueAddress): boolean {
    const config = this.#bodies.get(partition, queue)?.['config'] as string | undefined
    return config !== undefined && (JSON.parse(config) as Partial<QueueConfig>).bodyHidden === 'on'
  }

  /** A subscription of a queue: ask for it once, and keep it as long as rows of it are pending. */
  stream(queue: number, sub: number, name: string): Stream {
    this.begin()
    this.database
      .prepare('INSERT OR IGNORE INTO streams(queue, sub, name) VALUES (?, ?, ?)')
      .run(queue, sub, name)
    const { id } = this.database
      .prepare('SELECT id FROM streams WHERE queue = ? AND sub = ?')
      .get(queue, sub) as { readonly id: number }
    return new Stream(id, queue)
  }

  /** A row to write as a whole. */
  add(stream: Stream, number: number): Row {
    const row = new Row(number, true)
    stream.pending.set(number, row)
    this.#dirty.add(stream)
    this.#pendingRows++
    return row
  }

  /** A pending row to change; undefined when none is pending. */
  pending(stream: Stream, number: number): Row | undefined {
    return stream.pending.get(number)
  }

  /** A row of which only the changes are known. */
  change(stream: Stream, number: number): Row {
    const row = new Row(number, false)
    stream.pending.set(number, row)
    this.#dirty.add(stream)
    this.#pendingRows++
    return row
  }

  /**
   * Notes that a frame touched messages of a bucket; bucket -1: the whole queue; queue 0: the whole
   * partition.
   */
  touch(queue: number, bucket: number, seq: number): void {
    this.#touches.push(queue, bucket, seq)
  }

  forward(
    queue: number,
    from: { readonly partition: number; readonly queue: number },
    forward: number,
    count: number,
    first: number,
  ): void {
    this.begin()
    this.#forward.run(queue, from.partition, from.queue, forward, count, first)
  }

  fields(queue: number, number: number, fields: readonly Field[]): void {
    this.begin()
    for (const { path, value } of fields) this.#field.run(this.texts.text(path), value, queue, number)
  }

  act(act: Act): void {
    this.begin()
    const { partition, seq, index, at, queue, by } = act
    this.#act.run(partition, seq, index, at, queue, by.name, JSON.stringify(act))
  }

  lost(partition: number, seq: number, upTo: number): void {
    this.begin()
    this.database.prepare('INSERT INTO lost VALUES (?, ?, ?)').run(partition, seq, upTo)
  }

  /** Ends every message of a subscription that is not final, up to a number, excluded. */
  endAll(stream: Stream, below: number, reason: string, at: number, seq: number): void {
    const id = this.texts.text(reason)
    for (const row of stream.pending.values())
      if (row.number < below && row.state < State.Committed) {
        row.state = State.Discarded
        row.reason = id
        row.at = at
        row.seq = seq
      }
    this.begin()
    // Pending rows are final by now, or will be written after this.
    this.database
      .prepare(
        `UPDATE messages SET state = 7, reason = ?, at = ?, seq = ? WHERE stream = ? AND number < ? AND state < 5`,
      )
      .run(id, at, seq, stream.id, Math.min(below, Number.MAX_SAFE_INTEGER))
  }

  /** Forgets everything about a partition. */
  clear(partition: number): void {
    this.flush()
    const queues = 'SELECT id FROM queues WHERE partition = ?'
    this.begin()
    const run = (sql: string): void => void this.database.prepare(sql).run(partition)
    run(`DELETE FROM messages WHERE stream IN (SELECT id FROM streams WHERE queue IN (${queues}))`)
    this.history.clear(partition)
    run(`DELETE FROM touches WHERE queue IN (${queues})`)
    run(`DELETE FROM forwards WHERE queue IN (${queues})`)
    run(`DELETE FROM fields WHERE queue IN (${queues})`)
    run(`DELETE FROM streams WHERE queue IN (${queues})`)
    run(`DELETE FROM deleted WHERE queue IN (${queues})`)
    run('DELETE FROM queues WHERE partition = ?')
    run('DELETE FROM acts WHERE partition = ?')
    run('DELETE FROM lost WHERE partition = ?')
    run('DELETE FROM reached WHERE partition = ?')
    this.#sweep.forget(partition)
    this.#reached.delete(partition)
    this.#rows = countOf(this.database)
    this.#commit()
  }

  /** Forgets the indexed values of bodies that are in a queue, or passed it. */
  forgetFields(queue: number, address: QueueAddress): void {
    this.flush()
    this.begin()
    this.database.prepare('DELETE FROM fields WHERE queue = ?').run(queue)
    this.database
      .prepare(
        `DELETE FROM fields WHERE (queue, number) IN (SELECT s.queue, m.number FROM messages m
          JOIN streams s ON s.id = m.stream WHERE m.passed IN (SELECT id FROM texts WHERE ' ' || text || ' ' GLOB ?))`,
      )
      .run(passedGlob(address))
  }

  /**
   * Removes what the log no longer holds up to a sequence: counts at once, and messages, touches, values and acts piece by piece in `sweep`. Returns
   * from when on it is known what happened, if that is later than before.
   */
  trim(partition: number, upTo: number): number | undefined {
    this.flush()
    this.begin()
    this.#sweep.trimmed(partition, upTo)
    return this.history.trim(partition, upTo)
  }

  /** Whether there is something to sweep. */
  get isSweepDue(): boolean {
    return this.#sweep.isDue
  }

  /**
   * Removes a piece of what the log no longer holds, or of what there is no room for; the next flush stores that. Call it between two
   * pieces of other work.
   */
  sweep(): void {
    if (!this.#sweep.isDue) return
    if (!this.#sweep.isRunning) this.flush()
    this.begin()
    this.#rows -= this.#sweep.step()
  }

  /** Notes how far a partition was read; stored with the next flush. */
  reach(partition: number, reached: Reached): void {
    this.#reached.set(partition, reached)
  }

  begin(): void {
    if (this.#open) return
    this.database.exec('BEGIN')
    this.#open = true
  }

  /** Stores everything pending in one transaction. */
  flush(): void {
    if (!this.#open && this.#pendingRows === 0 && this.#reached.size === 0) return
    this.begin()
    const hasNewRows = this.#pendingRows > 0
    for (const stream of this.#dirty) {
      for (const row of stream.pending.values()) this.#write(stream.id, row)
      stream.pending.clear()
    }
    const touches = this.#touches
    for (let i = 0; i < touches.length; i += 3) this.#touch.run(touches[i]!, touches[i + 1]!, touches[i + 2]!)
    for (const [partition, { seq, at, hash, events, began, knownFrom }] of this.#reached)
      this.#reach.run(partition, seq, at, hash, events, began, knownFrom)
    this.history.flush()
    this.#dirty.clear()
    touches.length = 0
    this.#reached.clear()
    this.#pendingRows = 0
    const over = this.#rows - this.#rowsMax
    if (hasNewRows && over > 0) this.#sweep.makeRoom(over + Math.ceil(this.#rowsMax / 100))
    this.#commit()
  }

  #commit(): void {
    this.database.exec('COMMIT')
    this.#open = false
  }

  #write(stream: number, r: Row): void {
    if (!r.whole) {
      this.#update.run(
        r.state,
        r.attempt,
        r.at,
        r.seq,
        r.reason,
        r.error,
        r.consumer,
        r.next,
        stream,
        r.number,
      )
      return
    }
    this.#rows++
    this.#insert.run(
      stream,
      r.number,
      r.state,
      r.attempt,
      r.at,
      r.seq,
      r.sentAt,
      r.sentSeq,
      r.reason,
      r.error,
      r.group,
      r.tag,
      r.consumer,
      r.producer,
      r.attributes,
      r.origin,
      r.redrives,
      r.next,
      r.passed,
    )
  }

  close(): void {
    this.flush()
    this.database.close()
  }
}

const countOf = (database: DatabaseSync): number =>
  database.prepare('SELECT count(*) AS count FROM messages').get()!['count'] as number
