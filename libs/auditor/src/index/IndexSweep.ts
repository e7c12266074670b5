import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { tiers } from '../history/tiers.ts'
import { limits } from '../limits.ts'
import { wholeQueue } from './schema.ts'

/** Rows that each piece counts as beyond those it removes: with thousands of queues, pieces that remove nothing add up. */
const pieceRows = 64

/** Pieces of work; each says how many rows it removed. */
type Pieces = Generator<number, void>

interface Running {
  /** The partition whose trimmed messages go; undefined: room is made. */
  readonly partition: number | undefined
  readonly pieces: Pieces
}

/**
 * Removes from the index what the log no longer holds, and what there is no room for, in pieces of which none takes long. What is left
 * to do is stored with the index, so that a restart goes on with it.
 */
export class IndexSweep {
  readonly #database: DatabaseSync
  /** Up to which sequence the log of a partition was trimmed, for those that are not swept yet. */
  readonly #trimmed: Map<number, number>
  /** How many messages are to be removed to make room. */
  #over = 0
  #current: Running | undefined
  /** Messages that the current step has removed. */
  #messages = 0

  constructor(database: DatabaseSync) {
    this.#database = database
    const rows = database.prepare("SELECT key, value FROM meta WHERE key LIKE 'trimmed:%'").all()
    this.#trimmed = new Map(
      rows.map(({ key, value }) => [Number(String(key).slice(trimmedKey.length)), Number(value)]),
    )
  }

  /** Whether there is something to remove. */
  get isDue(): boolean {
    return this.#current !== undefined || this.#trimmed.size > 0 || this.#over > 0
  }

  /** The log of a partition was trimmed up to a sequence. Called within a transaction. */
  trimmed(partition: number, upTo: number): void {
    this.#trimmed.set(partition, upTo)
    this.#database
      .prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
      .run(trimmedKey + partition, String(upTo))
  }

  /** Makes room for this many messages, by removing the final ones that changed longest ago. */
  makeRoom(over: number): void {
    const isMakingRoom = this.#current !== undefined && this.#current.partition === undefined
    if (!isMakingRoom) this.#over = over
  }

  /** Nothing of a partition is left. Called within a transaction. */
  forget(partition: number): void {
    this.#trimmed.delete(partition)
    if (this.#current?.partition === partition) this.#current = undefined
    this.#database.prepare('DELETE FROM meta WHERE key = ?').run(trimmedKey + partition)
  }

  /** Whether a sweep is under way; pending rows must be stored before one begins. */
  get isRunning(): boolean {
    return this.#current !== undefined
  }

  /** Removes a piece, if there is something to remove; returns how many messages. Called within a transaction. */
  step(): number {
    this.#messages = 0
    for (let rows = 0; rows < limits.sweptRows; rows += pieceRows) {
      this.#current ??= this.#next()
      if (this.#current === undefined) break
      const { done, value } = this.#current.pieces.next()
      if (done === true) {
        this.#current = undefined
        break
      }
      rows += value
    }
    return this.#messages
  }

  #next(): Running | undefined {
    for (const [partition, upTo] of this.#trimmed) {
      this.#trimmed.delete(partition)
      return { partition, pieces: this.#sweep(partition, upTo) }
    }
    if (this.#over <= 0) return undefined
    const over = this.#over
    this.#over = 0
    return { partition: undefined, pieces: this.#oldest(over) }
  }

  /** Removes final messages, touches, values in bodies and acts of a partition up to a sequence. */
  *#sweep(partition: number, upTo: number): Pieces {
    this.#database.prepare('DELETE FROM acts WHERE partition = ? AND seq <= ?').run(partition, upTo)
    const streams = this.#database
      .prepare(
        'SELECT s.id AS id, s.queue AS queue FROM streams s JOIN queues q ON q.id = s.queue WHERE q.partition = ?',
      )
      .all(partition) as { id: number; queue: number }[]
    const after = this.#database.prepare(
      'SELECT number FROM messages WHERE stream = ? AND sent_seq > ? ORDER BY number LIMIT 1',
    )
    const lastOf = this.#database.prepare(
      'SELECT max(number) AS number FROM fields INDEXED BY fields_of WHERE queue = ?',
    )
    // The values of messages that arrive from now on are stored before the messages are.
    const values = new Map<number, number>()
    for (const { queue } of streams) values.set(queue, Number(lastOf.get(queue)!['number'] ?? -1))
    const trimmed = new Map<number, number>()
    for (const { id, queue } of streams) {
      const below = (after.get(id, upTo)?.['number'] as number | undefined) ?? last
      trimmed.set(queue, Math.max(trimmed.get(queue) ?? 0, below))
      yield* this.#countMessages({
        table: 'messages',
        key: ['number'],
        of: { sql: 'stream = ?', parameters: [id] },
        until: [below - 1],
        gone: { sql: 'state >= 5 AND seq <= ?', parameters: [upTo] },
      })
      const bucket = Math.floor(below / limits.bucketMessages)
      yield* this.#inPieces({
        table: 'touches',
        key: ['bucket', 'seq'],
        of: { sql: 'queue = ?', parameters: [queue] },
        from: [0, -1],
        until: [bucket, last],
        gone: { sql: 'seq <= ?', parameters: [upTo] },
      })
    }
    // Where a queue has several subscriptions, any of them may still have the message.
    for (const [queue, below] of trimmed)
      yield* this.#inPieces({
        table: 'fields INDEXED BY fields_of',
        key: ['number'],
        of: { sql: 'queue = ?', parameters: [queue] },
        until: [Math.min(below - 1, values.get(queue)!)],
        gone: {
          sql: `NOT EXISTS (SELECT 1 FROM streams s JOIN messages m ON m.stream = s.id AND m.number = fields.number
            WHERE s.queue = fields.queue)`,
          parameters: [],
        },
      })
    yield* this.#deleted(partition, upTo)
    // Unless it was trimmed further meanwhile.
    if (!this.#trimmed.has(partition)) this.forget(partition)
  }

  /**
   * Removes what is left of queues and subscriptions that were deleted up to a sequence, but for the settings of queues: these still
   * say whether the bodies of messages that passed them are hidden.
   */
  *#deleted(partition: number, upTo: number): Pieces {
    const deleted = this.#database
      .prepare(
        'SELECT d.queue AS queue, d.sub AS sub FROM deleted d JOIN queues q ON q.id = d.queue WHERE q.partition = ? AND d.seq <= ?',
      )
      .all(partition, upTo) as { queue: number; sub: number }[]
    const steps = tiers.map(({ stepMs }) => stepMs).join(', ')
    const prepare = (rows: string): StatementSync => this.#database.prepare(`DELETE FROM ${rows}`)
    const ofSubscription = ['streams', 'deleted'].map((table) =>
      prepare(`${table} WHERE queue = ? AND sub = ?`),
    )
    const ofQueue = [
      'touches WHERE queue = ?',
      'forwards WHERE queue = ?',
      `history WHERE step IN (${steps}) AND queue = ?`,
      'streams WHERE queue = ?',
      'deleted WHERE queue = ?',
    ].map(prepare)
    for (const { queue, sub } of deleted) {
      const removed =
        sub === wholeQueue
          ? ofQueue.map((removal) => removal.run(queue))
          : ofSubscription.map((removal) => removal.run(queue, sub))
      yield removed.reduce((rows, { changes }) => rows + Number(changes), 0)
    }
  }

  /** Removes the final messages that changed longest ago. */
  *#oldest(over: number): Pieces {
    let left = over
    const pieces = this.#countMessages({
      table: 'messages INDEXED BY messages_at',
      key: ['at', 'stream', 'number'],
      gone: { sql: 'state >= 5', parameters: [] },
      rows: () => Math.min(left, limits.sweptRows),
    })
    for (const removed of pieces) {
      yield removed
      if ((left -= removed) <= 0) return
    }
  }

  *#countMessages(removal: Removal): Pieces {
    for (const removed of this.#inPieces(removal)) {
      this.#messages += removed
      yield removed
    }
  }

  /** Walks the rows of a table in the order of a key, and removes those that match `gone`. */
  *#inPieces({ table, of = all, key, gone, ...range }: Removal): Pieces {
    const { until = key.map(() => last), rows = () => limits.sweptRows } = range
    const columns = key.join(', ')
    const place = key.map(() => '?').join(', ')
    // One bound of each kind: of two, SQLite may look at the wider one.
    const between = `${of.sql} AND (${columns}) > (${place}) AND (${columns}) <= (${place})`
    const ends = this.#database.prepare(
      `SELECT ${columns} FROM ${table} WHERE ${between} ORDER BY ${columns} LIMIT 1 OFFSET ?`,
    )
    const remove = this.#database.prepare(`DELETE FROM ${table} WHERE ${between} AND ${gone.sql}`)
    for (let from: readonly SQLInputValue[] = range.from ?? key.map(() => -1); ;) {
      const found = ends.get(...of.parameters, ...from, ...until, rows() - 1)
      const end = found === undefined ? until : key.map((column) => found[column] as SQLInputValue)
      yield Number(remove.run(...of.parameters, ...from, ...end, ...gone.parameters).changes)
      if (found === undefined) return
      from = end
    }
  }
}

const trimmedKey = 'trimmed:'

interface Condition {
  readonly sql: string
  readonly parameters: readonly SQLInputValue[]
}

/** All rows. */
const all: Condition = { sql: '1', parameters: [] }
/** Above any number in the index. */
const last = Number.MAX_SAFE_INTEGER

/** What is removed from a table. */
interface Removal {
  readonly table: string
  /** The rows to go through: those where some columns have these values; absent: all. */
  readonly of?: Condition
  /** Columns to walk them by, which hold numbers from 0 on; rows with equal keys stay in one piece. */
  readonly key: readonly string[]
  /** The place to begin after, and the last one; absent: all rows. */
  readonly from?: readonly number[]
  readonly until?: readonly number[]
  /** Which of them to remove. */
  readonly gone: Condition
  /** How many rows the next piece goes through. */
  readonly rows?: () => number
}
